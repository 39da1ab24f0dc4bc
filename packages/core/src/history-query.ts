import type { EntryTypeName } from "./entry-types.ts";
import type { AgentRole, PhaseId } from "./history-entry.ts";
import type { HistoryView } from "./history-view.ts";

/**
 * A query as data: it returns the entries that meet at least one clause, within one range and limit over these entries.
 * `selectEntries` defines its meaning; a store may answer it from its indexes.
 */
export interface HistoryQuery {
  /** An entry meets a clause if it meets all of its conditions; every entry meets `{}`. Without clauses, nothing is returned. */
  readonly clauses: readonly QueryClause[];
  /** The view whose compactions a read applies before it selects. Default: none. */
  readonly view?: HistoryView;
  /** Only entries after the entry of this id, which must be in the history. */
  readonly after?: string;
  /** Only entries before the entry of this id, which must be in the history. */
  readonly before?: string;
  /** The newest n entries. `0` none, `Infinity` all (the default). */
  readonly maxEntries?: number;
  /** The newest entries of at most this many bytes together: UTF-8, as JSON. `0` none, `Infinity` all (the default). */
  readonly maxBytes?: number;
  /** Leaves out an exchange that is not returned whole. Default `false`: a range or limit may end between a call and its result. */
  readonly wholeExchanges?: boolean;
}

/** The conditions of one clause. A missing condition is met by every entry. */
export interface QueryClause {
  /**
   * Has one of these ids; unknown ids match nothing. At most 500 (`MAX_QUERY_IDS`) in all clauses of a query. Stores look
   * them up: if all clauses have ids, a query reads only these entries of the log.
   */
  readonly ids?: readonly string[];
  /** Has one of these types. Custom types are returned only if a clause names them, or names no types. */
  readonly types?: readonly EntryTypeName[];
  /** Belongs to this turn: the newest (`{ newest: true }`), or the one of this id. */
  readonly turn?: { readonly newest: true } | { readonly id: string };
  /** Belongs to one of the last turns, from the user message that begins the oldest of them. */
  readonly lastTurns?: LastTurns;
  /** Was written in one of these phases: its own `phaseId`, else that of its task in the same turn. */
  readonly phases?: readonly PhaseId[];
  /** Was written in a phase of its turn that began before this one. */
  readonly beforePhase?: BeforePhase;
  /** Was written by this agent. */
  readonly agent?: string;
  /** Was written by an agent of this role. Stores read the whole log for it: name the agent if you know it. */
  readonly role?: AgentRole;
  /** Was written by no agent. */
  readonly unowned?: true;
  /** Is this task, or was written under it and after it; tasks given under it do not match. */
  readonly task?: string;
  /** Is the last task of this agent (without `of`: of the thread), or was written under it. Matches nothing without such a task. */
  readonly lastTask?: { readonly of?: string };
  /** Was written under a task that this agent gave. */
  readonly underTaskFrom?: string;
  /** Was written under a task that an agent of this role gave. Stores read the whole log for it, as for `role`. */
  readonly underTaskFromRole?: AgentRole;
  /** Is a summary of the query's view. */
  readonly standsInView?: true;
  /** Is an attachment of a user message that another clause matches. */
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
   * How many turns to drop at a time once there are more than `count`. The oldest turn then moves in
   * steps, which keeps the provider's cached prefix. From 1 to `count`. Default 1.
   */
  readonly stride?: number;
}
