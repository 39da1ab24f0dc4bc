import { overReadable } from "@agent-history/core";
import type { ContentPart, HistoryEntry } from "@agent-history/core";

import { partsOf } from "./content.ts";
import { isJsonObject } from "./json.ts";

/**
 * Returns a history from its last provider compaction on, which replaces all earlier messages, and the system messages before it. Without a compaction, returns the
 * history by identity. A failed compaction (its content is `null`) is ignored. Linear.
 *
 * @example
 * ```ts
 * import { assistantMessage, summary, systemMessage, userMessage } from "@agent-history/core";
 * import { sinceCompaction } from "@agent-history/format-kit";
 *
 * const entries = sinceCompaction([
 *   systemMessage({ content: "Be brief." }),
 *   userMessage({ content: "To Rome, please." }),
 *   assistantMessage({ content: "Two flights go there." }),
 *   summary({ content: "A flight to Rome.", strategy: "provider", trust: "tool" }),
 *   userMessage({ content: "Take the first." }),
 * ]);
 * entries.map(({ type }) => type);
 * // => ["system_message", "summary", "user_message"]
 * ```
 */
export function sinceCompaction(entries: readonly HistoryEntry[]): readonly HistoryEntry[] {
  return overReadable(entries, (readable) => {
    const start = readable.findLastIndex(isCompaction);
    const isShown = (entry: HistoryEntry, index: number): boolean =>
      index >= start || entry.type === "system_message";
    return start <= 0 ? readable : readable.filter(isShown);
  });
}

function isCompaction(entry: HistoryEntry): boolean {
  return (
    entry.type === "summary" &&
    entry.strategy === "provider" &&
    entry.view === undefined &&
    !partsOf(entry.content).some(hasFailed)
  );
}

function hasFailed(part: ContentPart): boolean {
  return part.type === "opaque" && isJsonObject(part.data) && part.data["content"] === null;
}
