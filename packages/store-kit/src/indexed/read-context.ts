import type { HistoryQuery } from "@agent-history/core";

import type { ReadPlan } from "./plan-read.ts";
import type { ThreadHead } from "./thread-head.ts";
import type { ViewState } from "./view-state.ts";

/** What a read has found out before it reads streams. */
export interface ReadContext {
  readonly query: HistoryQuery;
  readonly plan: ReadPlan;
  readonly head: ThreadHead;
  /** Missing for a view without summaries. */
  readonly state: ViewState | undefined;
  readonly range: ReadRange;
  /** Of the entries that the query names. */
  readonly positions: ReadonlyMap<string, number>;
}

/** Between which positions a read shows entries. */
export interface ReadRange {
  /** Only what comes after it; -1 for all. */
  readonly after: number;
  /** Only what comes before it; `Infinity` for all. */
  readonly before: number;
}
