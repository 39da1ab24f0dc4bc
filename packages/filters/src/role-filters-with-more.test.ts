import { delegation, final, task, userMessage } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { lead, manager, seen, turn, worker } from "../test-support/hierarchy-turn.ts";
import { orchestratorHistoryFilter } from "./orchestrator-history-filter.ts";
import { workerHistoryFilter } from "./worker-history-filter.ts";

describe("orchestratorHistoryFilter with include", () => {
  it("shows the syntheses of this turn on request", () => {
    expect(seen(orchestratorHistoryFilter({ include: ["syntheses"] }))).toBe("sys u1 up1 syn0");
  });

  it("shows an orchestrator its plan and delegations of this turn on request, and no manager's", () => {
    const filter = orchestratorHistoryFilter({ include: ["own"] });
    expect(seen(filter, { agentId: "lead" })).toBe("sys u1 up1 plan");
    expect(seen(filter)).toBe("sys u1 up1 plan");
    const next = [
      ...turn,
      userMessage({ id: "u2", content: "" }),
      delegation({ id: "del2", content: "", agent: lead, to: worker }),
    ];
    expect(seen(filter, { agentId: "lead" }, next)).toBe("sys u1 up1 u2 del2");
    expect(seen(filter, { agentId: "another" }, next)).toBe("sys u1 up1 u2");
  });

  it("shows an orchestrator that leads workers itself their reports on request", () => {
    const entries = [
      ...turn,
      task({ id: "tw3", content: "", agent: worker, from: lead }),
      final({ id: "fin3", content: "", agent: worker, taskId: "tw3" }),
    ];
    const filter = orchestratorHistoryFilter({ include: ["own", "reports", "syntheses"] });
    expect(seen(filter, { agentId: "lead" }, entries)).toBe("sys u1 up1 plan syn0 fin3");
    expect(seen(filter, {}, entries)).toBe("sys u1 up1 plan syn0 fin3");
    expect(seen(filter, { agentId: "lead" }, [...entries, userMessage({ content: "" })])).toMatch(
      /^sys u1 up1 \S+$/u,
    );
  });

  for (const include of [["plans"], ["__proto__"], "own", [null]]) {
    it(`refuses to include ${JSON.stringify(include)}`, () => {
      const options = JSON.parse(JSON.stringify({ include }));
      expect(() => orchestratorHistoryFilter(options)).toThrowError(
        expect.objectContaining({ code: "INVALID_OPTION" }),
      );
    });
  }
});

describe("workerHistoryFilter with memory", () => {
  it("shows a worker its earlier tasks and reports of this turn, or of every turn, on request", () => {
    const again = [...turn, task({ id: "tw3", content: "", agent: worker, from: manager })];
    const context = { agentId: "w1" };
    const ofTurn = workerHistoryFilter({ memory: "turn" });
    expect(seen(workerHistoryFilter({ memory: "task" }), context, again)).toBe(
      "sys sys-w1 glob tw3",
    );
    expect(seen(ofTurn, context, again)).toBe("sys sys-w1 tw1 act1 obs1 glob fin1 tw3");
    const next = [
      ...turn,
      userMessage({ id: "u2", content: "" }),
      task({ id: "tw4", content: "", agent: worker }),
    ];
    expect(seen(ofTurn, context, next)).toBe("sys sys-w1 tw4");
    expect(seen(workerHistoryFilter({ memory: "thread" }), context, next)).toBe(
      "sys sys-w1 tw1 act1 obs1 fin1 tw4",
    );
  });

  it("remembers nothing beyond the current task where no agent is named", () => {
    for (const remembered of ["turn", "thread"] as const) {
      expect(seen(workerHistoryFilter({ memory: remembered }))).toBe(seen(workerHistoryFilter()));
    }
  });

  it("refuses a memory of another kind", () => {
    const options = JSON.parse('{ "memory": "day" }');
    expect(() => workerHistoryFilter(options)).toThrowError(
      expect.objectContaining({ code: "INVALID_OPTION" }),
    );
  });
});
