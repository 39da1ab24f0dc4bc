import { countOption, type ModelWindow } from "@agent-history/core";

import { unknownModel } from "./internal/invalid-option.ts";
import { findModelLimits, type ModelLimits, similarModels } from "./internal/known-models.ts";
import { findEncodingOfModel } from "./internal/openai-counter.ts";
import { resolveModel } from "./internal/resolve-model.ts";
import { reasoningRule } from "./reasoning-rule.ts";

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

/** A window that also says how long an answer can be, and what the model's maker takes in one request. */
export interface KnownModelWindow
  extends
    ModelLimits,
    Required<Pick<ModelWindow, "contextTokens" | "outputReserveTokens" | "marginTokens">>,
    Pick<ModelWindow, "maxBytes" | "maxImages" | "maxImagePixels" | "manyImages" | "reasoning"> {}

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

/** Up to this window Anthropic takes 100 images in a request, above it 600. */
const SMALLER_CLAUDE = 200_000;

/**
 * Returns what the maker of a model, or the cloud that the name says, takes in one request beside tokens.
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
