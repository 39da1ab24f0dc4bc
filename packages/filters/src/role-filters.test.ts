import {
  assistantMessage,
  delegation,
  errorEntry,
  globalObservation,
  summary,
  synthesis,
  task,
  userMessage,
} from "@agent-history/core";
import type { FilterContext, HistoryEntry, HistoryView } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { lead, manager, seen, stranger, turn, worker } from "../test-support/hierarchy-turn.ts";
import { customHistoryFilter } from "./custom-history-filter.ts";
import { filterHistory } from "./filter-history.ts";
import { defaultHistoryFilter } from "./history-filter-for-role.ts";
import { managerHistoryFilter } from "./manager-history-filter.ts";
import { orchestratorHistoryFilter } from "./orchestrator-history-filter.ts";
import { workerHistoryFilter } from "./worker-history-filter.ts";

const compacted = [...turn, summaryOf("thread", "sys", "fin1")];

describe("orchestratorHistoryFilter", () => {
  it("shows the conversation with its uploads, and nothing of how it was worked out", () => {
    expect(seen(orchestratorHistoryFilter())).toBe("sys u1 up1");
  });

  it("lets the context go before its own number of turns", () => {
    const filter = orchestratorHistoryFilter({ maxConversationTurns: 0 });
    expect(seen(filter, { maxConversationTurns: 1 })).toBe("sys u1 up1");
    expect(seen(orchestratorHistoryFilter(), { maxConversationTurns: 0 })).toBe("sys");
  });

  it("keeps its beginning for four turns, and forgets four at a time", () => {
    const firsts = Array.from({ length: 17 }, (_, turns) => {
      const chat = Array.from({ length: turns + 1 }, (__, nth) =>
        userMessage({ id: `u${nth + 1}`, turnId: `t${nth}`, content: "" }),
      );
      return filterHistory(chat, orchestratorHistoryFilter())[0]?.id;
    });
    expect(firsts.join(" ")).toBe("u1 u1 u1 u1 u1 u1 u1 u1 u5 u5 u5 u5 u9 u9 u9 u9 u13");
  });

  it("forgets several turns at a time", () => {
    const chat = [1, 2, 3, 4, 5].flatMap((nth) => [
      userMessage({ id: `u${nth}`, content: "" }),
      assistantMessage({ id: `a${nth}`, content: "" }),
    ]);
    const filter = orchestratorHistoryFilter({ maxConversationTurns: 4, forgetTurns: 3 });
    expect(filterHistory(chat, filter)[0]?.id).toBe("u4");
    expect(filterHistory(chat, filter, { maxConversationTurns: 2 })[0]?.id).toBe("u5");
  });

  it("shows the summaries of the conversation in place of what they cover, and no others", () => {
    const overlay = { strategy: "whole", trust: "user", content: "" } as const;
    const entries = [
      userMessage({ id: "u1", content: "" }),
      assistantMessage({ id: "a1", content: "" }),
      userMessage({ id: "u2", content: "" }),
      summary({ ...overlay, id: "z1", view: "conversation", covers: [{ from: "u1", to: "a1" }] }),
      summary({ ...overlay, id: "z2", view: "agent:w1", covers: [{ from: "u1", to: "a1" }] }),
    ];
    const filter = orchestratorHistoryFilter({ maxConversationTurns: 1 });
    expect(filterHistory(entries, filter).map(({ id }) => id)).toEqual(["z1", "u2"]);
  });

  it("shows a summary of the conversation whoever wrote it", () => {
    const written = { ...summaryOf("conversation", "u1", "u1"), agent: lead };
    expect(seen(orchestratorHistoryFilter(), {}, [...turn, written])).toBe("sys z-conversation");
  });

  for (const value of [-1, 0.5, NaN]) {
    it(`refuses ${value} turns at construction, and in the context`, () => {
      const refusal = expect.objectContaining({ code: "INVALID_OPTION" });
      expect(() => orchestratorHistoryFilter({ maxConversationTurns: value })).toThrowError(
        refusal,
      );
      const filter = orchestratorHistoryFilter();
      expect(() => seen(filter, { maxConversationTurns: value })).toThrowError(refusal);
    });
  }

  for (const forgetTurns of [0, 9, 1.5, NaN]) {
    it(`refuses to forget ${forgetTurns} of 8 turns at a time`, () => {
      expect(() => orchestratorHistoryFilter({ forgetTurns })).toThrowError(
        expect.objectContaining({ code: "INVALID_OPTION" }),
      );
    });
  }
});

describe("managerHistoryFilter", () => {
  it("shows the syntheses of earlier phases only, where the context names no agent", () => {
    expect(seen(managerHistoryFilter(), { phaseId: 1 })).toBe("sys syn0");
  });

  it("shows a manager its own task, its delegations and what was handed up to it", () => {
    expect(seen(managerHistoryFilter(), { agentId: "m1", phaseId: 1 })).toBe(
      "sys mem-m1 syn0 tm1 del1 fin1 fin2",
    );
  });

  it("shows another manager none of it", () => {
    expect(seen(managerHistoryFilter(), { agentId: "m2", phaseId: 1 })).toBe("sys syn0");
  });

  it("does not show what was handed up in another phase", () => {
    expect(seen(managerHistoryFilter(), { agentId: "m1", phaseId: 0, taskId: "tm0" })).toBe(
      "sys mem-m1 tm0",
    );
  });

  it("does not show what was handed up for a task of an earlier turn", () => {
    const next = [
      ...turn,
      userMessage({ id: "u2", content: "" }),
      task({ id: "tm2", content: "", agent: manager, from: lead, phaseId: 1 }),
    ];
    const filter = managerHistoryFilter();
    expect(seen(filter, { agentId: "m1", phaseId: 1 }, next)).toBe("sys mem-m1 tm2");
    expect(seen(filter, { agentId: "m1" }, next.slice(0, -1))).toBe("sys mem-m1");
  });

  it("shows no task but the manager's own, and its plans for the task that the context names", () => {
    const earlier = delegation({ id: "del0", content: "", agent: manager, taskId: "tm0" });
    const ofTask = (taskId: string): string =>
      seen(managerHistoryFilter(), { agentId: "m1", taskId }, [...turn, earlier]);
    expect(ofTask("tm1")).toBe("sys mem-m1 syn0 tm1 del1 fin1 fin2");
    expect(ofTask("tm0")).toBe("sys mem-m1 tm0 syn0 fin1 fin2 del0");
    expect(ofTask("tw1")).toBe("sys mem-m1 syn0 fin1 fin2");
  });

  it("shows no summary that may tell of earlier turns, and the originals", () => {
    const entries = [...turn, summaryOf("agent:m1", "tm0", "del1")];
    expect(seen(managerHistoryFilter(), { agentId: "m1", phaseId: 1 }, entries)).toBe(
      "sys mem-m1 syn0 tm1 del1 fin1 fin2",
    );
  });

  it("takes the agent from the context, and from the filter only where that names none", () => {
    const filter = managerHistoryFilter({ agentId: "m2", phaseId: 0 });
    expect(seen(filter, { agentId: "m1", phaseId: 1 })).toBe("sys mem-m1 syn0 tm1 del1 fin1 fin2");
  });

  it("shows the phase just before, or the phases named, on request", () => {
    const entries = ["a", "b", "c"].map((phaseId) =>
      synthesis({ id: phaseId, phaseId, content: "" }),
    );
    const idsOf = (earlierPhases: "previous" | readonly string[], context: FilterContext): string =>
      filterHistory(entries, managerHistoryFilter({ earlierPhases }), context)
        .map(({ id }) => id)
        .join(" ");
    expect(idsOf("previous", { phaseId: "c" })).toBe("b");
    expect(idsOf(["a", "c"], { phaseId: "c" })).toBe("a c");
    expect(idsOf("previous", { phaseId: "c", previousPhaseId: "a" })).toBe("a");
    expect(idsOf(["a", "c"], { phaseId: "c", previousPhaseId: "b" })).toBe("b");
  });
});

describe("workerHistoryFilter", () => {
  it("shows a worker its task, its own trace and what is global", () => {
    expect(seen(workerHistoryFilter(), { agentId: "w1" })).toBe("sys sys-w1 tw1 act1 obs1 glob");
  });

  it("takes the agent from the context, and from the filter only where that names none", () => {
    const filter = workerHistoryFilter({ agentId: "w2" });
    expect(seen(filter)).toBe("sys tw2 act2 obs2 glob");
    expect(seen(filter, { agentId: "w1" })).toBe("sys sys-w1 tw1 act1 obs1 glob");
  });

  it("does not show what another agent wrote under its task", () => {
    const note = errorEntry({ id: "e1", content: "", agent: stranger, taskId: "tw1" });
    expect(seen(workerHistoryFilter(), { agentId: "w1" }, [...turn, note])).toBe(
      "sys sys-w1 tw1 act1 obs1 glob",
    );
  });

  it("shows a summary of its own trace in place of what it covers, and none of another's", () => {
    const entries = [
      ...turn,
      summaryOf("agent:w1", "act1", "obs1"),
      summaryOf("agent:w2", "act2", "obs2"),
    ];
    expect(seen(workerHistoryFilter({ memory: "thread" }), { agentId: "w1" }, entries)).toBe(
      "sys sys-w1 tw1 z-agent:w1 glob fin1",
    );
  });

  it.each(["task", "turn"] as const)(
    "shows no summary that may tell of earlier tasks, and the originals, with memory %s",
    (memory) => {
      const entries = [
        ...turn,
        userMessage({ id: "u2", content: "" }),
        task({ id: "tw9", content: "", agent: worker }),
        errorEntry({ id: "e9", content: "", agent: worker }),
        summaryOf("agent:w1", "act1", "e9"),
      ];
      expect(seen(workerHistoryFilter({ memory }), { agentId: "w1" }, entries)).toBe(
        "sys sys-w1 tw9 e9",
      );
    },
  );

  it("shows the task that the context names", () => {
    const again = [...turn, task({ id: "tw3", content: "", agent: worker })];
    const filter = workerHistoryFilter();
    const idsOf = (context: FilterContext): string =>
      filterHistory(again, filter, context)
        .map(({ id }) => id)
        .join(" ");
    expect(idsOf({ agentId: "w1" })).toBe("sys sys-w1 glob tw3");
    expect(idsOf({ agentId: "w1", taskId: "tw1" })).toBe("sys sys-w1 tw1 act1 obs1 glob");
  });

  it("shows the turn that the context names", () => {
    const next = [
      ...turn.map((entry) => ({ ...entry, turnId: "one" })),
      userMessage({ id: "u2", content: "", turnId: "two" }),
      globalObservation({ id: "g2", content: "", turnId: "two" }),
    ];
    expect(seen(workerHistoryFilter(), { agentId: "w1", turnId: "one" }, next)).toBe(
      "sys sys-w1 tw1 act1 obs1 glob",
    );
  });

  it("shows nothing of a task of an earlier turn", () => {
    const next = [...turn, userMessage({ id: "u2", content: "" })];
    const ids = filterHistory(next, workerHistoryFilter(), { agentId: "w1" }).map(({ id }) => id);
    expect(ids).toEqual(["sys", "sys-w1"]);
  });
});

describe("defaultHistoryFilter", () => {
  it("shows the summaries of the thread in place of what they cover", () => {
    expect(seen(defaultHistoryFilter(), {}, compacted)).toBe("sys sys-w1 z-thread fin2");
  });
});

describe("customHistoryFilter", () => {
  it("reads the thread with its compactions, where it has no query of its own", () => {
    expect(seen(customHistoryFilter({ name: "all" }), {}, compacted)).toBe(
      "sys sys-w1 z-thread fin2",
    );
  });

  it("reads everything and shows what its function gives", () => {
    const filter = customHistoryFilter({
      name: "plans",
      refine: (entries, { agentId }) => entries.filter(({ agent }) => agent?.id === agentId),
    });
    expect(seen(filter, { agentId: "lead" })).toBe("plan");
  });
});

function summaryOf(view: HistoryView, from: string, to: string): HistoryEntry {
  const fields = { strategy: "whole", trust: "tool", content: "", covers: [{ from, to }] } as const;
  return summary({ ...fields, id: `z-${view}`, view });
}
