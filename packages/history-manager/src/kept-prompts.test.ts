import { assistantMessage, userMessage } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { memoryStore } from "@agent-history/store-kit";
import { describe, expect, it } from "vitest";

import { faultyStore } from "../test-support/faulty-store.ts";
import { managerOptions } from "../test-support/manager-options.ts";
import { createHistoryManager } from "./create-history-manager.ts";
import type { HistoryManagerOptions } from "./index.ts";

const CALL = { systemMessage: "You answer." };
const THREAD = "thread-1";
const SLOT = "history-manager/prompt:[null,null,null]";
const WINDOW = { contextTokens: 600 };

function turns(count: number): readonly HistoryEntry[] {
  return Array.from({ length: count }, (_, turn) => [
    userMessage({ id: `u${turn}`, createdAtMs: 1, content: `Question number ${turn}` }),
    assistantMessage({ id: `a${turn}`, createdAtMs: 1, content: `Answer number ${turn}` }),
  ]).flat();
}

/** A manager that went on for some turns. */
async function wentOn(given: Partial<HistoryManagerOptions> = {}) {
  const stored = memoryStore();
  await stored.append(THREAD, turns(60));
  const options = managerOptions({ store: stored, window: WINDOW, ...given });
  const history = createHistoryManager(options);
  await history.historyForModelCall(CALL);
  const ask = async () => {
    return history.historyForModelCall(CALL);
  };
  // The first makes room, so that those to come only add.
  for (const content of ["And?", "Where?", "When?"]) {
    await history.addUserMessage({ content });
    await ask();
  }
  return { stored, history, options, ask };
}

describe("a plan that this process kept last", () => {
  it("is not continued where another process kept one meanwhile: that one is", async () => {
    const { stored, options, history, ask } = await wentOn();
    const elsewhere = createHistoryManager({ ...options, store: stored });
    await elsewhere.addAssistantMessage({ content: "So." });
    await elsewhere.historyForModelCall({ systemMessage: "You answer briefly." });
    await history.addUserMessage({ content: "Why?" });
    // It is the plan of other instructions.
    expect((await ask()).plan.continued).toMatchObject({ stoppedBy: "change" });
    await history.addAssistantMessage({ content: "Because." });
    expect((await ask()).counts.isContinued).toBe(true);
  });

  it("stands where two processes make a prompt at once: both prompts are valid, and the first plan is kept", async () => {
    const { options, history } = await wentOn();
    await history.addUserMessage({ content: "Why?" });
    const managers = [1, 2, 3].map(() => createHistoryManager(options));
    const made = await Promise.all(managers.map(async (one) => one.historyForModelCall(CALL)));
    for (const { entries, plan } of made) {
      expect(entries.at(-1)?.content).toBe("Why?");
      expect(plan.totalTokens).toBeLessThanOrEqual(WINDOW.contextTokens);
    }
    await history.addAssistantMessage({ content: "Because." });
    expect((await history.historyForModelCall(CALL)).counts.isContinued).toBe(true);
  });

  it("is kept once more, or taken as it is, where the answer of its write was lost", async () => {
    for (const kind of ["lost-before", "lost-after"] as const) {
      const { stored, options, history } = await wentOn();
      await history.addAssistantMessage({ content: "So." });
      const faulty = createHistoryManager({
        ...options,
        store: faultyStore(stored, { at: 4, count: 1, kind }),
      });
      await faulty.historyForModelCall(CALL);
      await faulty.addUserMessage({ content: "Why?" });
      const made = await faulty.historyForModelCall(CALL);
      const kept = await stored.getState(THREAD, SLOT);
      expect(JSON.stringify(kept?.value)).toContain(made.plan.decisions.at(-1)?.to);
    }
  });
});
