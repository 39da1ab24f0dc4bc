import { createReducer } from "@agent-history/reducer";
import { memoryStore } from "@agent-history/store-kit";
import { tiktokenCounter } from "@agent-history/tokens";
import { describe, expect, it } from "vitest";

import { createHistory } from "./create-history.ts";

const systemMessage = "You answer.";

describe("createHistory", () => {
  it("counts by the model, recalls what it drops, and takes away what was added for users", async () => {
    const history = createHistory({
      model: "gpt-5",
      window: { contextTokens: 500, outputReserveTokens: 100 },
      store: memoryStore(),
      threadId: "chat-1",
    });
    await history.addUserMessage({ content: "My passport number is X4711." });
    await history.addAssistantMessage({ content: "Noted." });
    for (let index = 0; index < 15; index++) {
      await history.addUserMessage({ content: `Tell me of town ${index}.` });
      const said = `Town ${index} lies at a river and has a market. `.repeat(5);
      const added = "<follow-up-question>More?</follow-up-question>";
      await history.addAssistantMessage({ content: said + added });
      const { plan } = await history.historyForModelCall({ systemMessage });
      expect(plan.totalTokens).toBeLessThanOrEqual(400);
    }
    await history.addUserMessage({ content: "What is my passport number?" });

    const { entries } = await history.historyForModelCall({ systemMessage });
    const text = JSON.stringify(entries);
    expect(text).toContain("X4711");
    expect(text).not.toContain("More?");
  });

  it("shows each role its own, and summarizes on demand without a model", async () => {
    const history = createHistory({ model: "gpt-5", store: memoryStore(), threadId: "team-1" });
    const turn = history.beginTurn();
    await turn.addUserMessage({ content: "Which is older?" });
    const boss = turn.withScope({ agent: { id: "boss", role: "orchestrator" } });
    const agent = { id: "w1", role: "worker" } as const;
    const worker = boss.forTask(await boss.delegate({ content: "Find both years.", agent }));

    const { entries } = await worker.historyForModelCall({ systemMessage });
    expect(entries.map(({ type }) => type)).toEqual(["system_message", "task"]);
    for (let index = 0; index < 20; index++) {
      await turn.addAssistantMessage({ content: `The year ${index} was long ago. `.repeat(20) });
    }
    expect((await turn.compress()).outcome).toBe("compressed");
  });

  it("shows a lead that leads workers itself its plan, their reports and syntheses of this turn", async () => {
    const history = createHistory({ model: "gpt-5", store: memoryStore(), threadId: "team-2" });
    const lead = { id: "boss", role: "orchestrator" } as const;
    const agent = { id: "w1", role: "worker" } as const;
    const boss = history.beginTurn().withScope({ agent: lead });
    await boss.addUserMessage({ content: "Which is older?" });
    await boss.addPlan({ content: "Ask for both years." });
    const worker = boss.forTask(await boss.delegate({ content: "Find both years.", agent }));
    await worker.addToolCalls({ toolCalls: [{ id: "c", name: "look", arguments: "{}" }] });
    await worker.addToolCallResults([{ callId: "c", toolName: "look", content: "1901, 1899" }]);
    await worker.addFinal({ content: "1901 and 1899." });
    await boss.addSynthesis({ phaseId: "look", content: "The second is older." });

    const { entries } = await boss.historyForModelCall({ systemMessage });
    expect(entries.map(({ type }) => type)).toEqual([
      "system_message",
      "user_message",
      "strategic_plan",
      "delegation",
      "final",
      "synthesis",
    ]);
    await boss.addAssistantMessage({ content: "The second." });
    const next = history.beginTurn().withScope({ agent: lead });
    await next.addUserMessage({ content: "Sure?" });
    const later = await next.historyForModelCall({ systemMessage });
    expect(later.entries.map(({ content }) => content)).toEqual([
      systemMessage,
      "Which is older?",
      "The second.",
      "Sure?",
    ]);
  });

  it("takes any part in place of its own", async () => {
    const counter = tiktokenCounter({ encoding: "o200k_base" });
    const reduced: number[] = [];
    const base = createReducer({ counter });
    const history = createHistory({
      store: memoryStore(),
      threadId: "chat-1",
      counter,
      window: {
        orchestrator: { contextTokens: 8000 },
        manager: { contextTokens: 4000 },
        worker: { contextTokens: 3000 },
      },
      reducer: {
        name: "own",
        reduce: (entries, request) => {
          reduced.push(request.window.contextTokens);
          return base.reduce(entries, request);
        },
      },
      compressor: undefined,
    });
    await history.addUserMessage({ content: "To Rome, please." });

    await history.historyForModelCall({ systemMessage });
    expect(reduced).toEqual([8000]);
    await expect(history.compress()).rejects.toMatchObject({ code: "INVALID_OPTION" });
  });

  it("refuses an unknown model, and says what to pass; a window is enough", () => {
    const thread = { store: memoryStore(), threadId: "chat-1" };

    expect(() => createHistory({ ...thread, model: "llama-local" })).toThrow("`window`");
    const window = { contextTokens: 8000 };
    expect(() => createHistory({ ...thread, model: "llama-local", window })).not.toThrow();
    expect(() => createHistory({ ...thread, window })).not.toThrow();
    expect(() => createHistory({ ...thread, model: "gpt4o" })).toThrow("Did you mean gpt-4o");
  });
});
