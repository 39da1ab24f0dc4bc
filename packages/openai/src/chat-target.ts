import { isRendered, overReadable } from "@agent-history/core";
import type { HistoryEntry, Repair } from "@agent-history/core";
import { splitResultMedia } from "@agent-history/core/kit";
import { portableWeight, shownContent } from "@agent-history/format-kit";
import type { RepairedEntries, TargetFormat } from "@agent-history/format-kit";

import { chatFormat } from "./internal/chat-format.ts";
import { foreignChatContent } from "./internal/chat-parts.ts";

/** What OpenAI's chat completions take, and what an entry costs there: `fitForTarget` of `@agent-history/format-kit` fits for it. */
export const chatTarget: TargetFormat = {
  repair: (entries) => overReadable(entries, showResultMedia),
  weigh: portableWeight(chatFormat.name, foreignChatContent),
};

/**
 * Puts behind the results of an action what they show: OpenAI takes no image and no file in a result, and nothing between results. What
 * came in a chat message is left as it came.
 */
function showResultMedia(entries: readonly HistoryEntry[]): RepairedEntries {
  const repairs: Repair[] = [];
  const shown: HistoryEntry[] = [];
  let after: HistoryEntry[] = [];
  const settle = (): void => {
    for (const media of after) shown.push(media);
    after = [];
  };
  for (const entry of entries) {
    if (entry.type !== "observation" && isRendered(entry)) settle();
    const { result, media } = splitResult(entry);
    shown.push(result);
    if (media === undefined) continue;
    after.push(media);
    repairs.push({ kind: "format", rule: "media-in-result", entryId: entry.id });
  }
  settle();
  return { entries: repairs.length === 0 ? entries : shown, repairs };
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
