import type { Content } from "./content.ts";
import type { EntryBase } from "./entry-base.ts";
import type { HistoryView } from "./history-view.ts";

/** The authority of a derived text: that of its least trusted source. */
export type Trust = "system" | "user" | "tool";

/** Replaces compacted entries of one view, at the position of the first. */
export interface SummaryEntry extends EntryBase {
  readonly type: "summary";
  readonly content: Content;
  /** The strategy that made it; `provider` for a provider's own compaction item. */
  readonly strategy: string;
  /** Rendered as a user message; as a system message only if this is `system`. */
  readonly trust: Trust;
  /** The view that shows it. Without one it is part of the log. */
  readonly view?: HistoryView;
  /** The runs of entries that it replaces in that view. Missing on a provider's item, which replaces everything before it. */
  readonly covers?: readonly EntryRun[];
  /** The data that its text was written from; the next compaction merges it. Never rendered or counted. */
  readonly parts?: readonly SummaryPart[];
}

/** One statement of a summary. */
export interface SummaryPart {
  /** Which part of the summary it belongs to, for example `rule`, `task` or `file`. */
  readonly kind: string;
  /** What it is about. A later part replaces an earlier one of the same kind and key. */
  readonly key: string;
  readonly text: string;
  /** Its position in the history of the view: the larger, the later. From 0. */
  readonly at: number;
  /** Its state, for example `ok`, `failed`, `unknown`, `open` or `done`. */
  readonly state?: string;
  /** Related text, for example the answer to a request. */
  readonly note?: string;
}

/** Neighboring entries of a view, by the ids at both ends. */
export interface EntryRun {
  readonly from: string;
  readonly to: string;
}

/** Recalled from a memory outside the thread. */
export interface MemoryEntry extends EntryBase {
  readonly type: "memory";
  readonly content: Content;
  /** Default `user`. */
  readonly trust?: Trust;
}
