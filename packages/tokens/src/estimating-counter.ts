import type { FilePart, TokenCounter } from "@agent-history/core";

import type { ImageTokens } from "./image-tokens.ts";
import type { CountText } from "./internal/byte-pair-counter.ts";
import { counterFamilies, type CounterFamily } from "./internal/counter-families.ts";
import { createCounter } from "./internal/create-counter.ts";
import { dividedLimit } from "./internal/divided-limit.ts";
import { documentTokens } from "./internal/document-tokens.ts";
import { invalidOption } from "./internal/invalid-option.ts";
import { ownRulesName } from "./internal/own-rules-name.ts";

export type { CounterFamily } from "./internal/counter-families.ts";

/** How a counter estimates. */
export interface EstimatingCounterOptions {
  readonly family: CounterFamily;
  /** Counts what the factor is applied to: an exact counter of o200k_base, from which the factors are measured. */
  readonly counter: Pick<TokenCounter, "countText" | "id">;
  /** Tokens of the family for one that `counter` counts, above 0. Default: 1.9, 1.3 or 1.2 by family. */
  readonly factor?: number | undefined;
  /** Counts an image. Default: as the family does. */
  readonly imageTokens?: ImageTokens | undefined;
  /** Counts a file. Default: as with `tiktokenCounter`. */
  readonly fileTokens?: ((file: FilePart) => number) | undefined;
}

/**
 * Creates a counter for models whose tokenizer is not public. Text is another counter's count times a factor, rounded up;
 * images follow the provider's own rule, messages OpenAI's; tools count as their JSON text.
 *
 * | family | models | factor |
 * |---|---|---|
 * | `claude` | Claude 4.7 and later | 1.9 |
 * | `claude-before-4.7` | Claude 3 to 4.6 | 1.3 |
 * | `gemini` | Gemini | 1.2 |
 *
 * The factors are the highest that were measured, on Latin script and code: mostly too high, at times (other scripts) too low.
 * Wrap it in `calibratedCounter` and tell it what the provider reports.
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
  return createCounter({
    id: `${family}:${factor}:${counter.id}${ownRulesName(options)}`,
    countText,
    imageTokens: options.imageTokens ?? rules.imageTokens,
    fileTokens: options.fileTokens ?? ((file) => documentTokens(file, countText)),
    toolTokens: (tool) => countText(JSON.stringify(tool)),
    tokensOfTools: rules.tokensOfTools,
    resultsAreText: false,
  });
}

function checkedFactor(factor: number): number {
  if (factor > 0 && factor < Infinity) return factor;
  throw invalidOption("factor", {
    expected: "a number above 0",
    received: factor,
    hint: "1 counts as the exact counter does.",
  });
}
