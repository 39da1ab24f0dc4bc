import type { EntryTypeName } from "./entry-types.ts";
import type { AgentRole, PhaseId } from "./history-entry.ts";
import type { HistoryView } from "./history-view.ts";

/**
 * What to show of a thread, as data: an entry is shown when it meets at least one clause, and lies in the one range and
 * limit over what the clauses show. `selectEntries` is its meaning; a store may answer it from its indexes.
 */
export interface HistoryQuery {
  /** An entry meets a clause when it meets every condition of it; `{}` is met by every entry. No clause shows nothing. */
  readonly clauses: readonly QueryClause[];
  /** Whose compactions a read applies before it selects. Default: none. */
  readonly view?: HistoryView;
  /** Shows only what comes after the entry of this id, which must be in the history. */
  readonly after?: string;
  /** Shows only what comes before the entry of this id, which must be in the history. */
  readonly before?: string;
  /** The newest n entries. `0` none, `Infinity` all (the default). */
  readonly maxEntries?: number;
  /**
   * The newest entries of at most this many tokens together, by the counts that are stored beside them (`append(…, { tokens })`; the highest if several
   * counters have counted an entry). An entry without a stored count counts its bytes, which are never fewer than its tokens: without stored counts use `maxBytes`. `0` none, `Infinity` all (the default).
   */
  readonly maxTokens?: number;
  /** The newest entries of at most this many bytes together: UTF-8, as JSON. `0` none, `Infinity` all (the default). */
  readonly maxBytes?: number;
  /** Leaves out an exchange that is not shown whole. Default `false`: a range or limit may end between a call and its result. */
  readonly wholeExchanges?: boolean;
}

/** The conditions of one clause. A condition that is left out is met by every entry. */
export interface QueryClause {
  /**
   * Has one of these ids; an id that is not in the history shows nothing. At most 500 (`MAX_QUERY_IDS`) in all clauses of a query. A
   * store looks such entries up: a query whose clauses all have ids reads these entries and no more of the log.
   */
  readonly ids?: readonly string[];
  /** Is one of these types. Types of the user's own are shown only where a clause names them, or names none. */
  readonly types?: readonly EntryTypeName[];
  /** Belongs to this turn: the newest (`{ newest: true }`), or the one of this id. */
  readonly turn?: { readonly newest: true } | { readonly id: string };
  /** Belongs to one of the last turns, from the user message that begins the oldest of them. */
  readonly lastTurns?: LastTurns;
  /** Was written in one of these phases: its own `phaseId`, else that of its task in the same turn. */
  readonly phases?: readonly PhaseId[];
  /** Was written in a phase of its turn that began before this one did. */
  readonly beforePhase?: BeforePhase;
  /** Was written by this agent. */
  readonly agent?: string;
  /** Was written by an agent of this role. A store reads the whole log for it: name the agent where it is known. */
  readonly role?: AgentRole;
  /** Was written by no agent. */
  readonly unowned?: true;
  /** Is this task, or was written under it and after it. Excludes tasks given under it. */
  readonly task?: string;
  /** Is the last task of this agent (without `of`: of the thread), or was written under it. Matches nothing without such a task. */
  readonly lastTask?: { readonly of?: string };
  /** Was written under a task that this agent gave. */
  readonly underTaskFrom?: string;
  /** Was written under a task that an agent of this role gave. A store reads the whole log for it, as for `role`. */
  readonly underTaskFromRole?: AgentRole;
  /** Is a summary of the query's view. */
  readonly standsInView?: true;
  /** Is an attachment of a user message that another clause shows. */
  readonly attachedToShown?: true;
}

/** The phases of a turn that began before one did. */
export interface BeforePhase {
  readonly id: PhaseId;
  /** How many, the nearest first. `0` none, `Infinity` all (the default), including earlier entries without a phase. */
  readonly count?: number;
}

/** The last turns of a thread. */
export interface LastTurns {
  /** How many. `0` none, `Infinity` all. */
  readonly count: number;
  /**
   * How many turns are forgotten at a time once there are more than `count`. The oldest turn shown then moves in
   * steps, which keeps the provider's cached prefix. From 1 to `count`. Default 1.
   */
  readonly stride?: number;
}
