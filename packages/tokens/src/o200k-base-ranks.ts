import encoder from "tiktoken/encoders/o200k_base.json" with { type: "json" };

/**
 * Returns the table that `o200kBaseCounter` counts by, as tiktoken writes it: 2 MB of text, for what carries the table elsewhere.
 *
 * @example
 * ```ts
 * import { o200kBaseRanks } from "@agent-history/tokens/o200k-base";
 *
 * o200kBaseRanks().startsWith("! 0 ");
 * // => true
 * ```
 */
export function o200kBaseRanks(): string {
  return encoder.bpe_ranks;
}
