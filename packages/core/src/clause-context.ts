import type { AgentRole, PhaseId } from "./entry-base.ts";
import type { EntryTypeName } from "./entry-types.ts";
import type { HistoryEntry } from "./history-entry.ts";
import type { HistoryView } from "./history-view.ts";
import { isUserMessage, turnNumbering } from "./split-turns.ts";

/** What clauses ask about a history: for each entry, by its index. */
export interface ClauseContext {
  readonly entries: readonly ClauseEntry[];
  /** The number of its turn. */
  readonly turns: readonly number[];
  readonly newestTurn: number;
  /** The index of the task that it was written under, which stands before it: its `taskId`, else (but for a task) the last task of its agent. */
  readonly taskOf: readonly (number | undefined)[];
  /** Its phase: its own, else that of its task in the same turn. */
  readonly phases: readonly (PhaseId | undefined)[];
  /** Where to look; missing where that is worked out for each clause. */
  readonly places?: ClausePlaces;
}

/** Where in a history stand what clauses ask for. */
export interface ClausePlaces {
  /** The numbers of turns by their ids. */
  readonly numbers: ReadonlyMap<string | undefined, number>;
  /** The index of the last task of each agent, by its id. */
  readonly lastTaskOf: ReadonlyMap<string | undefined, number>;
  /** The index of the last task of all. */
  readonly lastTask: number | undefined;
}

/** What clauses ask of an entry itself. */
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

/** What clauses ask of an agent. Where references stand for entries, its role is not known. */
export interface ClauseAgent {
  readonly id: string;
  readonly role?: AgentRole;
}

/** Works out the facts of a history. Linear. */
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
