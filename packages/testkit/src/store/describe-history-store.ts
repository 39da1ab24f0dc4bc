import { countOption } from "@agent-history/core";
import { describe } from "vitest";

import { lawRuns } from "../law-runs.ts";
import { describeAppends } from "./internal/describe-appends.ts";
import { describeConcurrency } from "./internal/describe-concurrency.ts";
import { describeEntries } from "./internal/describe-entries.ts";
import { describeErasure } from "./internal/describe-erasure.ts";
import { describeForks } from "./internal/describe-forks.ts";
import { describeHandles } from "./internal/describe-handles.ts";
import { describeLimits } from "./internal/describe-limits.ts";
import { describeListing } from "./internal/describe-listing.ts";
import { describeMoves } from "./internal/describe-moves.ts";
import { describeOddTexts } from "./internal/describe-odd-texts.ts";
import { describeRandomLogs } from "./internal/describe-random-logs.ts";
import { describeReads } from "./internal/describe-reads.ts";
import { describeReplacements } from "./internal/describe-replacements.ts";
import { describeState } from "./internal/describe-state.ts";
import { storeTest } from "./internal/store-test.ts";
import type { OpenHistoryStore, StoreSuiteOptions } from "./store-suite-options.ts";

/**
 * Declares the tests that every {@link HistoryStore} passes, for vitest. None can be left out, but the long ones where the suite runs twice.
 *
 * It needs no server and no clock of its own, closes every handle that it opened, and removes no data: do that in an `afterAll` of yours. Each
 * test begins at a new place. It takes some seconds where a command takes tens of microseconds.
 *
 * @param name - What the store is called in the report.
 * @param open - Opens a handle on the data at a place.
 * @throws `HistoryError` with code `INVALID_OPTION` if `runs` is not a non-negative integer or `Infinity`.
 *
 * @example
 * ```ts no-run
 * import type { HistoryStore } from "@agent-history/core";
 * import { describeHistoryStore } from "@agent-history/testkit/store";
 *
 * declare function myStore(options: { readonly namespace: string }): HistoryStore;
 *
 * describeHistoryStore("myStore", (location) => myStore({ namespace: location }));
 * ```
 */
export function describeHistoryStore(
  name: string,
  open: OpenHistoryStore,
  options: StoreSuiteOptions = {},
): void {
  const runs = lawRuns(countOption("runs", options.runs ?? 30));
  const { hasLongTests = true } = options;
  const it = storeTest(open);
  // It ends what hangs, and says nothing about how fast a machine is.
  describe(`${name} as a HistoryStore`, { timeout: 1_800_000 }, () => {
    describeAppends(it);
    describeEntries(it, runs);
    describeLimits(it);
    describeOddTexts(it);
    describeReads(it);
    describeReplacements(it);
    describeForks(it);
    describeState(it);
    describeListing(it);
    describeHandles(it);
    describeConcurrency(it, runs);
    describeErasure(it);
    describeMoves(it, runs, hasLongTests);
    describeRandomLogs(it, runs);
  });
}
