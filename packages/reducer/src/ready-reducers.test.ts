import { action, observation } from "@agent-history/core";
import type { Compressor } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { chat, counter } from "../test-support/character-counter.ts";
import { createReducer, loopTokenReducer, threeTierReducer } from "./ready-reducers.ts";

describe("threeTierReducer", () => {
  it("summarizes what is neither system, recent nor of this turn", async () => {
    let given: readonly string[] = [];
    const compressor: Compressor = {
      name: "recorder",
      compress: async (entries) => {
        given = entries.map(({ id }) => id);
        return { outcome: "not-beneficial", reason: "test" };
      },
    };
    await threeTierReducer({ counter, compressor, keepRecent: 2 }).reduce(chat, {
      window: { contextTokens: 50 },
    });
    expect(given).toEqual(["u1", "a1", "u2", "a2"]);
  });
});

describe("loopTokenReducer", () => {
  it("reduces references before messages", async () => {
    const sources = [1, 2].map((number) => ({ number, id: `s${number}`, text: "t".repeat(30) }));
    const entries = [
      ...chat.slice(0, 1),
      action({ id: "x", toolCalls: [{ id: "c", name: "search", arguments: "{}" }] }),
      observation({
        id: "o",
        callId: "c",
        toolName: "search",
        outcome: "success",
        content: "",
        sources,
      }),
      ...chat.slice(1),
    ];
    const reducer = loopTokenReducer({ counter });
    const { entries: fitted } = await reducer.reduce(entries, { window: { contextTokens: 100 } });
    expect(fitted.length).toBe(entries.length);
  });
});

describe("createReducer", () => {
  it("is a fit with counter and steps chosen beforehand", async () => {
    const reducer = createReducer({ counter, name: "mine" });
    const { entries } = await reducer.reduce(chat, { window: { contextTokens: 40 } });
    expect([reducer.name, entries.length]).toEqual(["mine", 4]);
  });
});
