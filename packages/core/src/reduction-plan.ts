import type { SummaryEntry } from "./history-entry.ts";
import type { HistoryView } from "./history-view.ts";
import type { Viewer } from "./message-role.ts";
import type { Repair } from "./repair-history.ts";

/** A model's context window in tokens, and its other limits on a request. */
export interface ModelWindow {
  /** Everything: prompt and answer. */
  readonly contextTokens: number;
  /** Kept free for the answer. Default 0. */
  readonly outputReserveTokens?: number;
  /** Kept free for what the counter may miss. Default 0. */
  readonly marginTokens?: number;
  /** Bytes of the request's body: its messages and tools. Default: no limit. */
  readonly maxBytes?: number;
  /** Images in one request. Default: no limit. */
  readonly maxImages?: number;
  /** The longest side of an image, in pixels. Default: no limit. */
  readonly maxImagePixels?: number;
  /** The longest side, in pixels, in a request of more images than `above`. Default: `maxImagePixels`. */
  readonly manyImages?: { readonly above: number; readonly maxImagePixels: number };
  /** How the model's family binds reasoning to what precedes it. Default: it does not. */
  readonly reasoning?: ReasoningRule;
}

/** How a model family treats reasoning (thinking blocks, reasoning items) whose prefix has changed. */
export interface ReasoningRule {
  /** `refuse`: the provider refuses the request. `drop`: it ignores the reasoning without an error. */
  readonly binds: "refuse" | "drop";
  /** Who can read it: the model by its name, with your account's if you use several. Reasoning of a plan for another reader is not sent. */
  readonly reader: string;
}

/** A {@link ModelWindow} as plain JSON, in which no number is infinite. */
export interface PlannedWindow extends Omit<ModelWindow, "contextTokens"> {
  /** Missing where there is no limit. */
  readonly contextTokens?: number;
}

/**
 * What a reduction decided, as plain JSON: the explanation, the dry run, and the input of the next call.
 *
 * A plan identifies the entries that it keeps by their content, and those that it dropped by their count and the ids at the ends of each run. It
 * holds everything that its counts depend on, and a checksum, so that the next call follows it only as far as it still applies.
 *
 * Laws: each entry that went in (repaired, where it was broken) is covered by exactly one decision, in order; the tokens after of
 * the decisions, the tokens of `head` and `recalls`, and `requestTokens` add up to `totalTokens` (L9).
 */
export interface ReductionPlan {
  readonly counterId: string;
  /** Set where all token counts are estimates, as the tokenizer of the model is not known. */
  readonly estimated?: true;
  readonly window: PlannedWindow;
  readonly view: HistoryView;
  /** Whose prompt it is. Missing for a program that is not an agent of the thread. */
  readonly viewer?: Viewer;
  /** Repairs made before the decisions, which are about the repaired history. */
  readonly repairs: readonly Repair[];
  /** Index where reading and repairing began. Before it, only entries that may not be dropped were read. */
  readonly repairedFrom: number;
  /** In the order of the entries. */
  readonly decisions: readonly Decision[];
  /** Quoted at the beginning of the prompt since the last cut. */
  readonly head?: PlannedRecall;
  /** Recall blocks before questions, in the order of the prompt. Missing without any. */
  readonly recalls?: readonly PlannedRecall[];
  /** Index of the first entry whose exchange may still grow; everything before it is settled. */
  readonly settledUntil: number;
  /** Tokens of the request apart from its entries: primer and tool schemas. */
  readonly requestTokens: number;
  /** Tokens of the whole request as planned, without output reserve and margin. */
  readonly totalTokens: number;
  /** Bytes of the messages, instructions and tools of the request's body: exactly what their format writes, or if that is not known, media exactly and the rest at most a third too much. */
  readonly totalBytes: number;
  readonly totalImages: number;
  /** The longest side among its images of known size, in pixels. Missing without any. */
  readonly longestSidePixels?: number;
  /** How many images and files count by an estimate, as nothing says how large they are, and their tokens. Missing without any. */
  readonly estimatedMedia?: { readonly count: number; readonly tokens: number };
  /** What became of the reasoning of the history. Missing where the window has no rule for it. */
  readonly reasoning?: PlannedReasoning;
  /** What the provider summarized: the decisions are about the history with the summary in its place. Missing without a compaction. */
  readonly compaction?: PlannedCompaction;
  /** What steps could not do at the last cut, and why, for example a compressor that failed. */
  readonly skipped?: readonly SkippedStep[];
  /** How far the previous plan was followed. Missing without a previous plan. */
  readonly continued?: PlanContinuation;
  /** The name of the hash that identifies contents: `CONTENT_HASH` of the release that made the plan. */
  readonly hash: string;
  /**
   * The content hash of each entry that is kept or edited, in order, then of each that `head` and `recalls` quote; `=` and its name where
   * `contentName` gave one.
   */
  readonly hashes: readonly string[];
  /** Hash of all but `continued`, `hashes` and itself; detects a damaged or changed plan. Empty with `contentName`. */
  readonly checksum: string;
}

/**
 * A recall block: old entries quoted word for word in one `memory` entry. It is no entry of the log: `applyPlan` builds it from the originals,
 * the same bytes each time; an entry that was erased is left out of it.
 */
export interface PlannedRecall {
  /** The id of the `memory` entry. */
  readonly id: string;
  /** The id of the kept entry before which it stands. */
  readonly before: string;
  /** The ids of the entries that it quotes, in the order of the log. */
  readonly quotes: readonly string[];
  /** Indexes of these when it was planned, then that of `before`: tried first, to avoid a search. */
  readonly indexes?: readonly number[];
  /** Tokens of the `memory` entry. */
  readonly tokens: number;
  /** The format of the quotes, by the name that the release which made the plan gave it. */
  readonly format: string;
}

/** A provider's compaction. The log keeps the originals: without the plan they are sent again. */
export interface PlannedCompaction {
  /** The provider's summary, as its format reads it. */
  readonly summary: SummaryEntry;
  /** The ids of the first and the last entry that it replaces. */
  readonly from: string;
  readonly to: string;
  /** Index of the first when it was planned, and their number: tried first, to avoid a search. */
  readonly index: number;
  readonly entryCount: number;
}

/** Reasoning: how many blocks, and their tokens. */
export interface ReasoningCount {
  readonly blocks: number;
  readonly tokens: number;
}

/** Why an entry is sent without its reasoning: `room` was made, the `prefix` before it has changed, or it has another `reader`. */
export type LeftOutReason = "room" | "prefix" | "reader";

/** What happened to the reasoning of a history, for a model family that binds it to its prefix. */
export interface PlannedReasoning {
  /** In the request, each block after the prefix that it was made under. */
  readonly valid: ReasoningCount;
  /** Left out of entries that are in the request. */
  readonly leftOut: readonly (ReasoningCount & { readonly reason: LeftOutReason })[];
  /** Dropped or summarized with its entry, by this plan and those that it continues. */
  readonly givenUp: ReasoningCount;
  /** Hash of the request's tools, which precede all reasoning. */
  readonly tools: string;
}

/** Something that a step could not do, and why. */
export interface SkippedStep {
  readonly step: string;
  /** For a person, without text of the conversation. */
  readonly reason: string;
}

/** How far a plan continues the previous one, and why no further. */
export interface PlanContinuation {
  /** Number of first entries with the same decisions as before; the kept ones are an unchanged prefix of the prompt. */
  readonly entryCount: number;
  /** Why no further. Missing if all of the previous plan still applies. */
  readonly stoppedBy?: StoppedBy;
}

/**
 * Why a plan does not continue the previous one, or not all of it.
 *
 * - `change` an entry that it keeps was edited, inserted, deleted or moved; it was followed up to there
 * - `cut` the window was full, or a new result was too large: room was made
 * - `dropped-needed` what it dropped must be shown: the question, the newest entry, a running exchange, the last answer of a turn that ended, a pinned entry that `recheck` found
 * - `counter`, `window`, `view`, `viewer` it was made for a different one
 * - `request` the tokens of the request apart from its entries changed: other tools
 * - `pairing` calls and results do not pair as they did
 * - `duplicate-id` a new entry has the id of a kept one, or two new ones share an id
 * - `damaged` its checksum or its totals are wrong, or another release made it
 * - `recall` it quotes old entries, and this call quotes none
 */
export type StoppedBy =
  | "change"
  | "cut"
  | "dropped-needed"
  | "counter"
  | "window"
  | "view"
  | "viewer"
  | "request"
  | "pairing"
  | "duplicate-id"
  | "damaged"
  | "recall";

/** One decision about a run of neighboring entries: one action, one step, one reason. */
export interface Decision {
  /** Id of the first entry of the run. */
  readonly from: string;
  /** Id of the last entry of the run. */
  readonly to: string;
  readonly entryCount: number;
  readonly action: DecisionAction;
  /** The step that proposed it. */
  readonly step: string;
  /** A sentence for a person, without text of the conversation. */
  readonly reason: string;
  /** Tokens of the original run. */
  readonly tokensBefore: number;
  /** Tokens of the run after the decision. */
  readonly tokensAfter: number;
  /** Set if the run was dropped or shortened without counting it: `tokensBefore` is an estimate. */
  readonly estimated?: true;
}

/** The action of a decision, with all data that it needs: applying a plan calls no model, scorer or counter. */
export type DecisionAction =
  | { readonly kind: "keep" }
  | { readonly kind: "drop" }
  | { readonly kind: "edit"; readonly edit: EntryEdit }
  | { readonly kind: "summarize"; readonly summary: SummaryEntry };

/** How an entry is truncated. One edit may combine several aspects. */
export interface EntryEdit {
  /** Images and files become a line of text that says what was there. */
  readonly stubMedia?: true;
  /** The numbers of the sources that stay. */
  readonly sources?: readonly number[];
  /** Text keeps this many UTF-16 code units of its head and its tail around one marker; JSON stays JSON. Of a result, as many sources as fit beside its content, the first ones. */
  readonly text?: { readonly head: number; readonly tail: number };
  /** The content becomes a line that says how large it was, or this line. */
  readonly clear?: true | string;
  /** The arguments of an action's calls become a line that says how large they were, in JSON where they are JSON. */
  readonly clearArguments?: true;
  /** The entry is sent without its reasoning, for this reason. */
  readonly withoutReasoning?: LeftOutReason;
}
