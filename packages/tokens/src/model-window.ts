import { countOption, type ModelWindow } from "@agent-history/core";

import { unknownModel } from "./internal/invalid-option.ts";
import { findModelLimits, type ModelLimits, similarModels } from "./internal/known-models.ts";

export type { ModelLimits } from "./internal/known-models.ts";

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
 * Knows 302 models of November 2026 by the names that people use: ids, dated snapshots (`gpt-4o-2024-08-06`), gateways' names
 * (`anthropic/claude-sonnet-5.5:free`), ids and ARNs of Bedrock (`eu.anthropic.claude-opus-4-6-v1`), Vertex's `@` and Claude Code's
 * `[1m]`. For a name with a vendor or a route, the window is the smallest that a gateway serves. It asks no server.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for a model it does not know; `details.similar` lists near misses.
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
  const known = typeof model === "string" ? findModelLimits(model) : undefined;
  if (known !== undefined) return known;
  throw unknownModel(model, {
    expected: "a model whose limits are known",
    similar: typeof model === "string" ? similarModels(model) : [],
    hint: "Pass its numbers as `models`: { [model]: { contextTokens, maxOutputTokens } }.",
  });
}

function checkedLimits(model: string, limits: ModelLimits | undefined): ModelLimits {
  return {
    contextTokens: countOption(`models.${model}.contextTokens`, limits?.contextTokens),
    maxOutputTokens: countOption(`models.${model}.maxOutputTokens`, limits?.maxOutputTokens),
  };
}
