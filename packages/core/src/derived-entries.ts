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
