import { countOption, type ModelWindow } from "@agent-history/core";

import { unknownModel } from "./internal/invalid-option.ts";
import { findModelLimits, type ModelLimits } from "./internal/known-models.ts";
import { findEncodingOfModel } from "./internal/openai-counter.ts";
import { resolveModel } from "./internal/resolve-model.ts";
import { reasoningRule } from "./reasoning-rule.ts";

export type { ModelLimits } from "./internal/known-models.ts";

/** Options of {@link modelWindow}. */
export interface ModelWindowOptions {
  /** Limits by model; they take precedence over the built-in ones. */
  readonly models?: Readonly<Record<string, ModelLimits>> | undefined;
  /**
   * Tokens kept free for the answer. Default: the longest answer of the model, but at most a quarter of its window.
   */
  readonly outputReserveTokens?: number | undefined;
  /** Tokens kept free for what the counter may miss. Default 0. */
  readonly marginTokens?: number | undefined;
}

/** A window with the longest answer of the model and its provider's limits on a request. */
export interface KnownModelWindow
  extends
    ModelLimits,
    Required<Pick<ModelWindow, "contextTokens" | "outputReserveTokens" | "marginTokens">>,
    Pick<ModelWindow, "maxBytes" | "maxImages" | "maxImagePixels" | "manyImages" | "reasoning"> {}

/**
 * Returns the context window of a model.
 *
 * Knows 311 models of November 2026 by the names that people use: ids, dated snapshots (`gpt-4o-2024-08-06`), gateways' names
 * (`anthropic/claude-sonnet-5.5:free`), ids and ARNs of Bedrock (`eu.anthropic.claude-opus-4-6-v1`), Vertex's `@` and Claude Code's
 * `[1m]`. For a name with a vendor or a route, the window is the smallest that a gateway serves. Asks no server.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for an unknown model; `details.similar` lists near misses.
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
 * //   maxBytes: 512000000,
 * //   maxImages: 1500,
 * // }
 * const models = { "llama-local": { contextTokens: 8192, maxOutputTokens: 4096 } };
 * modelWindow("llama-local", { models }).outputReserveTokens;
 * // => 2048
 * ```
 */
export function modelWindow(model: string, options: ModelWindowOptions = {}): KnownModelWindow {
  const { contextTokens, maxOutputTokens } = findLimits(model, options.models ?? {});
  const { outputReserveTokens, marginTokens = 0 } = options;
  const reasoning = reasoningRule(model);
  return {
    contextTokens,
    maxOutputTokens,
    outputReserveTokens: countOption(
      "outputReserveTokens",
      outputReserveTokens ?? Math.min(maxOutputTokens, Math.floor(contextTokens / 4)),
    ),
    marginTokens: countOption("marginTokens", marginTokens),
    ...requestLimits(model, contextTokens),
    ...(reasoning && { reasoning }),
  };
}

/** Anthropic accepts 100 images in a request up to this window, 600 above it. */
const SMALLER_CLAUDE = 200_000;

/**
 * Returns the limits of a request besides tokens, of the model's maker or of the cloud that its name says.
 *
 * Source, November 2026: Anthropic, "Vision" (images, pixels) and "Errors" (32 MB); OpenAI, "Images and vision"; Google, "Image understanding" and
 * "File API" (20 MB with inline data); Amazon Bedrock, "Anthropic Claude Messages API" (20 MB); Anthropic, "Claude on Vertex AI" (30 MB); Azure OpenAI, "Quotas and
 * limits" (50 images).
 */
function requestLimits(model: string, contextTokens: number): Partial<ModelWindow> {
  const { bare } = resolveModel(model);
  const isOnBedrock = /bedrock|(?:^|[./])anthropic\./iu.test(model);
  const isOnVertex = /vertex|publishers\/|.@/iu.test(model);
  if (bare.startsWith("claude")) {
    return {
      maxBytes: isOnBedrock ? 20_000_000 : isOnVertex ? 30_000_000 : 32_000_000,
      maxImages: contextTokens > SMALLER_CLAUDE ? 600 : 100,
      maxImagePixels: 8000,
      manyImages: { above: 20, maxImagePixels: 2000 },
    };
  }
  if (bare.startsWith("gemini")) return { maxBytes: 20_000_000, maxImages: 3600 };
  const isOpenai = findEncodingOfModel(model) !== undefined;
  const isOnAzure = /(?:^|\/)azure/iu.test(model);
  return isOpenai ? { maxBytes: 512_000_000, maxImages: isOnAzure ? 50 : 1500 } : {};
}

function findLimits(model: string, models: Readonly<Record<string, ModelLimits>>): ModelLimits {
  if (Object.hasOwn(models, model)) return checkedLimits(model, models[model]);
  const known = typeof model === "string" ? findModelLimits(model) : undefined;
  if (known !== undefined) return known;
  throw unknownModel(
    model,
    "a model whose limits are known",
    "Pass `window`: { contextTokens, outputReserveTokens } to the fit, or `models`: { [model]: { contextTokens, maxOutputTokens } } to `modelWindow`.",
  );
}

function checkedLimits(model: string, limits: ModelLimits | undefined): ModelLimits {
  return {
    contextTokens: countOption(`models.${model}.contextTokens`, limits?.contextTokens),
    maxOutputTokens: countOption(`models.${model}.maxOutputTokens`, limits?.maxOutputTokens),
  };
}
