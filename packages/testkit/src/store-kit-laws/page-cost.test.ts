import type { HistoryEntry, HistoryQuery } from "@agent-history/core";
import { agentView } from "@agent-history/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { REGULAR, regularHistory } from "../../test-support/arbitrary-regular-history.ts";
import { expectedPage } from "../../test-support/arbitrary-thread.ts";
import type { PlainThread } from "../../test-support/arbitrary-thread.ts";
import { compactUsually } from "../../test-support/compact-usually.ts";
import { fakeThread } from "../../test-support/fake-store.ts";
import type { FakeThread } from "../../test-support/fake-store.ts";
import { lawRuns } from "../law-runs.ts";

const PAGE = { clauses: [{}], splitExchanges: true } as const;

describe("a page of the whole log that may split exchanges", () => {
  it("reads as many rows of the index, however far back it ends", () => {
    for (const size of [1, 10, 500]) {
      const { thread, model } = written(regularHistory({ ...REGULAR, entries: 6000 }), size);
      for (const position of [400, 3000, 5600]) {
        const query = { ...PAGE, maxEntries: 200, before: model.log[position]?.id ?? "" };
        const { result, fallback, cost } = thread.read({ query, originals: true });
        expect([fallback, result.entries.length]).toEqual([undefined, 200]);
        expect(cost.rows).toBeLessThan(128 + 240);
        expect(cost.rounds).toBeLessThanOrEqual(5);
      }
    }
  });

  it("has what selectEntries gives, wherever it ends and whatever was compacted", () => {
    const threads = [1, 7, 500].map((size) => {
      const { thread, model } = written(regularHistory({ ...REGULAR, entries: 2500 }), size);
      compactUsually(thread, model);
      return { thread, model };
    });
    const pages = fc.record({
      nth: fc.nat({ max: threads.length - 1 }),
      position: fc.nat({ max: 2499 }),
      after: fc.option(fc.nat({ max: 2499 })),
      maxEntries: fc.option(fc.integer({ min: 1, max: 900 })),
      maxTokens: fc.option(fc.integer({ min: 1, max: 20_000 })),
      view: fc.constantFrom(undefined, "thread", "conversation", agentView("worker 1")),
      clauses: fc.constantFrom<HistoryQuery["clauses"]>(
        [{}],
        [{ types: ["action", "observation", "note"] }],
        [{ types: ["thought", "user_message"] }, { lastTurns: { count: 20 } }],
      ),
      originals: fc.boolean(),
    });
    fc.assert(
      fc.property(pages, ({ nth, position, after, originals, ...rest }) => {
        const { thread, model } = threads[nth] ?? never();
        const bounds = { before: model.log[position]?.id, after: model.log[after ?? -1]?.id };
        const query = JSON.parse(JSON.stringify({ ...PAGE, ...rest, ...bounds }), dropNull);
        const expected = expectedPage(model, query, originals);
        if (typeof expected === "string") {
          const error = expect.objectContaining({ code: expected });
          expect(() => thread.read({ query, originals })).toThrow(error);
          return;
        }
        const { result } = thread.read({ query, originals });
        expect({ entries: result.entries, next: result.next }).toEqual(expected);
      }),
      { numRuns: lawRuns(60), endOnFailure: true },
    );
  });
});

function never(): never {
  throw new Error("Expected a thread.");
}

function dropNull(_key: string, value: unknown): unknown {
  return value ?? undefined;
}

function written(
  log: readonly HistoryEntry[],
  size: number,
): { readonly thread: FakeThread; readonly model: PlainThread } {
  const thread = fakeThread();
  for (let start = 0; start < log.length; start += size)
    thread.append(log.slice(start, start + size));
  return { thread, model: { log: [...log], overlays: [] } };
}
