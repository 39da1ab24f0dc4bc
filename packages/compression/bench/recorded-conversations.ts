import { readFileSync } from "node:fs";

import type { HistoryEntry } from "@agent-history/core";
import { fromChatMessages } from "@agent-history/openai";

import { recordedFacts } from "./recorded-facts.ts";
import { relatedPairs } from "./related-pairs.ts";

interface RecordedMessage {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly {
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

/** A conversation, cut: what is covered, and what of its facts the rest mentions. */
export interface CutConversation {
  /** Messages before the cut, without system messages. */
  readonly covered: readonly HistoryEntry[];
  /** 3 a message plus role, content, and the name and arguments of each call. */
  readonly coveredTokens: number;
  /** Facts of the covered messages that come again after the cut; no line numbers, no keys of JSON. */
  readonly wanted: readonly string[];
  /** Two wanted facts that stood in one sentence or one object. */
  readonly pairs: readonly (readonly [string, string])[];
  /** Facts of the covered messages, by how many of them bear them and which did last. */
  readonly facts: readonly RecordedFact[];
}

/** A fact of the measure. */
export interface RecordedFact {
  readonly text: string;
  readonly count: number;
  readonly last: number;
}

/** Where a conversation is cut, as a share of its messages. */
const CUT = 0.6;

/** Reads conversations and cuts them; those without a fact that comes again measure nothing and are left out. */
export function readConversations(
  file: string,
  countText: (text: string) => number,
): readonly CutConversation[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines
    .filter((line) => line !== "")
    .map((line) => {
      const { messages }: { readonly messages: readonly RecordedMessage[] } = JSON.parse(line);
      return cutConversation(messages, countText);
    })
    .filter(({ wanted }) => wanted.length > 0);
}

function cutConversation(
  messages: readonly RecordedMessage[],
  countText: (text: string) => number,
): CutConversation {
  const cut = Math.floor(messages.length * CUT);
  const before = messages.slice(0, cut).filter(({ role }) => role !== "system");
  const after = recordedFacts(messages.slice(cut).map(textOf).join("\n"));
  const noise = noiseOf(before);
  const facts = new Map<string, RecordedFact>();
  for (const [last, message] of before.entries()) {
    for (const text of recordedFacts(textOf(message))) {
      facts.set(text, { text, count: (facts.get(text)?.count ?? 0) + 1, last });
    }
  }
  let coveredTokens = 0;
  for (const { role, content, tool_calls: calls = [] } of before) {
    const parts = calls.flatMap(({ function: { name, arguments: text } }) => [name, text]);
    for (const part of [role, content ?? "", ...parts]) coveredTokens += countText(part);
    coveredTokens += 3;
  }
  const wanted = [...facts.keys()].filter((text) => after.has(text) && !noise.has(text));
  return {
    pairs: relatedPairs(before.map(textOf), wanted),
    covered: fromChatMessages(before, { now: () => 0 }),
    coveredTokens,
    wanted,
    facts: [...facts.values()],
  };
}

const LINE_NUMBER = /^[ ]*(\d+)(?:[:|\t→])/gm;

/** Keys of JSON, and numbers that stand nowhere but at the beginning of lines. */
function noiseOf(messages: readonly RecordedMessage[]): ReadonlySet<string> {
  const text = messages.map(textOf).join("\n");
  const noise = new Set([...text.matchAll(/\\?"([\w-]+)\\?"\s*:/g)].flatMap(([, key = ""]) => key));
  const elsewhere = recordedFacts(text.replaceAll(LINE_NUMBER, ""));
  for (const [, number = ""] of text.matchAll(LINE_NUMBER)) {
    if (!elsewhere.has(number)) noise.add(number);
  }
  return noise;
}

/** What a message says: its text, and the names and arguments of its calls. */
function textOf({ content, tool_calls: calls = [] }: RecordedMessage): string {
  const said = calls.flatMap(({ function: { name, arguments: text } }) => [name, text]);
  return [content ?? "", ...said].join("\n");
}
