import type { AgentRole, PhaseId } from "./entry-base.ts";
import type { EntryTypeName } from "./entry-types.ts";
import type { HistoryEntry } from "./history-entry.ts";
import type { HistoryView } from "./history-view.ts";
import { turnSteps } from "./split-turns.ts";
import { finish, inSteps } from "./steps.ts";
import type { Steps } from "./steps.ts";

/** What clauses ask about a history: for each entry, by its index. */
export interface ClauseContext {
  readonly entries: readonly ClauseEntry[];
  /** The number of its turn. */
  readonly turns: readonly number[];
  readonly newestTurn: number;
  /** The index of the task that it was written under: its `taskId`, else (but for a task) the last task of its agent. */
  readonly taskOf: readonly (number | undefined)[];
  /** Its phase: its own, else that of its task in the same turn. */
  readonly phases: readonly (PhaseId | undefined)[];
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
  return finish(clauseContextSteps(entries));
}

/** Does what `clauseContext` does, in steps. */
export function* clauseContextSteps(entries: readonly HistoryEntry[]): Steps<ClauseContext> {
  const turns = yield* turnSteps(entries);
  const indexes = new Map<string | undefined, number>();
  yield* inSteps(entries, ({ type, id }, index) => {
    if (type === "task") indexes.set(id, index);
  });
  const lastOfAgent = new Map<string | undefined, number>();
  const taskOf: (number | undefined)[] = [];
  const phases: (PhaseId | undefined)[] = [];
  let newestTurn = 0;
  yield* inSteps(entries, ({ type, taskId, agent }, index) => {
    if (type === "task") lastOfAgent.set(agent?.id, index);
    const last = type === "task" ? undefined : lastOfAgent.get(agent?.id);
    taskOf.push(taskId === undefined ? last : indexes.get(taskId));
    newestTurn = Math.max(newestTurn, turns[index] ?? 0);
  });
  yield* inSteps(entries, ({ phaseId }, index) => {
    const task = taskOf[index] ?? -1;
    phases.push(phaseId ?? (turns[task] === turns[index] ? entries[task]?.phaseId : undefined));
  });
  return { entries, turns, newestTurn, taskOf, phases };
}
