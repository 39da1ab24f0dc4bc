import type { AgentRole, PhaseId } from "./entry-base.ts";
import type { EntryTypeName } from "./entry-types.ts";
import type { HistoryEntry } from "./history-entry.ts";
import type { HistoryView } from "./history-view.ts";
import { isUserMessage, turnNumbering } from "./split-turns.ts";

/** Facts about each entry of a history, by index, that clauses test. */
export interface ClauseContext {
  readonly entries: readonly ClauseEntry[];
  /** The number of its turn. */
  readonly turns: readonly number[];
  readonly newestTurn: number;
  /** Index of the task that it was written under: by `taskId`, else (except for a task) the last task of its agent before it. */
  readonly taskOf: readonly (number | undefined)[];
  /** Its phase: its own, else that of its task in the same turn. */
  readonly phases: readonly (PhaseId | undefined)[];
  /** Lookup tables; missing if they are computed for each clause. */
  readonly places?: ClausePlaces;
}

/** Positions in a history that clauses refer to. */
export interface ClausePlaces {
  /** Turn numbers by turn id. */
  readonly numbers: ReadonlyMap<string | undefined, number>;
  /** Index of the last task of each agent, by agent id. */
  readonly lastTaskOf: ReadonlyMap<string | undefined, number>;
  /** Index of the thread's last task. */
  readonly lastTask: number | undefined;
}

/** Fields of an entry that clauses test. */
export interface ClauseEntry {
  readonly id: string;
  readonly type: EntryTypeName;
  readonly turnId?: string;
  readonly taskId?: string;
  readonly agent?: ClauseAgent;
  readonly from?: ClauseAgent;
  readonly messageId?: string;
  readonly view?: HistoryView;
}

/** Fields of an agent that clauses test. Stores that keep references only do not know the role. */
export interface ClauseAgent {
  readonly id: string;
  readonly role?: AgentRole;
}

/** Computes the facts of a history. Linear. */
export function clauseContext(entries: readonly HistoryEntry[]): ClauseContext {
  const hasUserMessages = entries.some(isUserMessage);
  const { numberOf } = turnNumbering(hasUserMessages ? isUserMessage : undefined);
  const turns = entries.map((entry) => numberOf(entry));
  const indexes = new Map<string | undefined, number>();
  const lastOfAgent = new Map<string | undefined, number>();
  const taskOf = entries.map(({ type, id, taskId, agent }, index) => {
    const task = taskId === undefined ? undefined : indexes.get(taskId);
    if (type !== "task") return taskId === undefined ? lastOfAgent.get(agent?.id) : task;
    lastOfAgent.set(agent?.id, index);
    indexes.set(id, index);
    return task;
  });
  const phases = entries.map(({ phaseId }, index) => {
    const task = taskOf[index];
    const isSameTurn = task !== undefined && turns[task] === turns[index];
    return phaseId ?? (isSameTurn ? entries[task]?.phaseId : undefined);
  });
  const newestTurn = turns.reduce((newest, turn) => Math.max(newest, turn), 0);
  return { entries, turns, newestTurn, taskOf, phases };
}
