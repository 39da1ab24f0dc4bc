import type { TokenCounter } from "@agent-history/core";

import { estimatingCounter, type CounterFamily } from "./estimating-counter.ts";
import { unknownModel } from "./internal/invalid-option.ts";
import { findEncodingOfModel } from "./internal/openai-counter.ts";
import { resolveModel } from "./internal/resolve-model.ts";
import { tiktokenCounter } from "./tiktoken-counter.ts";

/** Options of {@link modelCounter}. */
export interface ModelCounterOptions {
  /**
   * Estimates the tokens of an unknown model by the highest factor of all families (1.9 for each token of
   * o200k_base). Default `false`: an unknown model is refused.
   */
  readonly estimate?: boolean | undefined;
}

// Source: the names of platform.claude.com/docs/en/about-claude/models/overview and ai.google.dev/gemini-api/docs/models, November
// 2026. A Claude whose version is not below 4.7 has the newer tokenizer.
const families: readonly (readonly [RegExp, CounterFamily])[] = [
  [
    /^claude-(?:[123]\b|instant|(?:opus|sonnet|haiku)-4(?:[-.][0-6])?(?![-.]?\d{1,2}\b))/,
    "claude-before-4.7",
  ],
  [/^claude-/, "claude"],
  [/^gemini-[12]\b/, "gemini-before-3"],
  [/^gemini-/, "gemini"],
  [
    /^(?:command|codestral|deepseek|devstral|gemma|glm|grok|kimi|llama|magistral|minimax|ministral|mistral|muse|nemotron|nova|open-mistral|pixtral|qwen|voxtral)(?![a-z])/,
    "other",
  ],
];

/** More names than an application uses. */
const MOST_COUNTERS = 100;

/** By model; those of a family share one. */
const counters = new Map<string, TokenCounter>();

/**
 * Returns the counter of a model by its name: exact for OpenAI's chat models, an `estimatingCounter` for Claude, Gemini, DeepSeek,
 * Qwen, Mistral, Llama and others. Returns the same counter for the same model, so that its counts stay cached. Runs on Node, like `tiktokenCounter`.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for an unknown model, unless `estimate` is `true`.
 *
 * @example
 * ```ts
 * import { modelCounter } from "@agent-history/tokens";
 *
 * modelCounter("gpt-5").countText("tiktoken is great!");
 * // => 6
 * modelCounter("claude-opus-5-5").countText("tiktoken is great!");
 * // => 12
 * modelCounter("llama-local", { estimate: true }).countText("tiktoken is great!");
 * // => 10
 * ```
 */
export function modelCounter(model: string, options: ModelCounterOptions = {}): TokenCounter {
  if (typeof model === "string") {
    if (findEncodingOfModel(model) !== undefined)
      return kept(model, () => tiktokenCounter({ model }));
    const family = modelFamily(model) ?? (options.estimate === true ? "claude" : undefined);
    if (family !== undefined) {
      return kept(family, () =>
        estimatingCounter({ family, counter: tiktokenCounter({ encoding: "o200k_base" }) }),
      );
    }
  }
  throw unknownModel(
    model,
    "a model whose tokens can be counted",
    "Pass a `counter` of your own, or `estimate: true` for a deliberately high estimate.",
  );
}

function kept(name: string, create: () => TokenCounter): TokenCounter {
  const counter = counters.get(name) ?? create();
  if (counters.size >= MOST_COUNTERS) counters.clear();
  counters.set(name, counter);
  return counter;
}

/** Returns the family of a model whose counts are estimated, by its name; `undefined` for others. */
function modelFamily(model: string): CounterFamily | undefined {
  const { keys } = resolveModel(model);
  return families.find(([names]) => keys.some((key) => names.test(key)))?.[1];
}
