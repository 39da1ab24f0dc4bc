import {
  action,
  applyCompactions,
  assistantMessage,
  contentText,
  observation,
  summary,
  userMessage,
} from "@agent-history/core";
import type { Compressor, HistoryEntry, ReductionPlan } from "@agent-history/core";
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

  it("merges the summary of an earlier cut into the next", async () => {
    const compressor: Compressor = {
      name: "ends",
      compress: async ([first, ...others], { view }) => {
        if (first === undefined) throw new Error("nothing is given");
        const [from, to] = [first.id, others.at(-1)?.id ?? first.id];
        const begins = first.type === "summary" ? contentText(first.content).split(" ")[0] : from;
        const content = `${begins} to ${to}`;
        const about = { strategy: "ends", trust: "user", createdAtMs: 0, view } as const;
        const made = {
          ...summary({ ...about, id: content, content }),
          view,
          covers: [{ from, to }],
        };
        const compaction = { summary: made, tokensBefore: 1000, tokensAfter: 0 };
        return { outcome: "compressed", compaction };
      },
    };
    const reducer = threeTierReducer({ counter, compressor, keepRecent: 2 });
    let previousPlan: ReductionPlan | undefined;
    let fitted: readonly HistoryEntry[] = [];
    const history: HistoryEntry[] = [];
    for (let turn = 0; turn < 40; turn += 1) {
      history.push(userMessage({ id: `u${turn}`, content: "q".repeat(50) }));
      const window = { contextTokens: 600 };
      const made = await reducer.reduce(history, { window, ...(previousPlan && { previousPlan }) });
      ({ plan: previousPlan, entries: fitted } = made);
      history.push(assistantMessage({ id: `a${turn}`, content: "a".repeat(50) }));
    }
    const summaries = fitted.filter((entry) => entry.type === "summary");
    expect(summaries).toHaveLength(1);
    const newest = history.findIndex((entry) => entry === fitted[1]);
    expect(summaries[0]?.content).toBe(`u0 to ${history[newest - 1]?.id}`);
    expect(applyCompactions([...history.slice(0, -1), ...summaries], "thread")).toEqual(fitted);
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
