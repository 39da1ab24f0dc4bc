import type {
  Agent,
  EntryRun,
  HistoryEntry,
  HistoryView,
  LeftOutReason,
  PlannedReasoning,
  PlannedWindow,
  Viewer,
} from "@agent-history/core";
import type { CallUsage, PriceTable } from "@agent-history/transcripts";

/** What the page draws, as plain JSON: entries are rows, model calls are columns. */
export interface InspectorData {
  readonly version: 1;
  readonly title: string;
  /** The folder that a session worked in. */
  readonly project?: string | undefined;
  /** The rows: the log in its order, with the instructions and summaries that only prompts hold. */
  readonly entries: readonly HistoryEntry[];
  /** The tokens of each row. */
  readonly tokens: readonly number[];
  /** The counter that counted them. */
  readonly counterId: string;
  /** Set if the tokens of rows are estimates by length. */
  readonly isEstimated?: true | undefined;
  /** The columns, in the order in which the calls were made. */
  readonly calls: readonly CallColumn[];
  readonly compactions: readonly DrawnCompaction[];
  /** The list prices that costs are computed with. */
  readonly prices: PriceTable;
  /** What could not be drawn as it should, for a person. */
  readonly problems: readonly string[];
}

/** One model call: what became of each entry of its view. */
export interface CallColumn {
  readonly id: string;
  readonly label: string;
  /** Whose prompt it was. */
  readonly agent?: Agent | undefined;
  readonly model?: string | undefined;
  readonly atMs?: number | undefined;
  readonly decisions: readonly DrawnDecision[];
  /** Neighboring rows with one decision, in the order of rows. A row in no run was not in the view. */
  readonly runs: readonly CellRun[];
  /** What the prompt holds instead of an entry: shortened, cleared or cleaned. */
  readonly edits: readonly DrawnEdit[];
  /** Tokens of the prompt, without output reserve and margin. */
  readonly totalTokens: number;
  /** What the window leaves for the prompt. Missing where that is unknown or unlimited. */
  readonly windowTokens?: number | undefined;
  readonly usage?: CallUsage | undefined;
  /** At the list price; missing without usage or price. */
  readonly costUsd?: number | undefined;
  /** Missing for the first call of an agent. */
  readonly change?: RequestChange | undefined;
  /** What became of the reasoning. Missing where the model's family does not bind it. */
  readonly reasoning?: Pick<PlannedReasoning, "valid" | "leftOut" | "givenUp"> | undefined;
  /** What was repaired, and at which row; by the name of the wire rule, else of the repair. */
  readonly repairs?: readonly (readonly [row: number, what: string])[] | undefined;
  /** What the fit was asked, to ask it again. Missing for a recorded session, which had none. */
  readonly request?: DrawnRequest | undefined;
}

/** The first row, how many, and the place of their decision in `decisions`. */
export type CellRun = readonly [row: number, rows: number, decision: number];

/**
 * What became of an entry: `kept` whole, `shrunk`, `cleared` (a line says what was there), `summarized`, `dropped`, `recalled` (dropped and quoted),
 * `repaired` (taken out as broken before the fit).
 */
export type CellState =
  | "kept"
  | "shrunk"
  | "cleared"
  | "summarized"
  | "dropped"
  | "recalled"
  | "repaired";

/** A decision about a run of entries. */
export interface DrawnDecision {
  readonly state: CellState;
  readonly step: string;
  readonly reason: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Set if `tokensBefore` is an estimate. */
  readonly isEstimated?: true | undefined;
  /** Why it is sent without its reasoning. Missing where it has all of it. */
  readonly withoutReasoning?: LeftOutReason | undefined;
}

/** What a prompt holds instead of an entry. */
export interface DrawnEdit {
  readonly row: number;
  readonly text: string;
  readonly tokens: number;
}

/** What a fit was asked. */
export interface DrawnRequest {
  readonly window: PlannedWindow;
  readonly view: HistoryView;
  readonly viewer?: Viewer | undefined;
  /** Tokens of the request apart from its entries. */
  readonly requestTokens: number;
  /** The rows that count otherwise for this viewer than `tokens` says, and what they count. */
  readonly counts?: readonly (readonly [row: number, tokens: number])[] | undefined;
}

/** How a request differs from the one before it, of the same agent and purpose. */
export interface RequestChange {
  /** The place of that call in `calls`. */
  readonly against: number;
  /** Tokens at the beginning that are the same: what a provider may read from its cache. From `usage` where `isMeasured`. */
  readonly sameTokens: number;
  readonly previousTokens: number;
  /** Set if the provider reported `sameTokens` as read from its cache. */
  readonly isMeasured?: true | undefined;
  /** The row where the difference begins. Missing where the request only continues, and where the log does not say. */
  readonly firstRow?: number | undefined;
  /** What happened there, for a person. */
  readonly what: string;
  /** Why, as the plan, the log or the provider says. */
  readonly reasons: readonly string[];
  /** What would have avoided it, for a person. Missing where nothing would, or nobody knows. */
  readonly avoid?: string | undefined;
  /** Tokens of the previous prompt that were sent again at full price; at most what this request did not read from the cache. 0 where the request only continues. */
  readonly sentAgainTokens: number;
  /** What that cost beyond reading them from the cache; missing without a price. */
  readonly costUsd?: number | undefined;
}

/** A summary and what it stands for. */
export interface DrawnCompaction {
  /** The row of the summary. */
  readonly row: number;
  /** The rows that it covers, as first row and count. */
  readonly covers: readonly (readonly [row: number, rows: number])[];
  /** As the summary names them. */
  readonly runs: readonly EntryRun[];
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly trigger?: string | undefined;
  /** The provider keeps the summary to itself. */
  readonly isEncrypted?: true | undefined;
  /** Where the facts come from: what was needed after the compaction, or what the originals name. */
  readonly basis: "needed" | "named";
  readonly facts: readonly DrawnFact[];
}

/** A fact of the originals, and whether the summary holds it. */
export interface DrawnFact {
  readonly kind: "path" | "name" | "number" | "error";
  readonly text: string;
  readonly isKept: boolean;
}
