import { messageRole } from "@agent-history/core";
import type { HistoryEntry, TokenCounter, Viewer } from "@agent-history/core";
import { tiktokenCounter } from "@agent-history/tokens";

import type { Draw } from "./draw.ts";

/** Draws one of several counters of different natures; nearly always one that costs next to nothing. */
export function drawCounter(draw: Draw): TokenCounter {
  if (draw.chance(0.015)) return draw.pick([tiktoken, largeImages]);
  return draw.pick([quarters, quarters, characters, byViewer]);
}

const tiktoken = tiktokenCounter({ encoding: "o200k_base" });
const largeImages = tiktokenCounter({ encoding: "o200k_base", imageTokens: () => 400 });
const quarters = cheap("quarters", (length) => 3 + Math.ceil(length / 4));
const characters = cheap("characters", (length) => length);
const byViewer = cheap("by viewer", (length, entry, viewer) => {
  return 3 + length + (messageRole(entry, viewer) === "user" ? 30 : 0);
});

type Rule = (length: number, entry: HistoryEntry, viewer?: Viewer) => number;

function cheap(id: string, rule: Rule): TokenCounter {
  return {
    id,
    countText: (text) => Math.ceil(text.length / 4),
    countEntry: (entry, viewer) => rule(lengthOf(entry), entry, viewer),
    countRequest: (tools) => (tools === undefined ? 0 : 25 * tools.length),
  };
}

/** The length of all that is rendered of an entry; an image counts as so many characters. */
function lengthOf(entry: HistoryEntry): number {
  const shown = entry.type === "user_message" ? (entry.rendered ?? entry.content) : entry.content;
  const parts = typeof shown === "string" ? [{ type: "text", text: shown }] : (shown ?? []);
  const calls = entry.type === "action" ? entry.toolCalls : [];
  const sources = entry.type === "observation" ? (entry.sources ?? []) : [];
  return [
    ...parts.map((part) => ("text" in part ? part.text.length : 340)),
    ...calls.map(({ name, arguments: given }) => name.length + given.length),
    ...sources.map(({ text }) => 12 + text.length),
  ].reduce((sum, length) => sum + length, 0);
}
