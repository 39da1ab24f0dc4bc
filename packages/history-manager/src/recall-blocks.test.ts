import { toModelMessages } from "@agent-history/ai-sdk";
import { toChatMessages, toResponseItems } from "@agent-history/openai";
import { createReducer } from "@agent-history/reducer";
import { lexicalScorer } from "@agent-history/reducer/lexical";
import { describe, expect, it } from "vitest";

import { counter } from "../test-support/character-counter.ts";
import { managerOptions } from "../test-support/manager-options.ts";
import { createHistoryManager } from "./create-history-manager.ts";
import type { HistoryManagerOptions } from "./index.ts";

const THINGS = ["kayak", "violin", "garden", "telescope", "bakery", "motorbike"];

describe("historyForModelCall with a scorer that quotes", () => {
  it("quotes what answers a question about something old, and goes on with the same bytes after a restart", async () => {
    const options = managerOptions({ window: { contextTokens: 1500 }, reducer: reducer() });
    const history = createHistoryManager(options);
    for (let turn = 0; turn < 24; turn++) {
      const thing = THINGS[turn] ?? "weather";
      await history.addUserMessage({ content: `Ann painted the ${thing}.` });
      await history.historyForModelCall({ systemMessage: "Answer." });
      await history.addAssistantMessage({ content: `${"It was fine. ".repeat(5)}${turn}` });
    }
    await history.addUserMessage({ content: "Who painted the motorbike?" });
    const asked = await history.historyForModelCall({ systemMessage: "Answer." });
    expect(asked.plan.recalls?.length).toBeGreaterThan(0);
    const block = asked.entries.at(-2);
    expect(block).toMatchObject({ type: "memory", id: asked.plan.recalls?.at(-1)?.id });
    expect(block?.content).toContain("Ann painted the motorbike.");
    expect(asked.counts.shownTokens).toBe(asked.plan.totalTokens);

    const restarted = createHistoryManager(again(options));
    const call = { id: "c", name: "look", arguments: "{}" };
    await restarted.addToolCalls({ id: "x", toolCalls: [call] });
    await restarted.addToolCallResults([
      { callId: "c", toolName: "look", actionId: "x", content: "It was Ann." },
    ]);
    const next = await restarted.historyForModelCall({ systemMessage: "Answer." });
    expect(next.counts.isContinued).toBe(true);
    expect(next.plan.recalls).toEqual(asked.plan.recalls);
    const sent = next.entries.slice(0, asked.entries.length);
    expect(JSON.stringify(sent)).toBe(JSON.stringify(asked.entries));

    // OpenAI gets the block as a message of its own, the AI SDK inside the question's; what was sent stays as it was.
    const texts = [block?.content, "Who painted the motorbike?"];
    const apart = texts.map((content) => ({ role: "user", content }));
    const joined = [{ role: "user", content: texts.map((text) => ({ type: "text", text })) }];
    for (const [write, shown] of [
      [toChatMessages, apart],
      [toResponseItems, apart],
      [toModelMessages, joined],
    ] as const) {
      const before: readonly object[] = write(asked.entries);
      expect(before.slice(-shown.length)).toMatchObject(shown);
      const after: readonly object[] = write(next.entries).slice(0, before.length);
      expect(JSON.stringify(after)).toBe(JSON.stringify(before));
    }
  });
});

function again(options: HistoryManagerOptions): HistoryManagerOptions {
  let ids = 0;
  return { ...options, reducer: reducer(), newId: () => `again-${(ids += 1)}` };
}

function reducer(): HistoryManagerOptions["reducer"] {
  return createReducer({ counter, scorer: lexicalScorer() });
}
