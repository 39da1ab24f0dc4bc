import { describe, expect, it } from "vitest";

import { faultyStore } from "../test-support/faulty-store.ts";
import { BOSS, codeOf, managerOptions } from "../test-support/manager-options.ts";
import { createHistoryManager } from "./create-history-manager.ts";

describe("addUsage", () => {
  it("adds up what providers report, by agent, and is kept with the thread", async () => {
    const options = managerOptions();
    const history = createHistoryManager(options);
    expect(await history.usage()).not.toHaveProperty("provider");
    await history.addUsage({ inputTokens: 100, outputTokens: 10, cachedInputTokens: 80 });
    const boss = history.withScope({ agent: BOSS });
    await boss.addUsage({ inputTokens: 50, outputTokens: 5, reasoningTokens: 2 });
    await boss.addUsage({ outputTokens: 1, cacheWriteTokens: 7 });
    const { provider } = await createHistoryManager(options).usage();

    expect(provider).toEqual({
      calls: 3,
      inputTokens: 150,
      outputTokens: 16,
      cachedInputTokens: 80,
      cacheWriteTokens: 7,
      reasoningTokens: 2,
      byAgent: [
        expect.objectContaining({ calls: 1, inputTokens: 100 }),
        expect.objectContaining({ agentId: "boss", calls: 2, outputTokens: 6 }),
      ],
    });
    expect(JSON.parse(JSON.stringify(provider))).toEqual(provider);
  });

  it("counts one call once, by its id or where the answer was lost", async () => {
    const options = managerOptions();
    for (const kind of ["lost-before", "lost-after"] as const) {
      const faulty = faultyStore(options.store, { at: 1, count: 1, kind });
      const store = {
        ...options.store,
        setState: async (...call: Parameters<typeof faulty.setState>) => faulty.setState(...call),
      };
      await createHistoryManager({ ...options, store }).addUsage({ id: kind, inputTokens: 5 });
      await createHistoryManager(options).addUsage({ id: kind, inputTokens: 5 });
    }
    const { provider } = await createHistoryManager(options).usage();
    expect(provider).toMatchObject({ calls: 2, inputTokens: 10 });
  });

  it("refuses what is no count", async () => {
    const history = createHistoryManager(managerOptions());
    for (const inputTokens of [-1, 0.5, Number.NaN]) {
      expect(await codeOf(history.addUsage({ inputTokens }))).toBe("INVALID_OPTION");
    }
  });
});
