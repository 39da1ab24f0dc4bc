import { isObject } from "@agent-history/core";

import type { CallUsage } from "./model-call.ts";

/** The list price of a model, in dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  /** For a lifetime of five minutes. Equal to `input` for providers that charge nothing extra for writes. */
  readonly cacheWrite: number;
  readonly cacheWrite1h: number;
}

/** Prices by prefix of the model name; the longest match applies. */
export interface PriceTable {
  /** When the prices were read, e.g. `2026-06-30`. */
  readonly asOf: string;
  readonly models: Readonly<Record<string, Price>>;
}

const PRICED = ["input", "output", "cacheRead", "cacheWrite", "cacheWrite1h"];

/** Whether a value, e.g. parsed JSON, is a table of prices. */
export function isPriceTable(table: unknown): table is PriceTable {
  const { asOf, models } = isObject(table) ? table : {};
  const prices = isObject(models) ? Object.values(models) : [undefined];
  const isPrice = (price: unknown): boolean =>
    isObject(price) && PRICED.every((kind) => typeof price[kind] === "number");
  return typeof asOf === "string" && prices.every(isPrice);
}

/** Anthropic charges 0.1 times the input price for cache reads, 1.25 times for writes, and twice for writes with a lifetime of one hour. */
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

/** Public list prices, without batch, priority or subscription discounts. Pass your own table if they have changed. */
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
 * Returns the price of a model, whose name may be longer than the table's (`claude-opus-4-5-20251101`); `undefined` if it is not in the table.
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

/** Normalizes the name, because some tools write `claude-opus-4.8` for `claude-opus-4-8`. */
function dotsOf(model: string): string {
  return model.includes("claude") ? "$1-$2" : "$1.$2";
}

/** Returns the cost of usage, in dollars. */
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
