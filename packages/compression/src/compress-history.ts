import type { HistoryEntry } from "@agent-history/core";

import type { CompressOptions } from "./compress-options.ts";
import type { CompressionResult } from "./compression-result.ts";
import { readSettings } from "./internal/settings.ts";
import { traceCompression } from "./internal/trace-compression.ts";

/**
 * Summarizes old entries of a view (compaction) and returns the compactions. Mutates nothing: the caller applies, stores, undoes or drops them.
 *
 * System messages, pins, memories, the newest user message, the newest task, running exchanges and a verbatim tail are never
 * covered. Exchanges are covered whole or not at all; entries of other agents never. A summary has a cap, saves at least its share,
 * has the trust of the least trusted entry it covers, and is framed as data. An earlier summary is extended.
 *
 * @param entries - The log with its summaries, or what a store's read of the view returned, not repaired: runs are named by the order of the log.
 * @returns `compressed`, `not-needed`, `not-beneficial` or `failed`, with the state to pass to the next call.
 * @throws `HistoryError` with code `INVALID_OPTION`; `ABORTED` when the signal fires. Any other error is the outcome `failed`.
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
