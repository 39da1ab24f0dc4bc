import { assistantMessage, summary, task, userMessage } from "@agent-history/core";
import { workerHistoryFilter } from "@agent-history/filters";
import { describe, expect, it } from "vitest";

import { conversationHistoryFilter } from "../planners/conversation-history-filter.ts";
import { withinTurn } from "./within-turn.ts";

const WORKER = { id: "w1", role: "worker" } as const;

describe("withinTurn", () => {
  it("leaves out what others asked and were answered since the turn's question, and nothing before it", () => {
    const entries = [
      userMessage({ id: "turn-1", turnId: "turn-1", content: "One?" }),
      userMessage({ id: "turn-2", turnId: "turn-2", content: "Two?" }),
      userMessage({ id: "turn-3", turnId: "turn-3", content: "Three?" }),
      assistantMessage({ id: "turn-1/answer", turnId: "turn-1", content: "One." }),
      assistantMessage({ id: "turn-2/answer", turnId: "turn-2", content: "Two." }),
    ];
    const filter = withinTurn(conversationHistoryFilter());
    const seen = filter.refine(entries, { turnId: "turn-2" });

    expect(seen.map(({ id }) => id)).toEqual(["turn-1", "turn-2", "turn-2/answer"]);
    expect(filter.refine(entries.slice(0, 3), { turnId: "turn-3" })).toEqual(entries.slice(0, 3));
  });

  it("leaves out what stands for an agent's work in another turn", () => {
    const fields = { strategy: "x", trust: "tool", content: "…", view: "agent:w1" } as const;
    const entries = [
      summary({ ...fields, id: "summary-of-turn-1/1/1/report" }),
      summary({ ...fields, id: "summary-of-turn-2/1/1/report" }),
      summary({ ...fields, id: "summary-of-turn-1/answer", view: "conversation" }),
      task({ id: "turn-2/2/1", turnId: "turn-2", agent: WORKER, content: "Read." }),
    ];
    const seen = withinTurn(workerHistoryFilter()).refine(entries, { turnId: "turn-2" });

    expect(seen).toEqual(entries.slice(1));
  });
});
