import type { HistoryEntry } from "@agent-history/core";

import { compressHistory } from "./compress-history.ts";
import type { CompressOptions } from "./compress-options.ts";
import type { CompressionResult } from "./compression-result.ts";
import { coverageOf } from "./internal/covered-by.ts";
import { showView } from "./internal/show-view.ts";

/**
 * Compresses a history and gives at once what its view then shows, for the next model call. Where nothing was compressed, that
 * is what it showed before.
 *
 * Unlike {@link compressHistory} it keeps no verbatim tail unless `tailTokens` says so, so that a short history is replaced too: what
 * survives is the instructions, pins, memories, the newest user message, the newest task and what still runs.
 *
 * The originals are not in what comes out: keep the log, or commit the outcome's compactions to a store, to be able to go back.
 *
 * @throws As {@link compressHistory} does.
 */
export async function replaceHistoryWithSummary(
  entries: readonly HistoryEntry[],
  options: CompressOptions,
): Promise<{ readonly entries: readonly HistoryEntry[]; readonly result: CompressionResult }> {
  const result = await compressHistory(entries, { tailTokens: 0, ...options });
  const shown = showView(entries, options.view ?? "thread");
  if (result.outcome !== "compressed") return { entries: shown, result };
  const coveredBy = coverageOf(shown, options.view ?? "thread");
  const locations = new Map<HistoryEntry, HistoryEntry | undefined>();
  for (const compaction of result.compactions) {
    const [first, ...others] = coveredBy(compaction.summary) ?? [];
    if (first !== undefined) locations.set(first, compaction.summary);
    for (const entry of others) locations.set(entry, undefined);
  }
  const replaced = shown.flatMap((entry) => {
    if (!locations.has(entry)) return [entry];
    const standing = locations.get(entry);
    return standing === undefined ? [] : [standing];
  });
  return { entries: replaced, result };
}
