import { countOption, type ModelWindow } from "@agent-history/core";

import { bareModelName } from "./internal/bare-model-name.ts";
import { invalidOption } from "./internal/invalid-option.ts";
import { type ModelLimits, modelLimits } from "./internal/model-limits.ts";

export type { ModelLimits } from "./internal/model-limits.ts";

/** What a window is made from beside the model. */
export interface ModelWindowOptions {
  /** Limits by model, looked at before the built-in ones. */
  readonly models?: Readonly<Record<string, ModelLimits>> | undefined;
  /**
   * Tokens kept free for the answer. Default: the longest answer of the model, but at most a quarter of its window.
   */
  readonly outputReserveTokens?: number | undefined;
  /** Tokens kept free for what the counter may miss. Default 0. */
  readonly marginTokens?: number | undefined;
}

/** A window that also says how long an answer can be. */
export interface KnownModelWindow extends Required<ModelWindow>, ModelLimits {}

/**
 * Tells how much a model takes, as a window to fit into.
 *
 * Knows the models of OpenAI, Anthropic and Google of November 2026, by id, by dated snapshot (`gpt-4o-2024-08-06`) and with a
 * provider's name before it (`openai/gpt-4o`, `anthropic/claude-sonnet-5.5`). It asks no server.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for a model it does not know; the message says how to pass the numbers.
 *
 * @example
 * ```ts
 * import { modelWindow } from "@agent-history/tokens";
 *
 * modelWindow("gpt-4o");
 * // => {
 * //   contextTokens: 128000,
 * //   maxOutputTokens: 16384,
 * //   outputReserveTokens: 16384,
 * //   marginTokens: 0,
 * // }
 * const models = { "llama-local": { contextTokens: 8192, maxOutputTokens: 4096 } };
 * modelWindow("llama-local", { models }).outputReserveTokens;
 * // => 2048
 * ```
 */
export function modelWindow(model: string, options: ModelWindowOptions = {}): KnownModelWindow {
  const { contextTokens, maxOutputTokens } = findLimits(model, options.models ?? {});
  const { outputReserveTokens, marginTokens = 0 } = options;
  return {
    contextTokens,
    maxOutputTokens,
    outputReserveTokens: countOption(
      "outputReserveTokens",
      outputReserveTokens ?? Math.min(maxOutputTokens, Math.floor(contextTokens / 4)),
    ),
    marginTokens: countOption("marginTokens", marginTokens),
  };
}

function findLimits(model: string, models: Readonly<Record<string, ModelLimits>>): ModelLimits {
  if (Object.hasOwn(models, model)) return checkedLimits(model, models[model]);
  const known = namesOf(model)
    .map((name) => modelLimits.get(name))
    .find((limits) => limits !== undefined);
  if (known !== undefined) return known;
  throw invalidOption("model", {
    expected: "a model whose limits are known",
    received: model,
    hint: `Pass \`window\`: { contextTokens, outputReserveTokens }; or give its numbers here: modelWindow(model, { models: { [model]: { contextTokens, maxOutputTokens } } }).`,
  });
}

/** The names a model may be known by, the most exact first. */
function namesOf(model: string): readonly string[] {
  if (typeof model !== "string") return [];
  const name = bareModelName(model);
  const undated = name.replace(/[-@](?:\d{4}-\d{2}-\d{2}|\d{8}|latest)$/, "");
  // Gateways write Claude's versions with a dot.
  return [name, undated, undated.replaceAll(".", "-")];
}

function checkedLimits(model: string, limits: ModelLimits | undefined): ModelLimits {
  return {
    contextTokens: countOption(`models.${model}.contextTokens`, limits?.contextTokens),
    maxOutputTokens: countOption(`models.${model}.maxOutputTokens`, limits?.maxOutputTokens),
  };
}
