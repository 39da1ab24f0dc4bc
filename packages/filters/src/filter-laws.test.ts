import { agentView, summary } from "@agent-history/core";
import type { FilterContext, HistoryEntry, HistoryFilter, PhaseId } from "@agent-history/core";
import { checkHistory } from "@agent-history/core/check";
import {
  arbitraryBrokenHistory,
  arbitraryHistory,
  deepFreeze,
  lawRuns,
} from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { isForManager, isForOrchestrator, isForWorker } from "../test-support/visibility-oracle.ts";
import { filterHistory } from "./filter-history.ts";
import { defaultHistoryFilter } from "./history-filter-for-role.ts";
import { managerHistoryFilter } from "./manager-history-filter.ts";
import { orchestratorHistoryFilter } from "./orchestrator-history-filter.ts";
import { workerHistoryFilter } from "./worker-history-filter.ts";

const RUNS = { numRuns: lawRuns(200) };

/** Histories in which every mark that the table speaks of is there, or where position must stand in for it. */
const histories = fc.oneof(
  arbitraryHistory({ withAgents: "all", withTurnIds: "all", withTaskIds: "all" }),
  arbitraryHistory({ withAgents: "all", withTurnIds: "none", withTaskIds: "none" }),
  arbitraryHistory({ withAgents: "all", withTurnIds: "all", withPhaseIds: "some" }),
);
const memories = fc.constantFrom("task", "turn", "thread");
const anyHistory = fc.oneof(arbitraryHistory(), arbitraryBrokenHistory());

describe("orchestratorHistoryFilter", () => {
  it("shows all that the table says, and nothing else", () => {
    const options = fc.record({
      maxConversationTurns: fc.oneof(fc.nat({ max: 5 }), fc.constant(Infinity)),
      include: fc.subarray(["own", "reports", "syntheses"] as const),
    });
    fc.assert(
      fc.property(histories, options, fc.option(fc.nat()), (entries, given, choice) => {
        const leads = agentsOf(entries, "orchestrator");
        const context = choice === null ? {} : choose("agentId", leads, choice);
        const filter = orchestratorHistoryFilter({ ...given, forgetTurns: 1 });
        const shown = filterHistory(deepFreeze(entries), filter, context);
        const isSeen = (index: number): boolean =>
          isForOrchestrator(entries, index, { ...given, ...context });
        expect(idsOf(shown)).toEqual(expected(entries, isSeen));
      }),
      RUNS,
    );
  });
});

describe("managerHistoryFilter and workerHistoryFilter, with compactions of their view", () => {
  it("show nothing of earlier tasks or turns, in summaries neither (L10)", () => {
    const filters = fc.constantFrom(
      workerHistoryFilter({ memory: "task" }),
      workerHistoryFilter({ memory: "turn" }),
      managerHistoryFilter(),
    );
    fc.assert(
      fc.property(histories, fc.nat(), filters, fc.nat(), (entries, choice, filter, at) => {
        const role = filter.name === "worker" ? "worker" : "manager";
        const { agentId } = choose("agentId", agentsOf(entries, role), choice);
        const own = entries.filter(({ agent }) => agent?.id === agentId);
        const [from, to] = [own[at % own.length], own.at(-1)];
        if (agentId === undefined || from === undefined || to === undefined) return;
        const compaction = summary({
          id: "z",
          content: "All of it.",
          strategy: "whole",
          trust: "tool",
          view: agentView(agentId),
          covers: [{ from: from.id, to: to.id }],
        });
        const shown = filterHistory([...entries, compaction], filter, { agentId });
        expect(idsOf(shown)).toEqual(idsOf(filterHistory(entries, filter, { agentId })));
      }),
      RUNS,
    );
  });

  it("show a provider's summary only to the agent, turn and task that it was made in (L10)", () => {
    fc.assert(
      fc.property(histories, fc.nat(), fc.nat(), (entries, choice, at) => {
        const { agentId } = choose("agentId", agentsOf(entries, "worker"), choice);
        const before = entries[at % entries.length];
        if (agentId === undefined || before === undefined) return;
        const { agent, turnId, taskId } = before;
        const scope = { ...(turnId && { turnId }), ...(taskId && { taskId }) };
        const made = { content: "All of it.", strategy: "provider", trust: "tool" } as const;
        const given = summary({ id: "z", ...made, ...(agent && { agent }), ...scope });
        const index = entries.indexOf(before) + 1;
        const log = [...entries.slice(0, index), given, ...entries.slice(index)];
        const shown = filterHistory(log, workerHistoryFilter(), { agentId });
        expect(shown.includes(given)).toBe(isForWorker(log, index, agentId));
      }),
      RUNS,
    );
  });
});

describe("managerHistoryFilter", () => {
  it("shows all that the table says, and nothing else", () => {
    fc.assert(
      fc.property(histories, fc.nat(), fc.nat(), (entries, agentChoice, phaseChoice) => {
        const context = {
          ...choose("agentId", agentsOf(entries, "manager"), agentChoice),
          ...choose("phaseId", phasesOf(entries), phaseChoice),
        };
        const shown = filterHistory(deepFreeze(entries), managerHistoryFilter(), context);
        expect(idsOf(shown)).toEqual(
          expected(entries, (index) => isForManager(entries, index, context)),
        );
      }),
      RUNS,
    );
  });
});

describe("workerHistoryFilter", () => {
  it("shows all that the table says, and nothing else", () => {
    fc.assert(
      fc.property(histories, fc.nat(), memories, (entries, choice, memory) => {
        for (const { agentId } of [choose("agentId", agentsOf(entries, "worker"), choice)]) {
          fc.pre(agentId !== undefined);
          const filter = workerHistoryFilter({ memory });
          const shown = filterHistory(deepFreeze(entries), filter, { agentId });
          expect(idsOf(shown)).toEqual(
            expected(entries, (index) => isForWorker(entries, index, agentId, memory)),
          );
        }
      }),
      RUNS,
    );
  });

  it("keeps every worker's exchanges whole, so that repairing loses nothing (L1)", () => {
    fc.assert(
      fc.property(arbitraryHistory({ withAgents: "all" }), (entries) => {
        for (const agentId of agentsOf(entries, "worker")) {
          const shown = filterHistory(entries, workerHistoryFilter(), { agentId });
          const broken = checkHistory(shown).filter(({ law }) => law === "L1");
          // A global observation may have come while a call was out.
          expect(broken.filter(({ rule }) => rule !== "scattered-exchange")).toEqual([]);
        }
      }),
      RUNS,
    );
  });
});

describe("defaultHistoryFilter", () => {
  it("shows everything, by identity (L5)", () => {
    fc.assert(
      fc.property(anyHistory, (entries) => {
        expect(filterHistory(entries, defaultHistoryFilter())).toBe(entries);
      }),
      RUNS,
    );
  });
});

describe("every filter", () => {
  const filters: readonly HistoryFilter[] = [
    orchestratorHistoryFilter({ include: ["own", "reports", "syntheses"] }),
    managerHistoryFilter(),
    managerHistoryFilter({ earlierPhases: "previous" }),
    workerHistoryFilter(),
    workerHistoryFilter({ memory: "thread" }),
    defaultHistoryFilter(),
  ];
  const contexts = fc.record(
    { agentId: fc.nat(), phaseId: fc.nat(), turnId: fc.nat(), taskId: fc.nat() },
    { requiredKeys: [] },
  );

  it("shows a subsequence of what it was given, changes nothing and never throws (L2, L8)", () => {
    fc.assert(
      fc.property(anyHistory, contexts, fc.constantFrom(...filters), (entries, wanted, filter) => {
        const shown = filterHistory(deepFreeze(entries), filter, contextOf(entries, wanted));
        let next = 0;
        for (const entry of entries) if (entry === shown[next]) next += 1;
        expect(next).toBe(shown.length);
      }),
      RUNS,
    );
  });

  it("leaks nothing of a stranger, another turn or another phase (L10)", () => {
    fc.assert(
      fc.property(arbitraryHistory({ flat: false }), fc.nat(), (entries, choice) => {
        for (const agentId of agentsOf(entries, "worker")) {
          const shown = filterHistory(entries, workerHistoryFilter(), { agentId });
          expect(shown.filter((entry) => !mayWorkerSee(entry, agentId))).toEqual([]);
          expect(turnIdsOf(shown, ["memory"]).length).toBeLessThanOrEqual(1);
        }
        for (const agentId of agentsOf(entries, "manager")) {
          const phase = choose("phaseId", phasesOf(entries), choice);
          const shown = filterHistory(entries, managerHistoryFilter(), { agentId, ...phase });
          expect(shown.filter((entry) => !mayManagerSee(entry, agentId))).toEqual([]);
          expect(turnIdsOf(shown, ["memory"]).length).toBeLessThanOrEqual(1);
        }
        const shown = filterHistory(entries, orchestratorHistoryFilter());
        expect(shown.filter((entry) => !mayOrchestratorSee(entry))).toEqual([]);
      }),
      RUNS,
    );
  });
});

// What no role may ever see of another, whatever the marks.

function mayWorkerSee(entry: HistoryEntry, agentId: string): boolean {
  if (entry.type === "global_observation") return true;
  const types = ["task", "action", "observation", "error", "system_message", "memory", "summary"];
  return types.includes(entry.type) && (entry.agent === undefined || entry.agent.id === agentId);
}

function mayManagerSee(entry: HistoryEntry, agentId: string): boolean {
  if (entry.type === "synthesis" || entry.type === "final") return true;
  const types = ["task", "strategic_plan", "delegation", "system_message", "memory", "summary"];
  return types.includes(entry.type) && (entry.agent === undefined || entry.agent.id === agentId);
}

function mayOrchestratorSee(entry: HistoryEntry): boolean {
  const types = ["user_message", "assistant_message", "attachment"];
  const shared = ["system_message", "memory", "summary"];
  return types.includes(entry.type) || (shared.includes(entry.type) && entry.agent === undefined);
}

function turnIdsOf(entries: readonly HistoryEntry[], exempt: readonly string[]): readonly string[] {
  const bound = entries.filter(({ type }) => !exempt.includes(type));
  return [...new Set(bound.flatMap(({ turnId }) => turnId ?? []))];
}

function agentsOf(entries: readonly HistoryEntry[], role: string): readonly string[] {
  const agents = entries.flatMap(({ agent }) => (agent?.role === role ? [agent.id] : []));
  return [...new Set(agents)];
}

function phasesOf(entries: readonly HistoryEntry[]): readonly PhaseId[] {
  return [...new Set(entries.flatMap(({ phaseId }) => phaseId ?? []))];
}

function contextOf(
  entries: readonly HistoryEntry[],
  wanted: { readonly [Key in "agentId" | "phaseId" | "turnId" | "taskId"]?: number },
): FilterContext {
  const agents = entries.flatMap(({ agent }) => agent?.id ?? []);
  const turns = entries.flatMap(({ turnId }) => turnId ?? []);
  const tasks = entries.flatMap(({ type, id }) => (type === "task" ? [id] : []));
  return {
    ...(wanted.agentId === undefined ? {} : choose("agentId", agents, wanted.agentId)),
    ...(wanted.phaseId === undefined ? {} : choose("phaseId", phasesOf(entries), wanted.phaseId)),
    ...(wanted.turnId === undefined ? {} : choose("turnId", turns, wanted.turnId)),
    ...(wanted.taskId === undefined ? {} : choose("taskId", tasks, wanted.taskId)),
  };
}

function choose<Key extends string, Value>(
  key: Key,
  values: readonly Value[],
  choice: number,
): { readonly [Name in Key]?: Value } {
  const value = values[choice % Math.max(1, values.length)];
  return value === undefined ? {} : ({ [key]: value } as { readonly [Name in Key]?: Value });
}

function expected(
  entries: readonly HistoryEntry[],
  isSeen: (index: number) => boolean,
): readonly string[] {
  return idsOf(entries.filter((_, index) => isSeen(index)));
}

function idsOf(entries: readonly HistoryEntry[]): readonly string[] {
  return entries.map(({ id }) => id);
}
