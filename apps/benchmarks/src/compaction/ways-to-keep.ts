import { compressHistory } from "@agent-history/compression";
import { userMessage } from "@agent-history/core";
import type { HistoryEntry, SummaryModel, TokenCounter } from "@agent-history/core";
import { toChatMessages } from "@agent-history/openai";
import { fileWords } from "@agent-history/transcripts";

import type { ChatMessage } from "../messages/chat-message.ts";
import { messageCounter } from "../messages/count-messages.ts";
import { fieldOf, listAt, textAt } from "../messages/json-fields.ts";
import type { PeerSummary } from "../systems/all-systems.ts";
import { extractiveModel } from "./extractive-model.ts";
import type { UsedPath } from "./needed-later.ts";

/** What a summary is made from, and how long it may be. */
export interface ToKeep {
  readonly entries: readonly HistoryEntry[];
  readonly used: readonly UsedPath[];
  readonly before: string;
  readonly maxTokens: number;
  readonly counter: TokenCounter;
}

/** Writes what replaces the history. */
export type WayToKeep = (request: ToKeep) => Promise<string> | string;

/** The ways that are measured beside the agent's own summary. */
export const waysToKeep: Readonly<Record<string, WayToKeep>> = {
  "agent-history, no model": (request) => summarize(request),
  "a list of the paths in calls, newest first": ({ used, counter, maxTokens }) =>
    filled(newestPaths(used), maxTokens, counter),
  "the same, then paths seen anywhere": ({ used, before, counter, maxTokens }) => {
    const seen = fileWords(before).toReversed();
    return filled([...new Set([...newestPaths(used), ...seen])], maxTokens, counter);
  },
  "results masked, the last within the cap": ({ entries, counter, maxTokens }) =>
    filled(entries.map(callTexts).filter(Boolean).toReversed(), maxTokens, counter),
};

/** The same way for every library that asks a model, with one that is none: ours, and the peers that are given. */
export function waysWithModel(
  peers: Readonly<Record<string, PeerSummary>>,
): Readonly<Record<string, WayToKeep>> {
  const others = Object.entries(peers).map(([name, summary]) => {
    const way: WayToKeep = async ({ entries, counter, maxTokens }) => {
      const written: ChatMessage[] = JSON.parse(JSON.stringify(toChatMessages(entries)));
      return summary({
        messages: [...written.map(asText), { role: "user", content: "Continue." }],
        ask: askedUpTo(maxTokens - FRAME_TOKENS, counter),
        counter: messageCounter({ remembers: true }),
      });
    };
    return [`${name}, extractive model`, way] as const;
  });
  const own: WayToKeep = (request) =>
    summarize(request, ({ prompt, maxOutputTokens }) =>
      Promise.resolve(askedUpTo(maxOutputTokens, request.counter)(prompt)),
    );
  return { "agent-history, extractive model": own, ...Object.fromEntries(others) };
}

/** Images have no place in what is counted by text, and a call of a custom tool is one with an input. */
function asText(message: ChatMessage): ChatMessage {
  const { content }: { readonly content?: unknown } = message;
  const texts = Array.isArray(content)
    ? { content: content.map((part) => textAt(part, "text") || "[image]").join("\n") }
    : {};
  const calls = listAt(message, "tool_calls").map((call) => {
    const made = fieldOf(call, "function");
    const custom = fieldOf(call, "custom");
    const input = JSON.stringify({ input: textAt(custom, "input") });
    return {
      id: textAt(call, "id"),
      type: "function" as const,
      function: {
        name: textAt(made ?? custom, "name"),
        arguments: made === undefined ? input : textAt(made, "arguments"),
      },
    };
  });
  return { ...message, ...texts, ...(calls.length > 0 && { tool_calls: calls }) };
}

/** What a library writes around a summary. */
const FRAME_TOKENS = 60;

function askedUpTo(maxTokens: number, counter: TokenCounter): (prompt: string) => string {
  return (prompt) => extractiveModel(prompt, maxTokens, (text) => counter.countText(text));
}

async function summarize(
  { entries, counter, maxTokens }: ToKeep,
  model?: SummaryModel,
): Promise<string> {
  // The newest user message is never covered.
  const log = [...entries, userMessage({ content: "Continue." })];
  const options = { counter, tailTokens: 0, maxTokens, ...(model && { model }) };
  const result = await compressHistory(log, options);
  if (result.outcome !== "compressed")
    throw new Error(`Expected a summary, got ${result.outcome}: ${result.reason}`);
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
