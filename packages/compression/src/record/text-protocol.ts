import type { HistoryEntry } from "@agent-history/core";

import { textOf } from "../internal/data-text.ts";

/**
 * Finds the frame of results sent as user messages, by agents that write commands as text: a first
 * or last line that most messages after a command share. `undefined` if users speak. Works by form and repetition, in any language.
 */
export function frameOf(entries: readonly HistoryEntry[]): string | undefined {
  const counts = new Map<string, number>();
  let answers = 0;
  for (const [index, entry] of entries.entries()) {
    const before = entries[index - 1];
    if (entry.type !== "user_message" || before?.type !== "assistant_message") continue;
    answers += 1;
    if (!isCommand(textOf(before.content))) continue;
    for (const edge of edgesOf(textOf(entry.content))) {
      counts.set(edge, (counts.get(edge) ?? 0) + 1);
    }
  }
  const [best] = [...counts].toSorted(([, one], [, other]) => other - one);
  return best !== undefined && best[1] >= LEAST_RESULTS && best[1] > answers / 2
    ? best[0]
    : undefined;
}

const LEAST_RESULTS = 3;

/** A command does not end as a sentence does. */
export function isCommand(text: string): boolean {
  return !SENTENCE_END.test(text);
}

const SENTENCE_END = /[.!?。！？…:：]\s*$|^\s*$/;

/** The first line, the label before a colon and the last line, each with any number as 0. A text of one line has a label at most. */
function edgesOf(text: string): ReadonlySet<string> {
  const lines = text.trim().split("\n");
  const [label = ""] = /^[^\n:：]{1,24}[:：]/.exec(text.trim()) ?? [];
  const edges = lines.length < 2 ? [label] : [lines[0] ?? "", label, lines.at(-1) ?? ""];
  const shapes = edges.map((edge) => edge.trim().replace(/\d+/g, "0"));
  return new Set(shapes.filter((edge) => /^(?!```)(?=.*\p{L}).{1,80}$/u.test(edge)));
}

/** Returns the text inside a frame; `undefined` if it has none. */
export function framedResult(text: string, frame: string): string | undefined {
  if (!edgesOf(text).has(frame)) return undefined;
  const lines = text.trim().split("\n");
  const isEdge = (line = ""): boolean => line.trim().replace(/\d+/g, "0") === frame;
  const end = isEdge(lines.at(-1)) ? -1 : lines.length;
  return lines
    .slice(isEdge(lines[0]) ? 1 : 0, end)
    .join("\n")
    .trim();
}

/** Splits an agent's text into prose and the command at its end: a code block, the content of a tag, or the last line without its label. */
export function commandIn(text: string): { readonly words: string; readonly command: string } {
  const block = /```[^\n`]{0,40}\n([^`]*)```\s*$|<([\w-]{1,40})[^>\n]{0,80}>([^<]*)<\/\2>\s*$/.exec(
    text,
  );
  if (block !== null) {
    const [, code = "", , inTag = ""] = block;
    return { words: text.slice(0, block.index).trim(), command: (code || inTag).trim() };
  }
  const start = text.lastIndexOf("\n") + 1;
  return {
    words: text.slice(0, start).trim(),
    command: text.slice(start).replace(/^[^\n:：]{1,24}[:：]\s+/, ""),
  };
}
