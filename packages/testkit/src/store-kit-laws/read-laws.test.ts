import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  arbitraryLog,
  arbitraryThread,
  expectedPage,
  queriesOf,
} from "../../test-support/arbitrary-thread.ts";
import { fakeThread } from "../../test-support/fake-store.ts";
import { arbitraryQuery } from "../arbitrary-query.ts";
import { lawRuns } from "../law-runs.ts";

const runs = (usual: number): { numRuns: number } => ({ numRuns: lawRuns(usual) });

describe("readProgram", () => {
  it("gives what selectEntries gives of the whole log and the summaries of its view", () => {
    fc.assert(
      fc.property(arbitraryThread(), ({ steps, queries, forkAt }) => {
        const thread = fakeThread();
        const model = steps(thread);
        for (const query of queriesOf(model, queries)) {
          for (const originals of [false, true]) {
            expectSamePage(thread, model, query, originals);
          }
        }
        const fork = forkAt(thread, model);
        if (fork === undefined) return;
        for (const query of queriesOf(fork.model, queries)) {
          expectSamePage(fork.thread, fork.model, query, false);
        }
      }),
      runs(30),
    );
  });
});

describe("readProgram beside writers", () => {
  it("gives what one version of the thread shows, and says which", () => {
    const plan = arbitraryLog().chain((entries) =>
      fc.record({
        entries: fc.constant(entries),
        size: fc.integer({ min: 1, max: 5 }),
        when: fc.constantFrom("afterRound", "afterAnswer"),
        query: arbitraryQuery(entries),
      }),
    );
    fc.assert(
      fc.property(plan, ({ entries, size, when, query: { after: _, before: __, ...query } }) => {
        const thread = fakeThread();
        let written = 0;
        const writeOn = (count: number): void => {
          const batch = entries.slice(written, written + count);
          if (batch.length > 0) thread.append(batch);
          written += batch.length;
        };
        writeOn(Math.ceil(entries.length / 2));
        const { result } = thread.read({ query, [when]: () => writeOn(size) });
        const model = { log: entries.slice(0, result.version), overlays: [] };
        expect({ entries: result.entries, next: result.next }).toEqual(
          expectedPage(model, query, false),
        );
      }),
      runs(30),
    );
  });
});

function expectSamePage(
  thread: ReturnType<typeof fakeThread>,
  model: Parameters<typeof expectedPage>[0],
  query: Parameters<typeof expectedPage>[1],
  originals: boolean,
): void {
  const expected = expectedPage(model, query, originals);
  let actual: unknown;
  try {
    const { result } = thread.read({ query, originals });
    actual = { entries: result.entries, next: result.next };
    expect(result.problems).toEqual([]);
  } catch (error) {
    actual = error instanceof Error && "code" in error ? error.code : error;
  }
  expect(actual).toEqual(expected);
}
