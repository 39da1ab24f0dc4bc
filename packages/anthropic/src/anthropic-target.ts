import { messageRole, overReadable, userMessage } from "@agent-history/core";
import type { HistoryEntry, Repair, Viewer } from "@agent-history/core";
import { portableWeight } from "@agent-history/format-kit";
import type { RepairedEntries, TargetFormat } from "@agent-history/format-kit";

import { foreignContent } from "./internal/anthropic-parts.ts";
import { OPENING } from "./internal/lay-out-request.ts";
import { pairedEntry } from "./internal/request-blocks.ts";
import { ANTHROPIC_FORMAT } from "./internal/write-anthropic.ts";

/** What Anthropic's Messages API takes, and what an entry costs there: `fitForTarget` of `@agent-history/format-kit` fits for it. */
export const anthropicTarget: TargetFormat = {
  repair: (entries, viewer) => overReadable(entries, (readable) => repaired(readable, viewer)),
  weigh: portableWeight(ANTHROPIC_FORMAT, foreignContent),
};

function repaired(entries: readonly HistoryEntry[], viewer: Viewer): RepairedEntries {
  const repairs: Repair[] = [];
  const paired = entries.map((entry) => {
    const one = pairedEntry(entry);
    if (one !== entry) repairs.push({ kind: "format", rule: "odd-call", entryId: entry.id });
    return one;
  });
  const index = paired.findIndex((entry) => messageRole(entry, viewer) !== "system");
  const first = paired[index];
  if (first !== undefined && messageRole(first, viewer) === "assistant") {
    const { createdAtMs } = first;
    const opening = userMessage({ id: "anthropic-opening", createdAtMs, content: OPENING });
    paired.splice(index, 0, opening);
    repairs.push({ kind: "format", rule: "begins-with-answer", entryId: opening.id });
  }
  return { entries: repairs.length === 0 ? entries : paired, repairs };
}
