import type { AgentRole, PhaseId } from "./entry-base.ts";
import type { EntryTypeName } from "./entry-types.ts";
import type { HistoryEntry } from "./history-entry.ts";
import type { HistoryView } from "./history-view.ts";
import { isUserMessage, turnNumbering } from "./split-turns.ts";
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
  /** Where to look; missing where that is worked out for each clause. */
  readonly places?: ClausePlaces;
}

/** Where in a history stand what clauses ask for. */
export interface ClausePlaces {
  /** The numbers of turns by their ids. */
  readonly numbers: ReadonlyMap<string | undefined, number>;
  /** The index of the first entry of each turn, by its number. */
  readonly firstOfTurn: readonly number[];
  /** The index of the first entry that names a task or is it, by the task's id. */
  readonly firstOfTask: ReadonlyMap<string | undefined, number>;
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
  return finish(clauseContextSteps(entries));
}

/** Does what `clauseContext` does, in steps. */
export function* clauseContextSteps(entries: readonly HistoryEntry[]): Steps<ClauseContext> {
  const { context, readOn } = growingContext(entries, entries.some(isUserMessage));
  yield* readOn();
  return context;
}

/** The facts of a history that may grow. */
export interface GrowingContext {
  readonly context: ClauseContext;
  /** The numbers of turns by their ids. */
  readonly numbers: ReadonlyMap<string | undefined, number>;
  /** Works out the facts of the entries that were not read yet. */
  readonly readOn: () => Steps<void>;
}

/** Begins to work out the facts of a history, of which nothing is read yet. Entries may be added to its end, unless they change what is known of those before. */
export function growingContext(
  entries: readonly HistoryEntry[],
  hasUserMessages: boolean,
): GrowingContext {
  const { numberOf, numbers } = turnNumbering(hasUserMessages ? isUserMessage : undefined);
  const indexes = new Map<string | undefined, number>();
  const lastOfAgent = new Map<string | undefined, number>();
  const turns: number[] = [];
  const taskOf: (number | undefined)[] = [];
  const phases: (PhaseId | undefined)[] = [];
  const context = { entries, turns, newestTurn: 0, taskOf, phases };
  return { context, numbers, readOn };

  function* readOn(): Steps<void> {
    const from = turns.length;
    const added = from === 0 ? entries : entries.slice(from);
    yield* inSteps(added, (entry, nth) => {
      const turn = numberOf(entry);
      turns.push(turn);
      context.newestTurn = Math.max(context.newestTurn, turn);
      if (entry.type === "task") indexes.set(entry.id, from + nth);
    });
    yield* inSteps(added, ({ type, taskId, agent, phaseId }, nth) => {
      if (type === "task") lastOfAgent.set(agent?.id, from + nth);
      const last = type === "task" ? undefined : lastOfAgent.get(agent?.id);
      const task = taskId === undefined ? last : indexes.get(taskId);
      taskOf.push(task);
      const isSameTurn = task !== undefined && turns[task] === turns[from + nth];
      phases.push(phaseId ?? (isSameTurn ? entries[task]?.phaseId : undefined));
    });
  }
}
