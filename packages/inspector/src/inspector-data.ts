import type {
  Agent,
  HistoryEntry,
  HistoryView,
  LeftOutReason,
  PlannedReasoning,
  PlannedWindow,
  Viewer,
} from "@agent-history/core";
import type { CallUsage, PriceTable } from "@agent-history/transcripts";

/** The data of the page as plain JSON: entries are rows, model calls are columns. */
export interface InspectorData {
  readonly title: string;
  /** The working folder of a session. */
  readonly project?: string | undefined;
  /** The rows: the log in order, with the instructions and summaries that occur only in prompts. */
  readonly entries: readonly HistoryEntry[];
  /** The tokens of each row. */
  readonly tokens: readonly number[];
  /** The id of the counter of `tokens`. */
  readonly counterId: string;
  /** The columns, in the order of the calls. */
  readonly calls: readonly CallColumn[];
  readonly compactions: readonly DrawnCompaction[];
  /** The list prices used for costs. */
  readonly prices: PriceTable;
  /** Problems with the data, as sentences for the user. */
  readonly problems: readonly string[];
}

/** One model call, and the state of each entry in its view. */
export interface CallColumn {
  readonly id: string;
  readonly label: string;
  /** The agent whose prompt it was. */
  readonly agent?: Agent | undefined;
  readonly model?: string | undefined;
  readonly atMs?: number | undefined;
  readonly decisions: readonly DrawnDecision[];
  /** Runs of neighboring rows with the same decision, in row order. A row without a run was not in the view. */
  readonly runs: readonly CellRun[];
  /** The replacement text of shortened, cleared or cleaned entries. */
  readonly edits: readonly DrawnEdit[];
  /** Tokens of the prompt, excluding output reserve and margin. */
  readonly totalTokens: number;
  /** The room for the prompt in the window. Missing if unknown or unlimited. */
  readonly windowTokens?: number | undefined;
  readonly usage?: CallUsage | undefined;
  /** At list price; missing if usage or price is unknown. */
  readonly costUsd?: number | undefined;
  /** The difference to the previous request. Missing for the first call of an agent. */
  readonly change?: RequestChange | undefined;
  /** The state of reasoning blocks. Missing if the model's family does not bind reasoning. */
  readonly reasoning?: Pick<PlannedReasoning, "valid" | "leftOut" | "givenUp"> | undefined;
  /** The repairs by row, with the name of the wire rule, else the kind of repair. */
  readonly repairs?: readonly (readonly [row: number, what: string])[] | undefined;
  /** The input of the fit, to repeat it. Missing for a recorded session, which had no fit. */
  readonly request?: DrawnRequest | undefined;
}

/** First row, number of rows, and index into `decisions`. */
export type CellRun = readonly [row: number, rows: number, decision: number];

/**
 * The state of an entry: `kept` whole, `shrunk`, `cleared` (a line names what was there), `summarized`, `dropped`, `recalled` (dropped but quoted),
 * `repaired` (removed before the fit because it was invalid).
 */
export type CellState = (typeof CELL_STATES)[number];

export const CELL_STATES = [
  "kept",
  "shrunk",
  "cleared",
  "summarized",
  "dropped",
  "recalled",
  "repaired",
] as const;

/** A decision about a run of entries. */
export interface DrawnDecision {
  readonly state: CellState;
  readonly step: string;
  readonly reason: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Set if `tokensBefore` is an estimate. */
  readonly isEstimated?: true | undefined;
  /** Why the entry is sent without its reasoning. Missing if all of it is sent. */
  readonly withoutReasoning?: LeftOutReason | undefined;
}

/** The replacement of an entry in a prompt. */
export interface DrawnEdit {
  readonly row: number;
  readonly text: string;
  readonly tokens: number;
}

/** The input of a fit. */
export interface DrawnRequest {
  readonly window: PlannedWindow;
  readonly view: HistoryView;
  readonly viewer?: Viewer | undefined;
  /** Tokens of the request without its entries. */
  readonly requestTokens: number;
  /** Rows whose tokens for this viewer differ from `tokens`, with their tokens. */
  readonly counts?: readonly (readonly [row: number, tokens: number])[] | undefined;
}

/** The difference between a request and the previous one of the same agent and purpose. */
export interface RequestChange {
  /** The index of the previous call in `calls`. */
  readonly against: number;
  /** Tokens of the shared prefix, which a provider may read from its cache. From `usage` if `isMeasured`. */
  readonly sameTokens: number;
  readonly previousTokens: number;
  /** Set if `sameTokens` are the cache reads that the provider reported. */
  readonly isMeasured?: true | undefined;
  /** The first differing row. Missing if the request only appends, or if the log does not show it. */
  readonly firstRow?: number | undefined;
  /** What happened there, as text for the user. */
  readonly what: string;
  /** The reasons given by the plan, the log or the provider. */
  readonly reasons: readonly string[];
  /** How it could have been avoided, as text for the user. Missing if it could not, or if that is unknown. */
  readonly avoid?: string | undefined;
  /** Tokens of the previous prompt that were sent again at full price; at most those that this request did not read from the cache. 0 if the request only appends. */
  readonly sentAgainTokens: number;
  /** The extra cost of that over reading from the cache; missing if the model has no price. */
  readonly costUsd?: number | undefined;
}

/** A summary and the rows that it replaces. */
export interface DrawnCompaction {
  /** The row of the summary. */
  readonly row: number;
  /** The covered rows, as pairs of first row and count. */
  readonly covers: readonly (readonly [row: number, rows: number])[];
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly trigger?: string | undefined;
  /** Set if the provider encrypts the summary. */
  readonly isEncrypted?: true | undefined;
  /** The source of `facts`: those needed after the compaction, or those that the originals name. */
  readonly basis: "needed" | "named";
  readonly facts: readonly DrawnFact[];
}

/** A fact of the originals, and whether the summary contains it. */
export interface DrawnFact {
  readonly kind: "path" | "name" | "number" | "error";
  readonly text: string;
  readonly isKept: boolean;
}
