import type { HistoryStore } from "@agent-history/core";

/**
 * Opens the store that keeps its data at `location`: a file name, a namespace. Each test has a location of its own, a text of digits, small
 * letters and `-`. The same location opens another handle on the same data.
 */
export type OpenHistoryStore = (location: string) => HistoryStore | Promise<HistoryStore>;

/** How much the suite does. */
export interface StoreSuiteOptions {
  /** Runs of each property, from 1. Default 30; the environment variable `LAW_RUNS` multiplies it. */
  readonly runs?: number;
  /**
   * Whether tests run that send hundreds of commands. Default `true`. Pass `false` where the suite runs in full elsewhere: on another client of the same store,
   * or on a quicker server.
   */
  readonly hasLongTests?: boolean;
}
