import type { Content, HistoryEntry, TokenCounter, Viewer } from "@agent-history/core";
import { tiktokenCounter } from "@agent-history/tokens";

import { roleOf } from "../oracle/entry-role.ts";
import type { CounterName } from "./chaos-case.ts";

/** Counters of different natures; all but tiktoken's cost next to nothing. */
export function counterCalled(name: CounterName): TokenCounter {
  return (made[name] ??= MAKERS[name]());
}

const made: Partial<Record<CounterName, TokenCounter>> = {};

const MAKERS: Readonly<Record<CounterName, () => TokenCounter>> = {
  quarters: () => cheap("quarters", (length) => 3 + Math.ceil(length / 4)),
  characters: () => cheap("characters", (length) => length),
  "by viewer": () =>
    cheap("by viewer", (length, entry, viewer) => {
      return 3 + length + (roleOf(entry, viewer?.agentId) === "user" ? 30 : 0);
    }),
  tiktoken: () => tiktokenCounter({ encoding: "o200k_base" }),
  "tiktoken, large images": () =>
    tiktokenCounter({ encoding: "o200k_base", imageTokens: () => 400 }),
};

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
  let length = contentLength(shown ?? "");
  if (entry.type === "action") {
    for (const { name, arguments: given } of entry.toolCalls) length += name.length + given.length;
  }
  if (entry.type === "observation") {
    for (const { text } of entry.sources ?? []) length += 12 + text.length;
  }
  return length;
}

function contentLength(content: Content): number {
  if (typeof content === "string") return content.length;
  return content.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 340), 0);
}
