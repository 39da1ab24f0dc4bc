import { memoryStore } from "@agent-history/core/memory-store";
import { describe, expect, it } from "vitest";

import { countingSources } from "../../test-support/counting-sources.ts";
import { gardenTeam } from "../../test-support/garden-team.ts";
import { chatPlanner } from "./chat-planner.ts";
import { conversationHistoryFilter } from "./conversation-history-filter.ts";

const RAIN = "How long does a valve stay open when rain is forecast?";
const RIPE = "When is a tomato ripe?";

describe("chatPlanner", () => {
  it("answers from what was said, with its citations, and asks nobody", async () => {
    const thread = { store: memoryStore(), sources: countingSources() };
    const searched = await (await gardenTeam(thread)).team.ask(RAIN);
    const chat = await gardenTeam({ ...thread, planners: { orchestrator: chatPlanner() } });

    const { text } = await chat.team.ask("And what about rain?");

    expect(text).toBe(searched.text.replace(/\n\nAsk next[^]*?(?=\n\nSources)/, ""));
    expect(text).toContain("[source1] src/valve_controller.py:6-14");
    expect(chat.calls.map(({ step }) => step)).toEqual(["chat"]);
    expect(chat.calls.map(({ messages }) => messages.length)).toEqual([4]);
    expect(chat.entries.map(({ type }) => type)).toEqual([
      "user_message",
      "global_observation",
      "assistant_message",
    ]);
  });

  it("says so where nothing was said yet", async () => {
    const { team } = await gardenTeam({ planners: { orchestrator: chatPlanner() } });

    expect((await team.ask(RAIN)).text).toMatch(/^Nothing that was said so far/);
  });

  it("sees the conversation alone, whole turns of it", async () => {
    const historyFilter = conversationHistoryFilter({ maxConversationTurns: 2 });
    const planners = { orchestrator: chatPlanner({ historyFilter }) };
    const { team, calls } = await gardenTeam({ planners });
    for (const question of [RAIN, RIPE, RAIN]) await team.ask(question);

    expect(calls.at(-1)?.messages.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "user",
    ]);
  });
});
