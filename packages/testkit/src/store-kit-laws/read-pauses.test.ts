import { runProgramAsync } from "@agent-history/store-kit";
import type { StoreProgram } from "@agent-history/store-kit";
import { describe, expect, it } from "vitest";

import { REGULAR, regularHistory } from "../../test-support/arbitrary-regular-history.ts";
import { expectedPage } from "../../test-support/arbitrary-thread.ts";
import { fakeThread } from "../../test-support/fake-store.ts";

describe("readProgram on a long thread", () => {
  const log = regularHistory({ ...REGULAR, entries: 60_000 });
  const thread = fakeThread();
  for (let from = 0; from < log.length; from += 500) thread.append(log.slice(from, from + 500));

  it("lets other work run after each 10,000 of the references that it evaluates", () => {
    const agent = log.findLast(({ type }) => type === "action")?.agent?.id ?? "";
    const query = { clauses: [{ agent }] };
    const { result, fallback, cost } = thread.read({ query });
    expect(fallback).toBe(undefined);
    expect({ entries: result.entries, next: result.next }).toEqual(
      expectedPage({ log: [...log], overlays: [] }, query, false),
    );
    const steps = Math.floor(result.entries.length / 10_000);
    expect(steps).toBeGreaterThan(0);
    // Merged, resolved, put in order (twice), numbered, judged and paired: each of these goes through all of them.
    expect(cost.pauses).toBeGreaterThanOrEqual(8 * steps);
  });

  it("makes no pause for a view of a few entries", () => {
    const { cost } = thread.read({ query: { clauses: [{}], maxEntries: 20 } });
    expect(cost.pauses).toBe(0);
  });
});

describe("runProgramAsync", () => {
  it("ends a program at a pause where the signal fires", async () => {
    const controller = new AbortController();
    let pauses = 0;
    function* endless(): StoreProgram<never> {
      for (;;) {
        pauses += 1;
        if (pauses === 3) controller.abort();
        yield [];
      }
    }
    const run = runProgramAsync(endless(), async () => [], controller.signal);
    await expect(run).rejects.toMatchObject({ code: "ABORTED" });
    expect(pauses).toBe(3);
  });
});
