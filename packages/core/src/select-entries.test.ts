import { describe, expect, it } from "vitest";

import {
  assistantMessage,
  attachment,
  errorEntry,
  final,
  memory,
  summary,
  synthesis,
  task,
  userMessage,
} from "./create-entries.ts";
import type { Agent, HistoryEntry } from "./history-entry.ts";
import { isHistoryError } from "./history-error.ts";
import type { HistoryQuery, QueryClause } from "./history-query.ts";
import { selectEntries } from "./select-entries.ts";

const w1: Agent = { id: "w1", role: "worker" };
const w2: Agent = { id: "w2", role: "worker" };
const m1: Agent = { id: "m1", role: "manager" };

const conversation = [1, 2, 3, 4, 5].flatMap((turn) => [
  userMessage({ id: `u${turn}`, content: "question" }),
  assistantMessage({ id: `a${turn}`, content: "answer" }),
]);

describe("selectEntries", () => {
  it("returns the history itself where nothing is left out", () => {
    expect(selectEntries(conversation, { clauses: [{}] })).toBe(conversation);
  });

  it("shows nothing without a clause", () => {
    expect(selectEntries(conversation, { clauses: [] })).toEqual([]);
  });

  it("shows what meets one clause, once", () => {
    expect(idsOf(conversation, { types: ["user_message"] }, { turn: { newest: true } })).toEqual(
      "u1 u2 u3 u4 u5 a5",
    );
  });

  describe("lastTurns", () => {
    it("shows whole turns, from their user message", () => {
      expect(idsOf(conversation, { lastTurns: { count: 2 } })).toBe("u4 a4 u5 a5");
    });

    it("takes 0 for none and Infinity for all", () => {
      expect(idsOf(conversation, { lastTurns: { count: 0 } })).toBe("");
      expect(idsOf(conversation, { lastTurns: { count: Infinity } })).toBe(
        "u1 a1 u2 a2 u3 a3 u4 a4 u5 a5",
      );
    });

    it("forgets turns in strides, so that the oldest shown stays for a while", () => {
      const firstShown = [3, 4, 5].map(
        (turns) =>
          idsOf(conversation.slice(0, turns * 2), { lastTurns: { count: 3, stride: 2 } })[1],
      );
      expect(firstShown).toEqual(["1", "3", "3"]);
    });

    it("does not show what came before the first request", () => {
      const greeting = assistantMessage({ id: "a0", content: "Hello" });
      expect(idsOf([greeting, ...conversation.slice(0, 2)], { lastTurns: { count: 8 } })).toBe(
        "u1 a1",
      );
    });

    for (const count of [-1, 1.5, NaN]) {
      it(`refuses ${count}`, () => {
        expect(codeOf([{ lastTurns: { count } }])).toBe("INVALID_QUERY");
      });
    }

    for (const stride of [0, 4, 0.5]) {
      it(`refuses a stride of ${stride} for 3 turns`, () => {
        expect(codeOf([{ lastTurns: { count: 3, stride } }])).toBe("INVALID_QUERY");
      });
    }
  });

  describe("turn", () => {
    const named = conversation.map((entry) => ({ ...entry, turnId: `t${entry.id[1]}` }));

    it("finds a turn by its id, and none by an id that is not there", () => {
      expect(idsOf(named, { turn: { id: "t2" } })).toBe("u2 a2");
      expect(idsOf(named, { turn: { id: "t9" } })).toBe("");
    });
  });

  describe("phases", () => {
    const turn = [
      userMessage({ id: "u1", content: "" }),
      synthesis({ id: "s0", content: "" }),
      synthesis({ id: "s1", phaseId: "collect", content: "" }),
      synthesis({ id: "s2", phaseId: 2, content: "" }),
      synthesis({ id: "s3", phaseId: "2", content: "" }),
      synthesis({ id: "s4", content: "" }),
    ];
    const types = ["synthesis"] as const;

    it("tells a numeric phase from a textual one", () => {
      expect(idsOf(turn, { types, phases: [2] })).toBe("s2");
      expect(idsOf(turn, { types, phases: ["2"] })).toBe("s3");
    });

    it("takes an entry without a phase for one of its task's", () => {
      const entries = [
        task({ id: "t1", phaseId: "collect", agent: w1, content: "" }),
        final({ id: "f1", agent: w1, taskId: "t1", content: "" }),
      ];
      expect(idsOf(entries, { phases: ["collect"] })).toBe("t1 f1");
    });

    it("does not take an entry for one of a phase of an earlier turn, whatever its task", () => {
      const entries = [
        userMessage({ id: "u1", content: "" }),
        task({ id: "t1", phaseId: "collect", agent: w1, content: "" }),
        userMessage({ id: "u2", content: "" }),
        final({ id: "f1", agent: w1, taskId: "t1", content: "" }),
      ];
      expect(idsOf(entries, { phases: ["collect"] })).toBe("t1");
    });

    it("shows the phases that began before one did, with what bears none and stands before", () => {
      expect(idsOf(turn, { types, beforePhase: { id: "2" } })).toBe("s0 s1 s2");
      expect(idsOf(turn, { types, beforePhase: { id: "not begun" } })).toBe("s0 s1 s2 s3 s4");
    });

    it("takes a phase to begin where it first began, also where it is taken up again", () => {
      const again = [...turn, synthesis({ id: "s5", phaseId: "collect", content: "" })];
      expect(idsOf(again, { types, beforePhase: { id: 2 } })).toBe("s0 s1 s5");
    });

    it("orders the phases of each turn by themselves", () => {
      const reversed = ["b", "a"].map((phaseId) =>
        synthesis({ id: `1${phaseId}`, phaseId, content: "" }),
      );
      const next = ["a", "b"].map((phaseId) =>
        synthesis({ id: `2${phaseId}`, phaseId, content: "" }),
      );
      const [u1, u2] = [userMessage({ content: "" }), userMessage({ content: "" })];
      expect(idsOf([u1, ...reversed, u2, ...next], { beforePhase: { id: "b" }, types })).toBe("2a");
    });

    it("shows so many of them, the nearest first", () => {
      expect(idsOf(turn, { types, beforePhase: { id: "2", count: 1 } })).toBe("s2");
      expect(idsOf(turn, { types, beforePhase: { id: "2", count: 0 } })).toBe("");
      const begun = turn.slice(2);
      const unnamed = synthesis({ id: "s9", content: "" });
      const between = begun.toSpliced(1, 0, unnamed);
      expect(idsOf(between, { types, beforePhase: { id: 2, count: 1 } })).toBe("s1");
    });
  });

  describe("tasks", () => {
    const entries = [
      task({ id: "t1", agent: w1, from: m1, content: "" }),
      errorEntry({ id: "e1", agent: w1, content: "" }),
      task({ id: "t2", agent: w2, content: "" }),
      errorEntry({ id: "e2", agent: w1, content: "" }),
      task({ id: "t3", agent: w1, content: "" }),
      errorEntry({ id: "e3", agent: w1, taskId: "t1", content: "" }),
      errorEntry({ id: "e4", agent: w1, content: "" }),
      errorEntry({ id: "e5", agent: w2, content: "" }),
      errorEntry({ id: "e6", content: "" }),
    ];

    it("shows a task with what was written under it, named or by position", () => {
      expect(idsOf(entries, { task: "t1" })).toBe("t1 e1 e2 e3");
    });

    it("takes nothing for written under a task that stands behind it", () => {
      const early = [errorEntry({ id: "e0", taskId: "t3", agent: w1, content: "" }), ...entries];
      expect(idsOf(early, { task: "t3" })).toBe("t3 e4");
      expect(idsOf(early, { lastTask: { of: "w1" } })).toBe("t3 e4");
      const given = errorEntry({ id: "e0", taskId: "t1", agent: w2, content: "" });
      expect(idsOf([given, ...entries], { types: ["error"], underTaskFrom: "m1" })).toBe(
        "e1 e2 e3",
      );
    });

    it("shows what was written under a task that is not in the history, where it says so", () => {
      expect(idsOf(entries.slice(1), { task: "t1" })).toBe("e3");
    });

    it("shows the last task of an agent", () => {
      expect(idsOf(entries, { lastTask: { of: "w1" } })).toBe("t3 e4");
      expect(idsOf(entries, { lastTask: { of: "stranger" } })).toBe("");
    });

    it("shows the last task of the thread, with what nobody wrote since", () => {
      const before = errorEntry({ id: "e0", content: "" });
      const named = errorEntry({ id: "e7", taskId: "t1", content: "" });
      expect(idsOf([before, ...entries, named], { lastTask: {} })).toBe("t3 e4 e6");
    });

    it("tells tasks without an id apart by their indexes", () => {
      const plain: readonly HistoryEntry[] = JSON.parse(`[
        { "type": "task", "content": "first" }, { "type": "error", "content": "first" },
        { "type": "task", "content": "last" }, { "type": "error", "content": "last" }
      ]`);
      expect(selectEntries(plain, { clauses: [{ lastTask: {} }] })).toEqual(plain.slice(2));
    });

    it("shows what was written under tasks that an agent gave", () => {
      expect(idsOf(entries, { types: ["error"], underTaskFrom: "m1" })).toBe("e1 e2 e3");
      const inner = task({ id: "t4", agent: w2, from: w1, taskId: "t1", content: "" });
      expect(idsOf([...entries, inner], { types: ["task"], underTaskFrom: "m1" })).toBe("t4");
    });
  });

  it("shows an entry without an id where it comes first", () => {
    const plain: readonly HistoryEntry[] = JSON.parse(
      `[{ "type": "user_message", "content": "Hello" }]`,
    );
    expect(selectEntries(plain, { clauses: [{}] })).toBe(plain);
    expect(selectEntries(plain, { clauses: [{ lastTurns: { count: 1 } }] })).toBe(plain);
  });

  it("tells the roles of agents, and of those who gave a task", () => {
    const lead = { id: "o", role: "orchestrator" } as const;
    const given = [
      task({ id: "t1", agent: w1, from: lead, content: "" }),
      final({ id: "f1", agent: w1, taskId: "t1", content: "" }),
      task({ id: "t2", agent: w2, from: w1, content: "" }),
      final({ id: "f2", agent: w2, taskId: "t2", content: "" }),
      final({ id: "f3", agent: lead, content: "" }),
    ];
    expect(idsOf(given, { role: "worker" })).toBe("t1 f1 t2 f2");
    expect(idsOf(given, { underTaskFromRole: "orchestrator" })).toBe("f1");
    expect(idsOf(given, { role: "orchestrator" })).toBe("f3");
  });

  it("tells what an agent wrote from what nobody wrote", () => {
    const entries = [
      memory({ id: "x1", agent: w1, content: "" }),
      memory({ id: "x2", agent: w2, content: "" }),
      memory({ id: "x3", content: "" }),
    ];
    expect(idsOf(entries, { agent: "w1" })).toBe("x1");
    expect(idsOf(entries, { unowned: true })).toBe("x3");
  });

  it("shows attachments of messages that are shown, and no others", () => {
    const entries = [
      userMessage({ id: "u1", content: "" }),
      attachment({ id: "f1", messageId: "u1", content: "" }),
      assistantMessage({ id: "a1", content: "" }),
      userMessage({ id: "u2", content: "" }),
      attachment({ id: "f2", messageId: "u2", content: "" }),
    ];
    const clauses: QueryClause[] = [
      { types: ["user_message"], turn: { newest: true } },
      { types: ["attachment"], attachedToShown: true },
    ];
    expect(idsOf(entries, ...clauses)).toBe("u2 f2");
    expect(
      idsOf(entries, { types: ["user_message"] }, { agent: "w1", attachedToShown: true }),
    ).toBe("u1 u2");
  });

  it("shows the summaries that stand in the view", () => {
    const overlay = { strategy: "whole", trust: "tool", content: "", covers: [] } as const;
    const entries = [
      summary({ ...overlay, id: "s1", view: "conversation" }),
      summary({ ...overlay, id: "s2", view: "agent:w1" }),
      summary({ id: "s3", strategy: "provider", trust: "tool", content: "" }),
    ];
    const query: HistoryQuery = { clauses: [{ standsInView: true }], view: "agent:w1" };
    expect(selectEntries(entries, query).map(({ id }) => id)).toEqual(["s2"]);
  });
});

function idsOf(entries: readonly HistoryEntry[], ...clauses: readonly QueryClause[]): string {
  return selectEntries(entries, { clauses })
    .map(({ id }) => id)
    .join(" ");
}

function codeOf(clauses: readonly QueryClause[]): string | undefined {
  try {
    selectEntries(conversation, { clauses });
  } catch (error) {
    return isHistoryError(error) ? error.code : undefined;
  }
  return undefined;
}
