import type { HistoryEntry } from "@agent-history/core";
import { ENTRY_TYPES, splitTurns } from "@agent-history/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryHistory } from "./arbitrary-history.ts";
import { lawRuns } from "./law-runs.ts";

describe("arbitraryHistory", () => {
  const histories = fc.sample(arbitraryHistory(), { numRuns: 2000, seed: 1 });
  const entries = histories.flat();

  it("gives entries of every type that a model may be shown", () => {
    const shown = ENTRY_TYPES.filter((type) => type !== "opaque");
    expect(new Set(entries.map(({ type }) => type))).toEqual(new Set(shown));
  });

  it("gives small histories, large ones and the empty one", () => {
    const lengths = histories.map(({ length }) => length).toSorted((one, other) => one - other);

    expect(lengths[0]).toBe(0);
    expect(lengths[500]).toBeLessThanOrEqual(12);
    expect(lengths[1800]).toBeGreaterThanOrEqual(30);
    expect(lengths.at(-1)).toBe(40);
  });

  it("gives each entry an id of its own", () => {
    for (const history of histories) {
      expect(new Set(history.map(({ id }) => id)).size).toBe(history.length);
    }
  });

  it("gives times that do not order", () => {
    const chats = fc.sample(arbitraryHistory({ flat: true }), { numRuns: 500, seed: 1 });

    expect(chats.some((history) => history.some(isEarlier))).toBe(true);
  });

  it("gives what JSON can hold, and no field that is undefined", () => {
    expect(JSON.parse(JSON.stringify(entries))).toStrictEqual(entries);
  });

  it("gives the same history for the same seed", () => {
    expect(fc.sample(arbitraryHistory(), { numRuns: 50, seed: 1 })).toEqual(
      fc.sample(arbitraryHistory(), { numRuns: 50, seed: 1 }),
    );
  });

  it("interleaves the traces of agents", () => {
    expect(histories.filter(isInterleaved).length).toBeGreaterThan(200);
  });

  it("uses call ids again, by one agent and by two at once", () => {
    expect(histories.some((each) => repeats(callsOf(each).map((call) => call.id)))).toBe(true);
    expect(
      histories.some((each) => repeats(callsOf(each).map((call) => JSON.stringify(call)))),
    ).toBe(true);
  });

  it("gives parallel calls, empty results, actions without content and pinned entries", () => {
    const actions = entries.filter((entry) => entry.type === "action");
    const results = entries.filter((entry) => entry.type === "observation");

    expect(actions.some(({ toolCalls }) => toolCalls.length > 1)).toBe(true);
    expect(actions.some((action) => !("content" in action))).toBe(true);
    expect(results.some(({ content }) => content === "")).toBe(true);
    expect(results.some(({ actionId }) => actionId !== undefined)).toBe(true);
    expect(entries.some(({ pinned }) => pinned === true)).toBe(true);
  });

  it("gives one number to one source, and gives it again", () => {
    let isRepeated = false;
    for (const history of histories) {
      const ids = new Map<number, string>();
      const sources = history.flatMap((entry) => ("sources" in entry ? (entry.sources ?? []) : []));
      for (const { number, id } of sources) {
        isRepeated ||= ids.has(number);
        expect(ids.get(number) ?? id).toBe(id);
        ids.set(number, id);
      }
      expect(new Set(ids.values()).size).toBe(ids.size);
    }
    expect(isRepeated).toBe(true);
  });

  it("lets answers cite their sources", () => {
    const answers = entries.filter(({ type }) => type === "assistant_message");

    expect(answers.some(({ content }) => JSON.stringify(content).endsWith('[source0]"'))).toBe(
      true,
    );
  });

  it("lets references point at what stands before them", () => {
    fc.assert(
      fc.property(arbitraryHistory(), (history) => {
        const known = new Set<string>();
        for (const entry of history) {
          const references = [
            entry.type === "attachment" ? `user_message ${entry.messageId}` : undefined,
            entry.taskId === undefined ? undefined : `task ${entry.taskId}`,
            entry.type === "observation" && entry.actionId !== undefined
              ? `action ${entry.actionId}`
              : undefined,
          ];
          expect(references.filter((each) => each !== undefined && !known.has(each))).toEqual([]);
          known.add(`${entry.type} ${entry.id}`);
        }
      }),
      { numRuns: lawRuns(100) },
    );
  });

  it("writes under a task what the agent of the task writes, in its phase and turn", () => {
    const marked = arbitraryHistory({
      withAgents: "all",
      withTurnIds: "all",
      withPhaseIds: "all",
      withTaskIds: "all",
    });
    fc.assert(
      fc.property(marked, (history) => {
        const tasks = new Map(
          history.flatMap((entry) => (entry.type === "task" ? [[entry.id, entry]] : [])),
        );
        const underTasks = history.flatMap((entry) => {
          const task = tasks.get(entry.taskId ?? "");
          return task === undefined ? [] : [{ entry, task }];
        });
        for (const { entry, task } of underTasks) {
          expect(entry.type === "task" ? entry.from : entry.agent).toEqual(task.agent);
          expect([entry.turnId, entry.phaseId]).toEqual([task.turnId, task.phaseId]);
        }
      }),
      { numRuns: lawRuns(100) },
    );
  });

  it("lets managers and workers do one task after the other", () => {
    fc.assert(
      fc.property(arbitraryHistory({ withAgents: "all", withTaskIds: "all" }), (history) => {
        const current = new Map<string, string>();
        for (const entry of history) {
          if (entry.type === "task") current.set(entry.agent.id, entry.id);
          const { taskId, agent } = entry;
          if (agent === undefined || agent.role === "orchestrator" || taskId === undefined)
            continue;
          expect(entry.type === "task" ? entry.id : taskId).toBe(current.get(agent.id));
        }
      }),
      { numRuns: lawRuns(100) },
    );
  });

  it("gives phases by number, by name, taken up again, and the same in several turns", () => {
    const phases = new Set(entries.map(({ phaseId }) => phaseId));
    const isTakenUpAgain = histories.some((history) =>
      splitTurns(history).some((turn) => {
        const ids = turn.entries.flatMap(({ type, phaseId, agent }) =>
          type === "task" && agent?.role === "manager" ? (phaseId ?? []) : [],
        );
        return new Set(ids).size < ids.length;
      }),
    );

    expect(phases.has(1) && phases.has("1") && phases.has("__proto__")).toBe(true);
    expect(isTakenUpAgain).toBe(true);
  });

  it("runs phases at once, and lets what nobody wrote become known meanwhile", () => {
    const marked = fc.sample(arbitraryHistory({ withAgents: "all", withTaskIds: "all" }), {
      numRuns: 500,
      seed: 1,
    });
    const closesEarlierTask = (history: readonly HistoryEntry[]) => {
      const tasks = history.filter(
        ({ type, agent }) => type === "task" && agent?.role === "manager",
      );
      return history.some((entry, index) => {
        const newest = tasks.findLast((task) => history.indexOf(task) < index);
        return entry.type === "synthesis" && entry.taskId !== newest?.id;
      });
    };

    expect(marked.some(closesEarlierTask)).toBe(true);
    expect(
      marked.some((history) =>
        history.some(({ type, agent }) => type === "global_observation" && agent === undefined),
      ),
    ).toBe(true);
  });

  it("shrinks to few entries with short texts", () => {
    const hasAction = fc.property(
      arbitraryHistory(),
      (history) => !history.some(({ type }) => type === "action"),
    );
    for (let seed = 0; seed < 20; seed++) {
      const history = fc.check(hasAction, { seed }).counterexample?.[0] ?? [];
      expect(history.length).toBeGreaterThan(0);
      expect(history.length).toBeLessThanOrEqual(5);
      expect(JSON.stringify(history).length).toBeLessThan(1000);
    }
  });
});

function isEarlier(entry: HistoryEntry, index: number, history: readonly HistoryEntry[]): boolean {
  return entry.createdAtMs < (history[index - 1]?.createdAtMs ?? 0);
}

/** Says whether another agent's entry stands before an observation. */
function isInterleaved(history: readonly HistoryEntry[]): boolean {
  return history.some((entry, index) => {
    const before = history[index - 1]?.agent;
    return entry.type === "observation" && before !== undefined && before.id !== entry.agent?.id;
  });
}

function callsOf(history: readonly HistoryEntry[]): readonly { id: string; agentId?: string }[] {
  return history.flatMap((entry) =>
    entry.type === "action"
      ? entry.toolCalls.map(({ id }) => ({ id, agentId: entry.agent?.id ?? "" }))
      : [],
  );
}

function repeats(texts: readonly string[]): boolean {
  return new Set(texts).size < texts.length;
}
