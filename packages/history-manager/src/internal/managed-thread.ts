import type { Reducer } from "@agent-history/core";

import type { HistoryManagerOptions } from "../history-manager-options.ts";
import type { KnownNumbers } from "./citation-numbers.ts";
import type { GivenEntries } from "./given-entries.ts";
import type { ViewCache } from "./read-view.ts";
import type { TurnStart } from "./write-entries.ts";

/**
 * State shared by all methods: one thread of a store, and this process's caches. Caches never change results, except
 * `given`, which recognizes an entry object that is passed again.
 */
export interface ManagedThread {
  readonly options: HistoryManagerOptions;
  readonly reducer: Reducer;
  /** Runs writes one after the other; a failed one does not stop the next. */
  readonly inOrder: <Result>(write: () => Promise<Result>) => Promise<Result>;
  readonly numbers: KnownNumbers;
  readonly views: ViewCache;
  readonly given: GivenEntries;
  /** Precondition of the first write of the turn in this scope. */
  readonly start?: TurnStart | undefined;
}
