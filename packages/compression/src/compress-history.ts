import type { HistoryEntry } from "@agent-history/core";

import type { CompressOptions } from "./compress-options.ts";
import type { CompressionResult } from "./compression-result.ts";
import { readSettings } from "./internal/settings.ts";
import { traceCompression } from "./internal/trace-compression.ts";

/**
 * Makes a summary, or several, of what is old in a view, and changes nothing: the outcome holds compactions, which the caller
 * applies, stores, takes back or drops.
 *
 * System messages, pins, memories, the newest user message, the newest task, what still runs and a verbatim tail are never
 * covered, exchanges are covered whole or not at all, and nobody else's entries are. A summary has a cap, saves its share
 * or is not made, is as trusted as the least trusted of what it covers, and reads as data. An earlier summary is extended.
 *
 * @param entries - The log with its summaries, or what a store's read of the view gave, unrepaired: runs are named by the order of the log.
 * @returns `compressed`, `not-needed`, `not-beneficial` or `failed`, with the state to hand in next time.
 * @throws `HistoryError` with code `INVALID_OPTION`; `ABORTED` when the signal fires. Whatever else goes wrong is the outcome `failed`.
 * @example
 * ```ts
 * import { compressHistory, noCompression } from "@agent-history/compression";
 *
 * const counter = { id: "characters", countText: (text: string) => text.length, countEntry: () => 10, countRequest: () => 0 };
 * const { outcome } = await compressHistory([], { counter, strategy: noCompression });
 * outcome;
 * // => "not-needed"
 * ```
 */
export async function compressHistory(
  entries: readonly HistoryEntry[],
  options: CompressOptions,
): Promise<CompressionResult> {
  return traceCompression(entries, readSettings(options), "apart");
}
