import { compressHistory } from "@agent-history/compression";
import { userMessage } from "@agent-history/core";
import type { HistoryEntry, TokenCounter } from "@agent-history/core";

import { fileWords } from "./needed-later.ts";
import type { UsedPath } from "./needed-later.ts";

/** What a summary is made from, and how long it may be. */
export interface ToKeep {
  readonly entries: readonly HistoryEntry[];
  readonly used: readonly UsedPath[];
  readonly before: string;
  readonly maxTokens: number;
  readonly counter: TokenCounter;
}

/** Writes what takes the place of the history. */
export type WayToKeep = (request: ToKeep) => Promise<string> | string;

/** The ways that are measured beside the agent's own summary. */
export const waysToKeep: Readonly<Record<string, WayToKeep>> = {
  "agent-history, no model": summarize,
  "a list of the paths in calls, newest first": ({ used, counter, maxTokens }) =>
    filled(newestPaths(used), maxTokens, counter),
  "the same, then paths seen anywhere": ({ used, before, counter, maxTokens }) => {
    const seen = fileWords(before).toReversed();
    return filled([...new Set([...newestPaths(used), ...seen])], maxTokens, counter);
  },
  "results masked, the last within the cap": ({ entries, counter, maxTokens }) =>
    filled(entries.map(callTexts).filter(Boolean).toReversed(), maxTokens, counter),
};

async function summarize({ entries, counter, maxTokens }: ToKeep): Promise<string> {
  // The newest user message is never covered.
  const log = [...entries, userMessage({ content: "Continue." })];
  const result = await compressHistory(log, { counter, tailTokens: 0, maxTokens });
  if (result.outcome !== "compressed")
    throw new Error(`Expected a summary, got ${result.outcome}.`);
  const { content } = result.compaction.summary;
  return typeof content === "string" ? content : "";
}

function newestPaths(used: readonly UsedPath[]): readonly string[] {
  return [...new Set(used.toReversed().map(({ relative }) => relative))];
}

function callTexts(entry: HistoryEntry): string {
  if (entry.type === "observation" || entry.type === "summary") return "";
  const said = typeof entry.content === "string" ? entry.content : "";
  const calls = entry.type === "action" ? entry.toolCalls : [];
  return [said, ...calls.map(({ name, arguments: text }) => `${name} ${text}`)].join("\n").trim();
}

/** As many lines as fit, the first most wanted. */
function filled(lines: readonly string[], maxTokens: number, counter: TokenCounter): string {
  const kept: string[] = [];
  let room = maxTokens;
  for (const line of lines) {
    const cost = counter.countText(`${line}\n`);
    if (cost <= room) {
      kept.push(line);
      room -= cost;
    } else if (room < 8) break;
  }
  return kept.join("\n");
}
