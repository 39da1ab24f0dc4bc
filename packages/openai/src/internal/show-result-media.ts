import { isRendered, overReadable } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { splitResultMedia } from "@agent-history/core/result-media";
import { shownContent } from "@agent-history/format-kit";

import { chatFormat } from "./chat-format.ts";

/**
 * Puts behind the results of an action what they show: OpenAI takes no image and no file in a result, and nothing between results. What
 * came in a chat message is left as it came.
 */
export function showResultMedia(entries: readonly HistoryEntry[]): readonly HistoryEntry[] {
  return overReadable(entries, (readable) => {
    const shown: (readonly HistoryEntry[])[] = [];
    let beside: HistoryEntry[] = [];
    for (const entry of readable) {
      if (entry.type !== "observation" && isRendered(entry)) {
        shown.push(beside);
        beside = [];
      }
      const { result, media } = splitResult(entry);
      shown.push([result]);
      if (media !== undefined) beside.push(media);
    }
    return [...shown, beside].flat();
  });
}

function splitResult(entry: HistoryEntry): {
  readonly result: HistoryEntry;
  readonly media?: HistoryEntry;
} {
  const isForeign = entry.type === "observation" && entry.origin?.format !== chatFormat.name;
  const content = isForeign ? shownContent(entry) : undefined;
  const split = content === undefined ? undefined : splitResultMedia(entry, content);
  if (split === undefined || !isForeign) return { result: entry };
  const { id, createdAtMs } = entry;
  const { sources: _, ...result } = entry;
  return {
    result: { ...result, content: split.inResult },
    media: { type: "global_observation", id: `${id}/shown`, createdAtMs, content: split.beside },
  };
}
