import { ATTACHMENT, MEMORY, SYSTEM_MESSAGE } from "@agent-history/core";
import type {
  EntryType,
  FilterContext,
  HistoryFilter,
  HistoryQuery,
  QueryClause,
} from "@agent-history/core";

/** What every role sees in addition: system messages and memories that belong to its agent or to none, and the attachments of messages it sees. */
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

/** The turn being answered: the one in the context, or else the newest. */
export function currentTurn({ turnId }: FilterContext): NonNullable<QueryClause["turn"]> {
  return turnId === undefined ? { newest: true } : { id: turnId };
}

/** The current task: the one in the context, or else the agent's last, or else the last of all. */
export function currentTask({ agentId, taskId }: FilterContext): QueryClause {
  if (taskId !== undefined) return { task: taskId };
  return { lastTask: agentId === undefined ? {} : { of: agentId } };
}

/** Restricts a clause to entries of the context's agent, if it names one. */
export function byAgent({ agentId }: FilterContext): QueryClause {
  return agentId === undefined ? {} : { agent: agentId };
}

/**
 * Creates a filter that consists of a query. The call's context overrides the filter's own values; undefined fields do not.
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
