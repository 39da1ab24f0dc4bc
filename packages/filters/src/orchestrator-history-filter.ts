import {
  CONVERSATION_TYPES,
  COORDINATION_TYPES,
  FINAL,
  HistoryError,
  SUMMARY,
  SYNTHESIS,
  countOption,
} from "@agent-history/core";
import type { FilterContext, HistoryFilter, QueryClause } from "@agent-history/core";

import { currentTurn, sharedClauses, queryFilter } from "./internal/query-filter.ts";

/** Entries of the current turn that can be added to the conversation. */
export type OrchestratorInclusion = "own" | "reports" | "syntheses";

/** Options of {@link orchestratorHistoryFilter}. */
export interface OrchestratorHistoryFilterOptions extends FilterContext {
  /** Turns of conversation to show. `0` none, `Infinity` all. Default 8. */
  readonly maxConversationTurns?: number | undefined;
  /**
   * Entries of the current turn to show in addition to the conversation: `own`, its plans and delegations; `reports`, the `final`s
   * of tasks that it gave; `syntheses`, the managers' summaries of their phases. An orchestrator that leads agents directly
   * needs all three. Default `[]`.
   */
  readonly include?: readonly OrchestratorInclusion[] | undefined;
  /**
   * How many turns are dropped at a time, from 1 to `maxConversationTurns`: between two such drops the provider's cached prefix stays valid.
   * Default 4, but at most half of `maxConversationTurns`. Right after a drop, `forgetTurns - 1` fewer turns are shown.
   */
  readonly forgetTurns?: number | undefined;
}

/**
 * Creates the orchestrator's filter: the last turns of the conversation, whole, beginning with a user message.
 *
 * It never shows traces, tool results, or completion signals of earlier turns. With `include`, it also shows the
 * orchestrator's own plans and delegations, the reports to it and the syntheses, all of the current turn. Pass the
 * `agentId` in a team with several orchestrators; without it, every entry of that role or without an agent counts as its own.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if `include` has an unknown value, or a number of turns is not
 * a non-negative integer or `Infinity`, here or in the context.
 *
 * @example
 * ```ts
 * import { assistantMessage, userMessage } from "@agent-history/core";
 * import { filterHistory, orchestratorHistoryFilter } from "@agent-history/filters";
 *
 * const history = [1, 2, 3].flatMap((turn) => [
 *   userMessage({ id: `u${turn}`, content: "Question" }),
 *   assistantMessage({ id: `a${turn}`, content: "Answer" }),
 * ]);
 * filterHistory(history, orchestratorHistoryFilter({ maxConversationTurns: 2 })).map(({ id }) => id);
 * // => ["u2", "a2", "u3", "a3"]
 * ```
 */
export function orchestratorHistoryFilter(
  options: OrchestratorHistoryFilterOptions = {},
): HistoryFilter {
  const { include = [] } = options;
  const turns = countOption("maxConversationTurns", options.maxConversationTurns ?? 8);
  const { forgetTurns } = options;
  if (forgetTurns !== undefined) checkForgetTurns(forgetTurns, turns);
  checkInclude(include);

  return queryFilter("orchestrator", options, (context) => {
    const count = countOption("maxConversationTurns", context.maxConversationTurns ?? turns);
    const stride = Math.min(forgetTurns ?? Math.min(4, Math.floor(count / 2)), count);
    return {
      clauses: [
        { types: CONVERSATION_TYPES, lastTurns: { count, stride: Math.max(stride, 1) } },
        ...include.flatMap((part) => INCLUDED[part](context)),
        { types: [SUMMARY], standsInView: true },
        ...sharedClauses(context, [SUMMARY]),
      ],
      view: "conversation",
    };
  });
}

function checkForgetTurns(forgetTurns: number, turns: number): void {
  if (Number.isInteger(forgetTurns) && forgetTurns >= 1 && forgetTurns <= Math.max(turns, 1))
    return;
  throw new HistoryError(
    `Expected \`forgetTurns\` to be an integer from 1 to \`maxConversationTurns\` (${turns}), got ${forgetTurns}.`,
    { code: "INVALID_OPTION", details: { option: "forgetTurns" } },
  );
}

function checkInclude(include: readonly string[]): void {
  const parts = Object.keys(INCLUDED);
  if (Array.isArray(include) && include.every((part) => parts.includes(part))) return;
  throw new HistoryError(`Expected \`include\` to be a list of ${parts.join(", ")}.`, {
    code: "INVALID_OPTION",
    details: { option: "include" },
  });
}

const INCLUDED: Readonly<
  Record<OrchestratorInclusion, (context: FilterContext) => readonly QueryClause[]>
> = {
  own: (context) => {
    const clause = { types: COORDINATION_TYPES, turn: currentTurn(context) };
    if (context.agentId !== undefined) return [{ ...clause, agent: context.agentId }];
    return [
      { ...clause, role: "orchestrator" },
      { ...clause, unowned: true },
    ];
  },
  reports: (context) => {
    const clause = { types: [FINAL], turn: currentTurn(context) };
    if (context.agentId !== undefined) return [{ ...clause, underTaskFrom: context.agentId }];
    return [{ ...clause, underTaskFromRole: "orchestrator" }];
  },
  syntheses: (context) => [{ types: [SYNTHESIS], turn: currentTurn(context) }],
};
