import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { extractiveSummary } from "@agent-history/compression";
import { assistantMessage, userMessage } from "@agent-history/core";
import { gptTokenizerCounter } from "@agent-history/tokens/gpt-tokenizer";

import { fieldOf, listAt, textAt } from "../messages/json-fields.ts";
import type { ResultTable } from "../report/result-table.ts";
import { percent } from "../report/statistics.ts";

/** How many facts of the older halves of long conversations have all their words in a text of so many tokens. */
export interface PlacedFacts {
  readonly way: string;
  readonly maxTokens: number;
  readonly conversations: number;
  readonly facts: number;
  readonly kept: number;
}

interface Conversation {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  /** The words of each fact that stands in the messages. */
  readonly facts: readonly (readonly string[])[];
}

/** Reads the contexts of *Lost in Compaction* below a folder: `lost-in-compaction/NAME.json` with `NAME_meta.json`. */
export function readPlacedFacts(folder: string): readonly Conversation[] {
  const json = (file: string): unknown => JSON.parse(readFileSync(join(folder, file), "utf8"));
  return globSync("lost-in-compaction/*_meta.json", { cwd: folder })
    .toSorted()
    .map((file) => {
      const all = json(file.replace("_meta.json", ".json"));
      const lines: readonly unknown[] = Array.isArray(all) ? all : [];
      const half = Math.floor(lines.length / 2);
      const messages = lines
        .slice(0, half)
        .map((line) => ({ role: textAt(line, "role"), content: textAt(line, "content") }));
      const facts = listAt(json(file), "facts")
        .filter((fact) => fieldOf(fact, "compacted") !== true)
        .filter((fact) => Number(fieldOf(fact, "message_end")) < half)
        .map((fact) => listAt(fact, "keywords").map((word) => String(word).toLowerCase()));
      return { messages, facts };
    });
}

/** Summarizes the older halves under caps, beside the beginning and end of the same size. */
export function placedFacts(
  conversations: readonly Conversation[],
  caps: readonly number[],
): readonly PlacedFacts[] {
  const counter = gptTokenizerCounter({ encoding: "o200k_base" });
  const ways: Readonly<Record<string, (one: Conversation, maxTokens: number) => string>> = {
    "agent-history, no model": ({ messages }, maxTokens) => {
      const entries = messages.map(({ role, content }) =>
        role === "user" ? userMessage({ content }) : assistantMessage({ content }),
      );
      return extractiveSummary(entries, { maxTokens, counter }).text;
    },
    "first and last": ({ messages }, maxTokens) => {
      const all = messages.map(({ role, content }) => `${role}: ${content}`).join("\n");
      const half = Math.floor((all.length * maxTokens) / counter.countText(all) / 2);
      return all.slice(0, half) + all.slice(-half);
    },
  };
  return caps.flatMap((maxTokens) =>
    Object.entries(ways).map(([way, write]) => {
      const kept = conversations.map((one) => {
        const text = write(one, maxTokens).toLowerCase();
        return one.facts.filter((words) => words.every((word) => text.includes(word))).length;
      });
      return {
        way,
        maxTokens,
        conversations: conversations.length,
        facts: conversations.reduce((sum, { facts }) => sum + facts.length, 0),
        kept: kept.reduce((sum, count) => sum + count, 0),
      };
    }),
  );
}

/** Draws what was found. */
export function placedFactsTable(figures: readonly PlacedFacts[]): ResultTable {
  return {
    title: "Compaction: facts of the older half of a long conversation",
    note: `${figures[0]?.conversations ?? 0} conversations of *Lost in Compaction*, of about 190,000 tokens each; the older half is replaced. Counted: facts of which every keyword stands in the text, which is the most that a reader can recall. Published for a model's summary: 0 to 7% of the facts of the replaced part recalled.`,
    head: ["way", "tokens", "facts", "all keywords kept"],
    rows: figures.map((one) => [
      one.way,
      `${one.maxTokens}`,
      `${one.facts}`,
      percent(one.kept / Math.max(1, one.facts)),
    ]),
    figures,
  };
}
