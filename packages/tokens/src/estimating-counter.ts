import type { TokenCounter } from "@agent-history/core";

import {
  anthropicImageTokens,
  type AnthropicResolution,
  geminiImageTokens,
} from "./image-tokens.ts";
import { createCounter, dividedLimit, ownRulesName } from "./internal/create-counter.ts";
import { invalidOption } from "./internal/invalid-option.ts";
import { type MediaRules, type OwnRules, TOKENS_OF_PAGE_TEXT } from "./internal/media-tokens.ts";
import type { CountText } from "./internal/text-counter.ts";

/** A family of models without a tokenizer in this package; `claude` is Claude 4.7 and later. */
export type CounterFamily = "claude" | "claude-before-4.7" | "gemini" | "gemini-before-3" | "other";

/** Options of {@link estimatingCounter}. */
export interface EstimatingCounterOptions extends Omit<OwnRules, "id"> {
  readonly family: CounterFamily;
  /** The counter whose counts are multiplied: an exact counter of o200k_base, for which the factors were measured. */
  readonly counter: Pick<TokenCounter, "countText" | "id">;
  /** Tokens of the family for each token of `counter`, above 0. Default: 1.9, 1.3 or 1.6 by family. */
  readonly factor?: number | undefined;
}

/**
 * Creates a counter for models without a tokenizer in this package. Text counts as by another counter, times a factor, rounded up;
 * images count by the provider's rule, messages by OpenAI's, tools as their JSON text.
 *
 * | family | models | factor |
 * |---|---|---|
 * | `claude` | Claude 4.7 and later | 1.9 |
 * | `claude-before-4.7` | Claude 3 to 4.6 | 1.3 |
 * | `gemini`, `gemini-before-3` | Gemini | 1.6 |
 * | `other` | DeepSeek, Qwen, Mistral, Llama, Grok, Kimi, GLM and others | 1.6 |
 *
 * The factors are the highest measured on Latin script and code: usually too high, sometimes (other scripts) too low.
 * Wrap the counter in `calibratedCounter` to correct it from reported usage.
 *
 * @throws `HistoryError` with code `INVALID_OPTION`.
 *
 * @example
 * ```ts
 * import { estimatingCounter, tiktokenCounter } from "@agent-history/tokens";
 *
 * const exact = tiktokenCounter({ encoding: "o200k_base" });
 * estimatingCounter({ family: "claude", counter: exact }).countText("tiktoken is great!");
 * // => 12
 * ```
 */
export function estimatingCounter(options: EstimatingCounterOptions): TokenCounter {
  const { family, counter } = options;
  if (!Object.hasOwn(counterFamilies, family)) {
    throw invalidOption("family", {
      expected: `one of ${Object.keys(counterFamilies).join(", ")}`,
      received: family,
      hint: "For OpenAI's models, use tiktokenCounter.",
    });
  }
  if (typeof counter?.countText !== "function") {
    throw invalidOption("counter", {
      expected: "a token counter",
      received: counter,
      hint: 'For example tiktokenCounter({ encoding: "o200k_base" }).',
    });
  }
  const rules = counterFamilies[family];
  const factor = checkedFactor(options.factor ?? rules.factor);
  const countText: CountText = (text, limit) =>
    Math.ceil(counter.countText(text, dividedLimit(limit, factor)) * factor);
  const estimates = createCounter({
    id: `${family}:${factor}:${counter.id}${ownRulesName(options)}`,
    countText,
    media: rules.media,
    own: options,
    toolTokens: (tool) => countText(JSON.stringify(tool)),
    tokensOfTools: rules.tokensOfTools,
    resultsAreText: false,
  });
  return { ...estimates, isEstimate: true };
}

function checkedFactor(factor: number): number {
  if (factor > 0 && factor < Infinity) return factor;
  throw invalidOption("factor", {
    expected: "a number above 0",
    received: factor,
    hint: "1 counts as the exact counter does.",
  });
}

/** The rules of a family. */
interface FamilyRules {
  /** Tokens of the family for each token of o200k_base. */
  readonly factor: number;
  readonly media: MediaRules;
  /** Tokens that the provider adds to a request with tools. */
  readonly tokensOfTools: number;
}

// Source: Anthropic, "PDF support": a page counts its text, and an image besides. Claude takes neither audio nor video; others count as
// Gemini does.
function claudeMedia(resolution: AnthropicResolution): MediaRules {
  const imageTokens = anthropicImageTokens(resolution);
  const page = imageTokens({ type: "image", source: { kind: "id", id: "" } });
  return {
    imageTokens,
    pageTokens: TOKENS_OF_PAGE_TEXT + page,
    audioTokensPerSecond: 32,
    videoTokensPerSecond: 300,
  };
}

// Source: Google, "Media resolution" (Gemini 3: 560 a page, 70 a frame, one frame a second) and "Understand and count tokens" (before: 258 a
// page, 263 a second of video; all: 32 a second of audio, which a video has besides). The text of a page is not billed ("Document understanding").
function geminiMedia(pageTokens: number, frameTokens: number): MediaRules {
  const audioTokensPerSecond = 32;
  const videoTokensPerSecond = frameTokens + audioTokensPerSecond;
  return {
    imageTokens: geminiImageTokens(),
    pageTokens,
    audioTokensPerSecond,
    videoTokensPerSecond,
  };
}

/** The rules by family. Factors are the highest that was measured, so as not to count low; calibrate for your own text. */
const counterFamilies: Readonly<Record<CounterFamily, FamilyRules>> = {
  // Source: 1.30 as below, times what the tokenizer of 4.7 adds: Anthropic says 1.0 to 1.35; by its own token counting
  // API up to 1.46 (sol.ava.dev, "opus 4.7 tokenizer") and 1.47 (claudecodecamp.com), both April 2026. Tools: Anthropic,
  // "Pricing", "Tool use", the highest of 4.7 and later.
  claude: { factor: 1.9, media: claudeMedia("high"), tokensOfTools: 804 },
  // Source: Claude 3.5 against GPT-4o, +16% on English articles, +21% on mathematics, +30% on Python (VentureBeat, "Hidden
  // costs in AI deployment", May 2025). Tools: as above, the highest before 4.7.
  "claude-before-4.7": {
    factor: 1.3,
    media: claudeMedia("standard"),
    tokensOfTools: 589,
  },
  // Measured: Gemma 3's tokenizer, whose vocabulary is near, takes 1.09 to 1.23 on English prose and code and 1.54 on JSON full of numbers,
  // whose digits are a token each.
  gemini: { factor: 1.6, media: geminiMedia(560, 70), tokensOfTools: 0 },
  "gemini-before-3": { factor: 1.6, media: geminiMedia(258, 263), tokensOfTools: 0 },
  // Measured: Qwen 3, DeepSeek V3 and Llama 3.1 take 0.99 to 1.08 on English prose and code, 0.86 to 1.19 on Chinese, Japanese, Korean,
  // Russian, Arabic and German, 1.16 to 2.08 on Hindi; Qwen 1.54 on JSON full of numbers. Media: no rule is known, so the highest.
  other: { factor: 1.6, media: claudeMedia("high"), tokensOfTools: 0 },
};
