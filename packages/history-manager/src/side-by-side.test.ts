import type { HistoryEntry } from "@agent-history/core";
import { checkHistory } from "@agent-history/core/check";
import { memoryStore } from "@agent-history/store-kit";
import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { intercept } from "../test-support/faulty-store.ts";
import { countingIds, managerOptions } from "../test-support/manager-options.ts";
import { createHistoryManager } from "./create-history-manager.ts";
import type { HistoryManager } from "./index.ts";

const RUNS = lawRuns(60);

/** For each manager, for each of its workers, the sources of each result. */
const work = fc.array(
  fc.array(
    fc.array(fc.array(fc.nat({ max: 8 }), { minLength: 1, maxLength: 3 }), { maxLength: 4 }),
    {
      maxLength: 3,
    },
  ),
  { minLength: 2, maxLength: 3 },
);

describe("managers side by side on one thread", () => {
  it("neither lose nor double nor renumber, however their calls interleave", async () => {
    await fc.assert(
      fc.asyncProperty(work, fc.scheduler(), async (managers, scheduler) => {
        const shared = memoryStore();
        const store = intercept(shared, async (verb, run) => {
          await scheduler.schedule(Promise.resolve(), verb);
          const result = await run();
          await scheduler.schedule(Promise.resolve(), `${verb} answered`);
          return result;
        });
        const all = managers.map(async (workers, index) => {
          const options = managerOptions({ store, ...countingIds(`m${index}`) });
          const history = createHistoryManager(options);
          return Promise.all(workers.map(async (results) => runWorker(history, results)));
        });
        const given = (await scheduler.waitFor(Promise.all(all))).flat(2);
        const { entries } = await shared.read("thread-1");

        expectSame(entries, given);
        expectSound(entries);
      }),
      { numRuns: RUNS },
    );
  });

  it("give prompts of their own, and the one plan that stands is one of theirs", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const shared = memoryStore();
        await createHistoryManager(managerOptions({ store: shared })).addUserMessage({
          content: "q",
        });
        const store = intercept(shared, async (verb, run) => {
          await scheduler.schedule(Promise.resolve(), verb);
          return run();
        });
        const ask = async (): Promise<unknown> => {
          const history = createHistoryManager(managerOptions({ store }));
          return (await history.historyForModelCall({ systemMessage: "s" })).entries;
        };
        const [first, second, third] = await scheduler.waitFor(Promise.all([ask(), ask(), ask()]));
        expect(second).toEqual(first);
        expect(third).toEqual(first);
      }),
      { numRuns: RUNS },
    );
  });
});

async function runWorker(
  history: HistoryManager,
  results: readonly (readonly number[])[],
): Promise<readonly HistoryEntry[]> {
  const given: HistoryEntry[] = [];
  for (const ids of results) {
    const call = { id: "call", name: "look", arguments: "{}" };
    const action = await history.addToolCalls({ toolCalls: [call] });
    const sources = ids.map((id) => ({ id: `doc-${id}`, text: "x" }));
    const answer = { callId: "call", toolName: "look", actionId: action.id, sources };
    given.push(action, ...(await history.addToolCallResults([answer])));
  }
  return given;
}

function expectSame(log: readonly HistoryEntry[], given: readonly HistoryEntry[]): void {
  const byId = (entries: readonly HistoryEntry[]): readonly HistoryEntry[] =>
    entries.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  expect(byId(log)).toMatchObject(byId(given));
}

function expectSound(log: readonly HistoryEntry[]): void {
  expect(checkHistory(log).filter(({ law }) => law === "L6")).toEqual([]);
  const sources = log.flatMap((entry) =>
    entry.type === "observation" ? (entry.sources ?? []) : [],
  );
  const pairs = new Set(sources.map(({ id, number }) => `${id} ${number}`));
  expect(new Set(sources.map(({ id }) => id)).size).toBe(pairs.size);
  expect(new Set(sources.map(({ number }) => number)).size).toBe(pairs.size);
}
