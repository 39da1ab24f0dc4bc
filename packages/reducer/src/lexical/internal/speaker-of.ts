import type { HistoryEntry } from "@agent-history/core";

import { entryText } from "./entry-text.ts";

/** How far a label reaches into a text, in characters. */
const HEAD_LENGTH = 120;

/** `Ann:`, `[8 May 2023, 13:56] Ann:`, `Ann (13:56):`, `Ann said,`. */
const LABEL =
  /^\s*(?:\[[^\]\n]*\]|\([^)\n]*\))?\s*(?<name>\p{L}[\p{L}\p{M}\p{N}.'’ _-]{0,39}?)\s*(?:\[[^\]\n]*\]|\([^)\n]*\))?(?::\s|：| said[:,]\s)/u;

/** Names who speaks, if anything does: the agent, the name of the provider's message, or the label that the text begins with. */
export function speakerOf(entry: HistoryEntry): string | undefined {
  if (entry.agent !== undefined) return entry.agent.id;
  const name = entry.origin?.extra?.["name"];
  if (typeof name === "string") return name;
  return LABEL.exec(entryText(entry).slice(0, HEAD_LENGTH))?.groups?.["name"];
}
