import { agentView, HistoryError } from "@agent-history/core";
import type {
  AgentRole,
  FilterContext,
  HistoryFilter,
  HistoryQuery,
  HistoryView,
  ModelWindow,
  Viewer,
} from "@agent-history/core";

import type { HistoryManagerOptions } from "../history-manager-options.ts";
import type { Scope } from "../history-manager.ts";
import type { ModelCallRequest } from "../model-call.ts";

/** A model call, completed from the manager's options and scope. */
export interface ResolvedCall {
  readonly request: ModelCallRequest;
  readonly context: FilterContext;
  readonly filter: HistoryFilter;
  /** The filter's context. */
  readonly query: HistoryQuery;
  readonly window: ModelWindow;
  readonly viewer: Viewer;
  /** Key of the plan that it continues. */
  readonly slot: string;
}

/** Fills in missing fields of a request. */
export function resolveCall(
  options: HistoryManagerOptions,
  scope: Scope,
  request: ModelCallRequest,
): ResolvedCall {
  const { systemMessage, purpose = null } = request;
  if (typeof systemMessage !== "string" && !Array.isArray(systemMessage)) {
    // Without one a prompt would begin with an empty message.
    throw new HistoryError("Expected `systemMessage` to be a string or an array of parts.", {
      code: "INVALID_OPTION",
      details: { option: "systemMessage" },
    });
  }
  const context = contextOf(scope, request);
  const { role, agentId } = context;
  const filter = request.filter ?? filterOf(options, role);
  const { window } = options;
  const ofRole =
    "contextTokens" in window ? window : (window[role ?? "default"] ?? window.orchestrator);
  return {
    request,
    context,
    filter,
    query: filter.query(context),
    window: request.window ?? ofRole,
    viewer: agentId === undefined ? {} : { agentId },
    slot: JSON.stringify([role ?? null, agentId ?? null, purpose]),
  };
}

/** The request's own value, else the scope's. Role and task of the scope apply only to its own agent. */
export function contextOf(scope: Scope, request: FilterContext): FilterContext {
  const { agent } = scope;
  const isOther = request.agentId !== undefined && request.agentId !== agent?.id;
  return {
    role: request.role ?? (isOther ? undefined : agent?.role),
    agentId: request.agentId ?? agent?.id,
    turnId: request.turnId ?? scope.turnId,
    phaseId: request.phaseId ?? scope.phaseId,
    previousPhaseId: request.previousPhaseId,
    taskId: request.taskId ?? (isOther ? undefined : scope.taskId),
    maxConversationTurns: request.maxConversationTurns,
  };
}

/** Everything, with the compactions of the whole thread. */
const EVERYTHING: HistoryFilter = {
  name: "everything",
  query: () => ({ clauses: [{}], view: "thread" }),
};

export function filterOf(
  { filters }: HistoryManagerOptions,
  role: AgentRole | undefined,
): HistoryFilter {
  const filter = filters?.[role ?? "default"];
  if (filter !== undefined) return filter;
  if (role === undefined || filters === undefined) return EVERYTHING;
  // Showing everything to a role without a filter would leak.
  throw new HistoryError(
    `Expected \`filters.${role}\` to define what the role ${role} sees. Pass a filter for each role that asks.`,
    { code: "INVALID_OPTION", details: { option: `filters.${role}` } },
  );
}

/** The view whose summaries the scope's prompts show; for an agent whose prompts show none, its own view. */
export function viewOf(options: HistoryManagerOptions, scope: Scope): HistoryView {
  const context = contextOf(scope, {});
  const { view } = filterOf(options, context.role).query(context);
  return view ?? (context.agentId === undefined ? "thread" : agentView(context.agentId));
}
