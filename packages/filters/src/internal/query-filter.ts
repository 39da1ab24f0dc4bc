import { ATTACHMENT, MEMORY, SYSTEM_MESSAGE } from "@agent-history/core";
import type {
  EntryType,
  FilterContext,
  HistoryFilter,
  HistoryQuery,
  QueryClause,
} from "@agent-history/core";

/** What every role sees beside its own: instructions and memories that are its own or nobody's, and the uploads of messages it sees. */
export function sharedClauses(
  { agentId }: FilterContext,
  more: readonly EntryType[] = [],
): readonly QueryClause[] {
  const types = [SYSTEM_MESSAGE, MEMORY, ...more];
  return [
    { types, unowned: true },
    ...(agentId === undefined ? [] : [{ types, agent: agentId }]),
    { types: [ATTACHMENT], attachedToShown: true },
  ];
}

/** The turn being answered: the one the context names, else the newest. */
export function currentTurn({ turnId }: FilterContext): NonNullable<QueryClause["turn"]> {
  return turnId === undefined ? { newest: true } : { id: turnId };
}

/** The task being done: the one the context names, else the last of the agent, else the last of all. */
export function currentTask({ agentId, taskId }: FilterContext): QueryClause {
  if (taskId !== undefined) return { task: taskId };
  return { lastTask: agentId === undefined ? {} : { of: agentId } };
}

/** Keeps a clause to what one agent wrote, where the context names it. */
export function byAgent({ agentId }: FilterContext): QueryClause {
  return agentId === undefined ? {} : { agent: agentId };
}

/**
 * Makes a filter that is nothing but a query. What the context gives goes before the filter's own; what it leaves undefined does not.
 */
export function queryFilter(
  name: string,
  own: FilterContext,
  query: (context: FilterContext) => HistoryQuery,
): HistoryFilter {
  return {
    name,
    query: (given) => {
      const stated = Object.entries(given).filter(([, value]) => value !== undefined);
      return query({ ...own, ...Object.fromEntries(stated) });
    },
  };
}
