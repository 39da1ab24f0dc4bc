import type { HistoryEntry } from "@agent-history/core";
import { checkHistory } from "@agent-history/core/check";
import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { loopScript } from "../test-support/loop-step.ts";
import type { LoopStep } from "../test-support/loop-step.ts";
import { managerOptions } from "../test-support/manager-options.ts";
import { prefixCompressor } from "../test-support/prefix-compressor.ts";
import { loopMemory, runStep } from "../test-support/run-step.ts";
import { TEST_STORES } from "../test-support/store-factories.ts";
import type { StorePlace } from "../test-support/store-factories.ts";
import { createHistoryManager } from "./create-history-manager.ts";

const RUNS = lawRuns(30);

describe.each(TEST_STORES)("a manager on %s", (_name, makeTestStore, share) => {
  it("goes on after a restart, at any step, exactly where the other stopped", async () => {
    await fc.assert(
      fc.asyncProperty(loopScript, fc.infiniteStream(fc.boolean()), async (script, restarts) => {
        const whole = await runScript(script, makeTestStore(), () => false);
        const broken = await runScript(script, makeTestStore(), () => restarts.next().value);
        expect(broken).toEqual(whole);
      }),
      { numRuns: Math.ceil(RUNS * share) },
    );
  });

  it("keeps the numbers of sources, and every entry once", async () => {
    await fc.assert(
      fc.asyncProperty(loopScript, async (script) => {
        const { log } = await runScript(script, makeTestStore(), () => true);
        expect(checkHistory(log).filter(({ law }) => law === "L6")).toEqual([]);
        expect(new Set(log.map(({ id }) => id)).size).toBe(log.length);
        expectOneNumberEach(log);
      }),
      { numRuns: Math.ceil(RUNS * share) },
    );
  });
});

describe("a session", () => {
  it("gives the same prompts on every store", async () => {
    await fc.assert(
      fc.asyncProperty(loopScript, async (script) => {
        const [first, ...others] = await Promise.all(
          TEST_STORES.map(async ([, makeTestStore]) =>
            runScript(script, makeTestStore(), () => false),
          ),
        );
        for (const other of others) expect(other).toEqual(first);
      }),
      { numRuns: Math.ceil(RUNS / 4) },
    );
  });
});

async function runScript(
  script: readonly LoopStep[],
  testStore: StorePlace,
  restartsNow: () => boolean,
): Promise<{ readonly given: readonly unknown[]; readonly log: readonly HistoryEntry[] }> {
  const options = managerOptions({ window: { contextTokens: 600 }, compressor: prefixCompressor });
  const open = (): ReturnType<typeof createHistoryManager> =>
    createHistoryManager({ ...options, store: testStore.open() });
  const memory = loopMemory();
  const given: unknown[] = [];
  let manager = open();
  for (const step of script) {
    memory.step += 1;
    given.push(await runStep(manager, step, memory));
    if (restartsNow()) manager = open();
  }
  const { entries: log } = await manager.read(undefined, { originals: true });
  await testStore.close();
  return { given, log };
}

function expectOneNumberEach(log: readonly HistoryEntry[]): void {
  const numbers = new Map<string, number>();
  for (const entry of log) {
    if (entry.type !== "observation" && entry.type !== "global_observation") continue;
    for (const { id, number } of entry.sources ?? []) {
      expect(numbers.get(id) ?? number).toBe(number);
      numbers.set(id, number);
    }
  }
}
