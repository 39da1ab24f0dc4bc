import { isHistoryError } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";
import { memoryStore } from "@agent-history/store-kit";
import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { faultyStore } from "../test-support/faulty-store.ts";
import type { FaultPlan } from "../test-support/faulty-store.ts";
import { loopScript } from "../test-support/loop-step.ts";
import type { LoopStep } from "../test-support/loop-step.ts";
import { managerOptions } from "../test-support/manager-options.ts";
import { prefixCompressor } from "../test-support/prefix-compressor.ts";
import { loopMemory, runStep } from "../test-support/run-step.ts";
import { createHistoryManager } from "./create-history-manager.ts";

const RUNS = lawRuns(50);

const faults: fc.Arbitrary<FaultPlan> = fc.record({
  at: fc.integer({ min: 1, max: 150 }),
  count: fc.integer({ min: 1, max: 4 }),
  kind: fc.constantFrom("not-sent", "lost-before", "lost-after"),
});

describe("a store that fails", () => {
  it("at any one call, in any way, leaves the manager usable and the thread as if nothing had been", async () => {
    await fc.assert(
      fc.asyncProperty(loopScript, faults, async (script, fault) => {
        const sound = await runScript(script, memoryStore());
        const failing = await runScript(script, faultyStore(memoryStore(), fault));
        expect(failing).toEqual(sound);
      }),
      { numRuns: RUNS },
    );
  });

  it("is not asked for ever", async () => {
    const store = memoryStore();
    const endless = faultyStore(store, { at: 1, count: Infinity, kind: "lost-before" });
    let appends = 0;
    const counted: HistoryStore = {
      ...endless,
      append: async (...call) => {
        appends += 1;
        return endless.append(...call);
      },
    };
    const history = createHistoryManager(managerOptions({ store: counted, maxRetries: 5 }));
    await expect(history.addMemory({ id: "m", content: "" })).rejects.toMatchObject({
      code: "OUTCOME_UNKNOWN",
      details: { entryIds: ["m"] },
    });
    expect(appends).toBe(6);
  });

  it("says that the outcome is unknown, also where the second try was not sent", async () => {
    const store = memoryStore();
    let tries = 0;
    const lost: HistoryStore = {
      ...store,
      append: async (...call) => {
        tries += 1;
        const kind = tries === 1 ? "lost-after" : "not-sent";
        return faultyStore(store, { at: 1, count: 1, kind }).append(...call);
      },
    };
    const history = createHistoryManager(managerOptions({ store: lost }));
    await expect(history.addMemory({ content: "" })).rejects.toMatchObject({
      code: "OUTCOME_UNKNOWN",
    });
    expect(tries).toBe(3);
  });

  it("and refuses the same version again and again, is told of, not waited for", async () => {
    const store = memoryStore();
    const stubborn: HistoryStore = {
      ...store,
      append: async (threadId, entries, options) =>
        store.append(threadId, entries, { ...options, expectedVersion: 99 }),
    };
    const history = createHistoryManager(managerOptions({ store: stubborn }));
    const sources = [{ id: "a", text: "a" }];
    const added = history.addGlobalObservation({ content: "", sources });
    await expect(added).rejects.toMatchObject({ code: "VERSION_CONFLICT" });
  });
});

async function runScript(script: readonly LoopStep[], store: HistoryStore): Promise<unknown> {
  const manager = createHistoryManager(
    managerOptions({
      store,
      now: () => 0,
      window: { contextTokens: 600 },
      compressor: prefixCompressor,
    }),
  );
  const memory = loopMemory();
  const given: unknown[] = [];
  for (const step of script) {
    memory.step += 1;
    given.push(withoutContinuation(await untilDone(async () => runStep(manager, step, memory))));
  }
  const log = await untilDone(async () => manager.read(undefined, { originals: true }));
  return { given, log: log.entries, version: log.version };
}

/** Does what a loop does after a failure: the same again, with the same ids. */
async function untilDone<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      const isFault =
        isHistoryError(error, "STORE_UNAVAILABLE") || isHistoryError(error, "OUTCOME_UNKNOWN");
      if (!isFault || tries >= 10) throw error;
    }
  }
}

/** A call that is made again goes on from itself. */
function withoutContinuation(given: unknown): unknown {
  if (typeof given !== "object" || given === null || !("counts" in given)) return given;
  const { counts, ...rest } = given;
  if (!("plan" in rest) || typeof rest.plan !== "object") return rest;
  const { continued, ...plan } = { continued: undefined, ...rest.plan };
  return { ...rest, plan };
}
