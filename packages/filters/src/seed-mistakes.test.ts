import {
  action,
  assistantMessage,
  errorEntry,
  final,
  globalObservation,
  observation,
  synthesis,
  task,
  userMessage,
} from "@agent-history/core";
import type { Agent, FilterContext, HistoryEntry, HistoryFilter } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { completionDetector } from "./completion/completion-detector.ts";
import { filterHistory } from "./filter-history.ts";
import { defaultHistoryFilter } from "./history-filter-for-role.ts";
import { managerHistoryFilter } from "./manager-history-filter.ts";
import { orchestratorHistoryFilter } from "./orchestrator-history-filter.ts";
import { workerHistoryFilter } from "./worker-history-filter.ts";

const one: Agent = { id: "w1", role: "worker" };
const two: Agent = { id: "w2", role: "worker" };
const boss: Agent = { id: "m1", role: "manager" };

/** The mistakes of the system that the filters were first described for; each must stay repaired. */
describe("a mistake of the first system", () => {
  it("taking the last 0 turns does not show everything", () => {
    const filter = orchestratorHistoryFilter({ maxConversationTurns: 0 });
    expect(seen(chat(5), filter)).toBe("");
  });

  it("8 turns are 8 turns, not 8 entries, and begin with a user message", () => {
    expect(seen(chat(10), orchestratorHistoryFilter({ forgetTurns: 1 }))).toBe(
      "u3 a3 u4 a4 u5 a5 u6 a6 u7 a7 u8 a8 u9 a9 u10 a10",
    );
  });

  it("a worker does not lose its task once it has observed something", () => {
    expect(seen([work("t1", one), ...read("1", one)], workerHistoryFilter())).toBe("t1 a1 o1");
  });

  it("a worker does not see another worker's trace, nor work on another's task", () => {
    const entries = [
      userMessage({ id: "u1", content: "" }),
      work("t1", one),
      ...read("1", one),
      work("t2", two),
      ...read("2", two),
    ];
    expect(seen(entries, workerHistoryFilter(), { agentId: "w1" })).toBe("t1 a1 o1");
  });

  it("global observations of earlier turns do not leak into this one", () => {
    const entries = [
      userMessage({ id: "u1", content: "", turnId: "one" }),
      work("t1", one, { turnId: "one" }),
      userMessage({ id: "u2", content: "", turnId: "two" }),
      work("t2", one, { turnId: "two" }),
      globalObservation({ id: "g2", content: "", turnId: "two" }),
      globalObservation({ id: "g1", content: "written late", turnId: "one" }),
    ];
    expect(seen(entries, workerHistoryFilter(), { agentId: "w1" })).toBe("t2 g2");
  });

  it("a manager does not see the synthesis of the same phase of an earlier turn", () => {
    const entries = [
      userMessage({ id: "u1", content: "" }),
      synthesis({ id: "s1", phaseId: 0, content: "" }),
      assistantMessage({ id: "a1", content: "" }),
      userMessage({ id: "u2", content: "" }),
      synthesis({ id: "s2", phaseId: 0, content: "" }),
    ];
    expect(seen(entries, managerHistoryFilter(), { phaseId: 1 })).toBe("s2");
  });

  it("a manager sees all earlier phases, also where their ids are texts", () => {
    const entries = [
      synthesis({ id: "s1", phaseId: "collect", content: "" }),
      synthesis({ id: "s2", phaseId: "compare", content: "" }),
    ];
    expect(seen(entries, managerHistoryFilter(), { phaseId: "decide" })).toBe("s1 s2");
  });

  it("a manager sees earlier syntheses that bear no phase", () => {
    const entries = [
      synthesis({ id: "s1", content: "" }),
      synthesis({ id: "s2", phaseId: 2, content: "" }),
    ];
    expect(seen(entries, managerHistoryFilter(), { phaseId: 2 })).toBe("s1");
    expect(seen(entries, managerHistoryFilter())).toBe("s1 s2");
  });

  it("phase 0 is a phase", () => {
    const entries = [
      synthesis({ id: "s-1", phaseId: -1, content: "" }),
      synthesis({ id: "s0", phaseId: 0, content: "" }),
      synthesis({ id: "s1", phaseId: 1, content: "" }),
    ];
    expect(seen(entries, managerHistoryFilter(), { phaseId: 1, previousPhaseId: 0 })).toBe("s0");
    expect(seen(entries, managerHistoryFilter(), { phaseId: 0 })).toBe("s-1");
  });

  it("an error of its own is shown to the worker", () => {
    const failed = errorEntry({ id: "e1", content: "", agent: one });
    expect(seen([work("t1", one), failed], workerHistoryFilter())).toBe("t1 e1");
  });

  it("the default filter does not copy or change what it shows", () => {
    const entries = chat(2);
    expect(filterHistory(entries, defaultHistoryFilter())).toBe(entries);
  });

  it("a completion of an earlier turn does not end this one, also without a task marker", () => {
    const entries = [
      userMessage({ id: "u1", content: "" }),
      final({ id: "f1", content: "done", agent: one }),
      userMessage({ id: "u2", content: "" }),
    ];
    expect(completionDetector().detect(entries, { agentId: "w1" })).toBeUndefined();
  });

  it("'not done' and 'unsuccessful' do not mean done", () => {
    for (const content of ["This is not done.", "The search was unsuccessful.", "Undone"]) {
      const status = observation({ ...read("1", one)[1], content });
      expect(
        completionDetector().detect([work("t1", one), read("1", one)[0], status]),
      ).toBeUndefined();
    }
  });

  it("a user who says success does not end the work", () => {
    const entries = [work("t1", one), userMessage({ id: "u1", content: "Success! Done!" })];
    expect(completionDetector().detect(entries, { agentId: "w1" })).toBeUndefined();
  });

  it("a manager's synthesis ends its work", () => {
    const entries = [work("t1", boss), synthesis({ id: "s1", content: "", agent: boss })];
    expect(completionDetector().detect(entries, { agentId: "m1" })).toEqual({
      kind: "synthesis",
      entryId: "s1",
    });
  });
});

function seen(
  entries: readonly HistoryEntry[],
  filter: HistoryFilter,
  context: FilterContext = {},
): string {
  return filterHistory(entries, filter, context)
    .map(({ id }) => id)
    .join(" ");
}

function chat(turns: number): readonly HistoryEntry[] {
  return Array.from({ length: turns }, (_, index) => [
    userMessage({ id: `u${index + 1}`, content: "question" }),
    assistantMessage({ id: `a${index + 1}`, content: "answer" }),
  ]).flat();
}

function work(id: string, agent: Agent, fields: { readonly turnId?: string } = {}): HistoryEntry {
  return task({ id, content: "work", agent, ...fields });
}

function read(id: string, agent: Agent) {
  const call = { id: `c${id}`, name: "read", arguments: "{}" };
  return [
    action({ id: `a${id}`, agent, toolCalls: [call] }),
    observation({
      id: `o${id}`,
      agent,
      callId: call.id,
      toolName: "read",
      outcome: "success",
      content: "text",
    }),
  ] as const;
}
