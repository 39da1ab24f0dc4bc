import { shareOption } from "../internal/share-option.ts";
import { shortenMessages } from "../internal/shorten-messages.ts";
import type { ReductionStep } from "../reduction-step.ts";

/** The share of the budget that one message may have, unless the caller says otherwise. */
export const MESSAGE_SHARE = 0.2;

/**
 * Makes the step that shortens long requests, answers and reports of earlier turns to head and tail around one marker, before whole turns go: the
 * least worthy first, without a scorer the oldest. With a scorer only those that are longer than the budget: the others are chosen by what they say for
 * their length, as they are.
 *
 * @param options - `share`: the share of the budget that one of them may have while room is short, above 0 and at most 1. Default 0.2; never
 *   below 100 tokens.
 * @throws `HistoryError` with code `INVALID_OPTION` if `share` is not above 0 and at most 1.
 */
export function shortenOldMessages(options: { readonly share?: number } = {}): ReductionStep {
  const share = shareOption("share", options.share ?? MESSAGE_SHARE);
  return {
    name: "shorten-old-messages",
    propose: (situation) =>
      shortenMessages(situation, {
        of: ({ isOfThisTurn, score, tokens }) =>
          !isOfThisTurn && (score === undefined || tokens > situation.budget),
        types: ["user_message", "task", "assistant_message", "final", "synthesis"],
        share,
        reason: "a long message of an earlier turn",
      }),
  };
}
