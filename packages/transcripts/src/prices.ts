import type { CallUsage } from "./model-call.ts";

/** The list price of a model, in dollars for a million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  /** For five minutes. Providers that charge nothing extra for writing charge `input`. */
  readonly cacheWrite: number;
  readonly cacheWrite1h: number;
}

/** Prices by the beginning of a model's name; the longest that fits counts. */
export interface PriceTable {
  /** When the prices were read, `2026-06-30`. */
  readonly asOf: string;
  readonly models: Readonly<Record<string, Price>>;
}

/** Anthropic charges a tenth for reading from the cache, 1.25 times for writing, twice for writing for an hour. */
function anthropic(input: number, output: number): Price {
  return {
    input,
    output,
    cacheRead: input / 10,
    cacheWrite: input * 1.25,
    cacheWrite1h: input * 2,
  };
}

function openai(input: number, output: number): Price {
  return { input, output, cacheRead: input / 10, cacheWrite: input, cacheWrite1h: input };
}

/** Public list prices, without batch, priority or subscription. Pass a table of your own where they have changed. */
export const LIST_PRICES: PriceTable = {
  asOf: "2026-06-30",
  models: {
    "claude-opus-4-8": anthropic(5, 25),
    "claude-opus-4-7": anthropic(5, 25),
    "claude-opus-4-6": anthropic(5, 25),
    "claude-opus-4-5": anthropic(5, 25),
    "claude-opus-4": anthropic(15, 75),
    "claude-sonnet-4": anthropic(3, 15),
    "claude-haiku-4-5": anthropic(1, 5),
    "claude-3-7-sonnet": anthropic(3, 15),
    "claude-3-5-haiku": anthropic(0.8, 4),
    "gpt-5": openai(1.25, 10),
    "gpt-5-mini": openai(0.25, 2),
    "gpt-5.1": openai(1.25, 10),
    "gpt-5.2": openai(1.75, 14),
    "gpt-5.3-codex": openai(1.75, 14),
    "gpt-5.3-codex-spark": openai(0, 0),
    "gpt-5.4": openai(2.5, 15),
    "gpt-5.4-mini": openai(0.75, 4.5),
    "gpt-5.4-nano": openai(0.2, 1.25),
    "gpt-5.5": openai(5, 30),
  },
};

/**
 * Returns the price of a model, whose name may go on behind that of the table (`claude-opus-4-5-20251101`); `undefined` if the table has none.
 *
 * @example
 * ```ts
 * import { priceOf } from "@agent-history/transcripts";
 *
 * priceOf("claude-opus-4-5-20251101")?.output;
 * // => 25
 * ```
 */
export function priceOf(model: string, { models }: PriceTable = LIST_PRICES): Price | undefined {
  const name = model.replace(/^.*\//, "").replaceAll(/(\d)\.(\d)/g, dotsOf(model));
  const fits = Object.keys(models).filter(
    (key) => name === key || (name.startsWith(key) && /^[-@:]/.test(name.slice(key.length))),
  );
  const [longest] = fits.toSorted((a, b) => b.length - a.length);
  return longest === undefined ? undefined : models[longest];
}

/** Some tools write `claude-opus-4.8` for `claude-opus-4-8`. */
function dotsOf(model: string): string {
  return model.includes("claude") ? "$1-$2" : "$1.$2";
}

/** Returns what tokens cost, in dollars. */
export function usageCost(usage: CallUsage, price: Price): number {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens } =
    usage;
  const sum =
    inputTokens * price.input +
    outputTokens * price.output +
    cacheReadTokens * price.cacheRead +
    (cacheWriteTokens - cacheWrite1hTokens) * price.cacheWrite +
    cacheWrite1hTokens * price.cacheWrite1h;
  return sum / 1_000_000;
}
