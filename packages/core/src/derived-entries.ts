import type { Content } from "./content.ts";
import type { EntryBase } from "./entry-base.ts";
import type { HistoryView } from "./history-view.ts";

/** The authority of what a text was made from: the least trusted of its sources. */
export type Trust = "system" | "user" | "tool";

/** What stands for compacted entries of one view, at the place of the first. */
export interface SummaryEntry extends EntryBase {
  readonly type: "summary";
  readonly content: Content;
  /** The strategy that made it; `provider` for a provider's own compaction item. */
  readonly strategy: string;
  /** It reads as a user's message, and as a system message only where this says `system`. */
  readonly trust: Trust;
  /** The view that it stands in; without one it is part of the log and stands where it is. */
  readonly view?: HistoryView;
  /** The runs of that view's entries it stands for. Missing on a provider's item: it stands for all before it. */
  readonly covers?: readonly EntryRun[];
  /** What its text was written from, as data: the next compaction merges it. Never rendered, and not counted. */
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
  /** How it stands, for example `ok`, `failed`, `unknown`, `open` or `done`. */
  readonly state?: string;
  /** What belongs to it, for example the answer to a request. */
  readonly note?: string;
}

/** Neighboring entries of a view, by the ids at both ends. */
export interface EntryRun {
  readonly from: string;
  readonly to: string;
}

/** What was recalled from a memory outside the thread. */
export interface MemoryEntry extends EntryBase {
  readonly type: "memory";
  readonly content: Content;
  /** Default `user`. */
  readonly trust?: Trust;
}
