import { HistoryError } from "@agent-history/core";
import type {
  AgentRole,
  FilterContext,
  HistoryFilter,
  HistoryQuery,
  ModelWindow,
  Viewer,
} from "@agent-history/core";

import type { HistoryManagerOptions } from "../history-manager-options.ts";
import type { ModelCallRequest } from "../model-call.ts";
import type { Scope } from "../scope.ts";

/** A model call with all that follows from the manager's options and scope. */
export interface ResolvedCall {
  readonly request: ModelCallRequest;
  readonly context: FilterContext;
  readonly filter: HistoryFilter;
  /** What the filter reads. */
  readonly query: HistoryQuery;
  readonly window: ModelWindow;
  readonly viewer: Viewer;
  /** Whose plan it continues. */
  readonly slot: string;
}

/** Fills in what a request leaves out. */
export function resolveCall(
  options: HistoryManagerOptions,
  scope: Scope,
  request: ModelCallRequest,
): ResolvedCall {
  requireSystemMessage(request.systemMessage);
  const context = contextOf(scope, request);
  const { role, agentId } = context;
  const filter = request.filter ?? filterOf(options, role);
  return {
    request,
    context,
    filter,
    query: filter.query(context),
    window: request.window ?? windowOf(options, role),
    viewer: agentId === undefined ? {} : { agentId },
    slot: JSON.stringify([role ?? null, agentId ?? null, request.purpose ?? null]),
  };
}

/** Without one a prompt would begin with an empty message. */
function requireSystemMessage(content: unknown): void {
  if (typeof content === "string" || Array.isArray(content)) return;
  throw new HistoryError("Expected `systemMessage` to be a string or an array of parts.", {
    code: "INVALID_OPTION",
    details: { option: "systemMessage" },
  });
}

const CONTEXT_FIELDS = [
  "role",
  "agentId",
  "turnId",
  "phaseId",
  "previousPhaseId",
  "taskId",
  "maxConversationTurns",
] as const;

/** The request's own, else the scope's. A scope is its agent's: for another agent its task says nothing. */
export function contextOf(
  { agent, taskId, turnId, phaseId }: Scope,
  request: Partial<ModelCallRequest>,
): FilterContext {
  const isOther = request.agentId !== undefined && request.agentId !== agent?.id;
  const own = isOther ? {} : { role: agent?.role, agentId: agent?.id, taskId };
  const all: FilterContextFields = { turnId, phaseId, ...own };
  const given = CONTEXT_FIELDS.map((name) => [name, request[name] ?? all[name]] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

type FilterContextFields = {
  readonly [Name in keyof FilterContext]?: FilterContext[Name] | undefined;
};

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
  // Showing a role everything would be the very leak that filters are for.
  throw new HistoryError(
    `Expected \`filters.${role}\` to define what the role ${role} sees. Pass a filter for each role that asks.`,
    { code: "INVALID_OPTION", details: { option: `filters.${role}` } },
  );
}

function windowOf({ window }: HistoryManagerOptions, role: AgentRole | undefined): ModelWindow {
  if ("contextTokens" in window) return window;
  return window[role ?? "default"] ?? window.orchestrator;
}
