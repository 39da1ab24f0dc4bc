import type { PhaseId } from "../entry-base.ts";
import { findLastTask } from "../find-last-task.ts";
import type { HistoryEntry } from "../history-entry.ts";
import { numberTurns } from "../split-turns.ts";
import type { TaskEntry } from "../trace-entries.ts";

/** What clauses ask about a history. Each fact is worked out when it is first asked for. */
export interface ThreadFacts {
  readonly entries: readonly HistoryEntry[];
  /** The number of each entry's turn. */
  readonly turns: () => readonly number[];
  /** The number of the turn that bears this id. */
  readonly turnOfId: (turnId: string) => number | undefined;
  /** The phase of each entry: its own, else that of its task in the same turn. */
  readonly phases: () => readonly (PhaseId | undefined)[];
  /** The phases of a turn with the index of the first entry of each, in the order they began. */
  readonly phaseStarts: (turn: number) => ReadonlyMap<PhaseId, number>;
  /** The task that each entry was written under: its `taskId`, else the last task of its agent. */
  readonly taskOf: () => readonly (string | undefined)[];
  /** The task of this id. */
  readonly task: (taskId: string) => TaskEntry | undefined;
  /** The index of the last task of this agent, or of the thread; -1 where there is none. */
  readonly lastTask: (agentId: string | undefined) => number;
}

/** Works out facts of a history on demand. */
export function threadFacts(entries: readonly HistoryEntry[]): ThreadFacts {
  const turns = once(() => numberTurns(entries));
  const turnOfId = once(() => turnIds(entries, turns()));
  const tasks = once(() => tasksById(entries));
  const taskOf = once(() => effectiveTasks(entries));
  const phases = once(() => effectivePhases(entries, taskOf(), turns()));
  const phaseStarts = once(() => firstEntryOfPhases(phases(), turns()));

  return {
    entries,
    turns,
    turnOfId: (turnId) => turnOfId().get(turnId),
    phases,
    phaseStarts: (turn) => phaseStarts().get(turn) ?? new Map<PhaseId, number>(),
    taskOf,
    task: (taskId) => tasks().get(taskId),
    lastTask: (agentId) => findLastTask(entries, agentId),
  };
}

function turnIds(
  entries: readonly HistoryEntry[],
  turns: readonly number[],
): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const [index, { turnId }] of entries.entries()) {
    if (turnId !== undefined) found.set(turnId, turns[index] ?? 0);
  }
  return found;
}

function effectivePhases(
  entries: readonly HistoryEntry[],
  taskOf: readonly (string | undefined)[],
  turns: readonly number[],
): readonly (PhaseId | undefined)[] {
  const tasks = new Map<string | undefined, { readonly turn: number; readonly phase: PhaseId }>();
  for (const [index, { type, id, phaseId }] of entries.entries()) {
    if (type === "task" && phaseId !== undefined) {
      tasks.set(id, { turn: turns[index] ?? 0, phase: phaseId });
    }
  }
  return entries.map(({ phaseId }, index) => {
    if (phaseId !== undefined) return phaseId;
    const task = tasks.get(taskOf[index]);
    return task?.turn === turns[index] ? task?.phase : undefined;
  });
}

function firstEntryOfPhases(
  phases: readonly (PhaseId | undefined)[],
  turns: readonly number[],
): ReadonlyMap<number, ReadonlyMap<PhaseId, number>> {
  const starts = new Map<number, Map<PhaseId, number>>();
  for (const [index, phase] of phases.entries()) {
    if (phase === undefined) continue;
    const turn = turns[index] ?? 0;
    const ofTurn = starts.get(turn) ?? new Map<PhaseId, number>();
    if (!ofTurn.has(phase)) ofTurn.set(phase, index);
    starts.set(turn, ofTurn);
  }
  return starts;
}

function tasksById(entries: readonly HistoryEntry[]): ReadonlyMap<string, TaskEntry> {
  const found = new Map<string, TaskEntry>();
  for (const entry of entries) if (entry.type === "task") found.set(entry.id, entry);
  return found;
}

function effectiveTasks(entries: readonly HistoryEntry[]): readonly (string | undefined)[] {
  const lastOfAgent = new Map<string, string>();
  return entries.map((entry) => {
    if (entry.type === "task") {
      lastOfAgent.set(entry.agent.id, entry.id);
      return entry.taskId;
    }
    if (entry.taskId !== undefined || entry.agent === undefined) return entry.taskId;
    return lastOfAgent.get(entry.agent.id);
  });
}

function once<Value>(work: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: work() }).value;
}
