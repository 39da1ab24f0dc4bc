import { CONVERSATION_TYPES, HistoryError, SYNTHESIS, countOption } from "@agent-history/core";
import type { FilterContext, HistoryFilter, QueryClause } from "@agent-history/core";

import { queryFilter } from "./internal/query-filter.ts";
import { currentTurn, sharedClauses } from "./internal/shared-clauses.ts";

/** Options of {@link orchestratorHistoryFilter}. */
export interface OrchestratorHistoryFilterOptions extends FilterContext {
  /** How many turns of conversation are seen. `0` none, `Infinity` all. Default 8. */
  readonly maxConversationTurns?: number;
  /** Shows the syntheses of the current turn too. Default `false`. */
  readonly includeSyntheses?: boolean;
  /**
   * How many turns are forgotten at a time, from 1 to `maxConversationTurns`. A higher number keeps a provider's
   * cached prefix for longer. Default 1.
   */
  readonly forgetTurns?: number;
}

/**
 * Makes the orchestrator's filter: the last turns of the conversation, whole, beginning with a user message.
 *
 * It never shows traces, tool results, or completion signals of earlier turns.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` where a number of turns is not a count, here or in the context.
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
  const { includeSyntheses = false, forgetTurns = 1 } = options;
  const turns = countOption("maxConversationTurns", options.maxConversationTurns ?? 8);
  checkForgetTurns(forgetTurns, turns);

  return queryFilter("orchestrator", options, (context) => {
    const count = countOption("maxConversationTurns", context.maxConversationTurns ?? turns);
    const stride = Math.min(forgetTurns, Math.max(count, 1));
    return {
      clauses: [
        { types: CONVERSATION_TYPES, lastTurns: { count, stride } },
        ...(includeSyntheses ? [synthesesOf(context)] : []),
        ...sharedClauses(context),
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

function synthesesOf(context: FilterContext): QueryClause {
  return { types: [SYNTHESIS], turn: currentTurn(context) };
}
