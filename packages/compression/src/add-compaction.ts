import { HistoryError } from "@agent-history/core";
import type { Compaction, HistoryEntry } from "@agent-history/core";

import { isShown } from "./internal/show-view.ts";
import { areStillValid } from "./is-still-valid.ts";

/**
 * Adds a compaction to a log: its view then shows the summary instead of what it covers (core's `applyCompactions`), every
 * other view shows what it showed. The originals stay in the log. Entries that came since are kept. Pass all compactions of an
 * outcome at once: that is linear, and all are added or none.
 *
 * @param log - The log with its summaries; not what a view shows, where originals are missing.
 * @throws `HistoryError` with code `VERSION_CONFLICT` if the compaction no longer holds for the log, `NOT_FOUND` where
 *   originals of the view's summaries are missing.
 * @example
 * ```ts
 * import { addCompaction, expandCompaction } from "@agent-history/compression";
 * import { applyCompactions, assistantMessage, summary, userMessage } from "@agent-history/core";
 *
 * const log = [
 *   userMessage({ id: "u1", content: "Which city?" }),
 *   assistantMessage({ id: "a1", content: "Lisbon." }),
 *   userMessage({ id: "u2", content: "And when?" }),
 * ];
 * const covers = [{ from: "u1", to: "a1" }];
 * const fields = { id: "s1", content: "They chose Lisbon.", strategy: "custom", trust: "user" } as const;
 * const made = { ...summary({ ...fields, covers }), view: "thread" } as const;
 *
 * const compacted = addCompaction(log, { summary: made, tokensBefore: 9, tokensAfter: 5 });
 * applyCompactions(compacted, "thread").map(({ id }) => id);
 * // => ["s1", "u2"]
 * expandCompaction(compacted, "s1").map(({ id }) => id);
 * // => ["u1", "a1", "u2"]
 * ```
 */
export function addCompaction(
  log: readonly HistoryEntry[],
  compaction: Compaction | readonly Compaction[],
): readonly HistoryEntry[] {
  const compactions: readonly Compaction[] = "summary" in compaction ? [compaction] : compaction;
  const [first] = compactions;
  if (first === undefined) return log;
  const details = { entryId: first.summary.id };
  if (isShown(log, first.summary.view)) {
    throw new HistoryError(
      "Expected the log with the originals; entries that the view's summaries cover are missing. Read the log, or commit to the store.",
      { code: "NOT_FOUND", details },
    );
  }
  if (!areStillValid(compactions, log)) {
    throw new HistoryError(
      "Expected a compaction that is valid for this log; the log has changed since. Drop it and compress again.",
      { code: "VERSION_CONFLICT", details },
    );
  }
  return [...log, ...compactions.map(({ summary }) => summary)];
}
