import type { HistoryEntry, ReductionPlan } from "@agent-history/core";
import {
  fitForTarget,
  refuseForeign,
  refuseForeignTools,
  sendingWith,
} from "@agent-history/format-kit";
import {
  fromResponseItems,
  responseTarget,
  sinceCompaction,
  toResponseItems,
  toToolDefinitions,
} from "@agent-history/openai";
import type {
  OpenAIRuleOptions,
  OpenAITool,
  ResponseItem,
  ResponseItemLike,
} from "@agent-history/openai";
import { fitToWindow, fitToWindowAsync } from "@agent-history/reducer";

import type { FitRequestOptions } from "./fit-request-options.ts";
import { fitOptionsOf, requireOptions } from "./internal/fit-options-of.ts";

/** Options of {@link fitResponseItems}. */
export interface FitResponseOptions extends FitRequestOptions, OpenAIRuleOptions {
  /** The `instructions` of the request, which sends them itself: they count. */
  readonly instructions?: string | null | undefined;
  /** The tools of the request, as the OpenAI SDK takes them: their schemas count. */
  readonly tools?: readonly OpenAITool[] | undefined;
}

/** What to send as `input`, and the plan for the next call. */
export interface FittedResponseItems {
  readonly items: ResponseItem[];
  readonly plan: ReductionPlan;
}

/**
 * Trims items of OpenAI's Responses API to the model's context window. Pass the full conversation at each call, longer each time, with the plan of
 * the call before. What stands before the newest `compaction` item is not sent again, but for system messages: the item replaces it. Items that only the server
 * has (`previous_response_id`, `item_reference`) cannot be counted.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for an unknown model (pass `window` and `counter`) and for a tool of another shape;
 * `WINDOW_TOO_SMALL` if what must be kept does not fit.
 *
 * @example
 * ```ts
 * import { fitResponseItems } from "agent-history/openai";
 *
 * const items = [{ role: "user", content: "To Rome, please." }];
 * const options = { model: "gpt-5", instructions: "You book flights." };
 * fitResponseItems(items, options).items;
 * // => [{ role: "user", content: "To Rome, please." }]
 * ```
 */
export function fitResponseItems(
  items: readonly ResponseItemLike[],
  given: FitResponseOptions,
): FittedResponseItems {
  const { tools, instructions, host, ...options } = requireOptions(given);
  refuseForeign(items, "openai-responses");
  refuseForeignTools(tools, "openai-responses");
  const fit = fitOptionsOf(options, tools && toToolDefinitions(tools));
  const { entries, plan } = fitForTarget(
    sendingWith(responseTarget({ host }), { tools }),
    entriesOf(items, instructions),
    fit,
    fitToWindow,
  );
  return { items: toResponseItems(entries, options.viewer), plan };
}

/** Like {@link fitResponseItems}, for steps or a scorer that may be asynchronous. */
export async function fitResponseItemsAsync(
  items: readonly ResponseItemLike[],
  given: FitResponseOptions,
): Promise<FittedResponseItems> {
  const { tools, instructions, host, ...options } = requireOptions(given);
  refuseForeign(items, "openai-responses");
  refuseForeignTools(tools, "openai-responses");
  const fit = fitOptionsOf(options, tools && toToolDefinitions(tools));
  const { entries, plan } = await fitForTarget(
    sendingWith(responseTarget({ host }), { tools }),
    entriesOf(items, instructions),
    fit,
    fitToWindowAsync,
  );
  return { items: toResponseItems(entries, options.viewer), plan };
}

function entriesOf(
  items: readonly ResponseItemLike[],
  instructions: FitResponseOptions["instructions"],
): readonly HistoryEntry[] {
  return sinceCompaction(fromResponseItems(items, { instructions }));
}
