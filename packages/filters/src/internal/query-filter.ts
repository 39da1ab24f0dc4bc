import { ATTACHMENT, MEMORY, SUMMARY, SYSTEM_MESSAGE, agentView } from "@agent-history/core";
import type {
  FilterContext,
  HistoryFilter,
  HistoryQuery,
  HistoryView,
  QueryClause,
} from "@agent-history/core";

/** What every role sees beside its own: instructions, memories and provider's summaries that are its own or nobody's, the summaries of its view, and the uploads of messages it sees. */
export function sharedClauses({ agentId }: FilterContext): readonly QueryClause[] {
  const types = [SYSTEM_MESSAGE, MEMORY, SUMMARY] as const;
  return [
    { types, unowned: true },
    ...(agentId === undefined ? [] : [{ types, agent: agentId }]),
    { types: [SUMMARY], standsInView: true },
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

/** The view whose compactions an agent sees. */
export function viewOf({ agentId }: FilterContext): { readonly view?: HistoryView } {
  return agentId === undefined ? {} : { view: agentView(agentId) };
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
