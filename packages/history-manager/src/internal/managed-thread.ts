import type { Reducer } from "@agent-history/core";

import type { HistoryManagerOptions } from "../history-manager-options.ts";
import type { KnownNumbers } from "./citation-numbers.ts";
import type { GivenEntries } from "./given-entries.ts";
import type { ViewCache } from "./read-view.ts";
import type { TurnStart } from "./write-entries.ts";

/**
 * What all verbs work on: one thread of a store, and what this process remembers of it. Nothing that is remembered decides anything, but
 * for `given`: that an entry object comes again. Made again, all else is the same.
 */
export interface ManagedThread {
  readonly options: HistoryManagerOptions;
  readonly reducer: Reducer;
  /** Does one write after the other; one that fails holds up none. */
  readonly inOrder: <Result>(write: () => Promise<Result>) => Promise<Result>;
  readonly numbers: KnownNumbers;
  readonly views: ViewCache;
  readonly given: GivenEntries;
  /** What the first write of the turn in this scope expects. */
  readonly start?: TurnStart | undefined;
}
