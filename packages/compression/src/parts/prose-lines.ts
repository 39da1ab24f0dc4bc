import type { HistoryEntry } from "@agent-history/core";

import { readableTexts } from "../facts/internal/readable-texts.ts";
import { splitSentences } from "../facts/internal/split-sentences.ts";
import { wordsOfText } from "../facts/internal/words-of-text.ts";
import { quoteData } from "../gate/internal/quote-data.ts";
import { chanceOfConclusion } from "./chance-of-return.ts";
import type { SummaryItem, SummaryLine } from "./summary-line.ts";

/** A little for every sentence, most for one that is a fact as a whole; in tokens of facts. */
const BASE_WORTH = 0.1;
const WHOLE_WORTH = 0.5;

/**
 * Sentences of agents, and of results that are prose, each once, where it came last. Sentences that differ in their facts
 * alone come from a program: they are left out, and so are those that only say that a call worked. Linear.
 *
 * @param weightOf - How much a sentence is worth as a whole, from 0 to 1.
 * @param skipped - Positions of results that are no prose: files, output of commands.
 */
export function proseLines(
  entries: readonly HistoryEntry[],
  weightOf: (sentence: string) => number,
  skipped: ReadonlySet<number>,
): readonly SummaryLine[] {
  const said = { agent: new Map<string, SummaryItem>(), tools: new Map<string, SummaryItem>() };
  for (const { part, text, index, isAnswer } of proseOf(entries, skipped)) {
    for (const { text: sentence, isFull } of splitSentences(text)) {
      if (!isFull || (part === "tools" && SUCCESS.test(sentence))) continue;
      const quoted = quoteData(sentence);
      const worth = BASE_WORTH + WHOLE_WORTH * weightOf(sentence);
      said[part].delete(quoted);
      const chance = chanceOfConclusion(sentence, { index, isAnswer }, entries.length);
      said[part].set(quoted, { text: quoted, says: wordsOfText(sentence), worth, index, chance });
    }
  }
  return [
    line("agent", "Agent: ", [...said.agent.values()]),
    line("tools", "Tool: ", withoutTemplates([...said.tools.values()])),
  ];
}

interface Prose {
  readonly part: "agent" | "tools";
  readonly text: string;
  readonly index: number;
  /** What an agent told its user, and not what it said on the way. */
  readonly isAnswer: boolean;
}

/** The texts that may hold sentences. */
function proseOf(entries: readonly HistoryEntry[], skipped: ReadonlySet<number>): readonly Prose[] {
  return entries.flatMap((entry, index) => {
    if (entry.type === "summary") return [];
    const isAnswer = ANSWERS.has(entry.type);
    return readableTexts(entry).flatMap(({ text, origin: where }): readonly Prose[] => {
      if (where === "assistant") return [{ part: "agent", text, index, isAnswer }];
      const isData = where !== "result" || skipped.has(index) || /^\s*[[{]/.test(text);
      return isData ? [] : [{ part: "tools", text, index, isAnswer }];
    });
  });
}

const ANSWERS: ReadonlySet<string> = new Set(["assistant_message", "final", "synthesis"]);
const SUCCESS =
  /\bsuccess(?:ful(?:ly)?)?\b|\bhas been (?:updated|created|modified|written|saved)\b/i;

function line(part: "agent" | "tools", head: string, items: readonly SummaryItem[]): SummaryLine {
  return { part, head, joint: " ", end: "", items };
}

function withoutTemplates(items: readonly SummaryItem[]): readonly SummaryItem[] {
  const shapes = new Map<string, number>();
  const shapeOf = ({ text, says }: SummaryItem): string =>
    text
      .split(" ")
      .filter((word) => !says.has(word.replace(/[.,:;]$/, "")) && !/\d/.test(word))
      .join(" ");
  for (const item of items) shapes.set(shapeOf(item), (shapes.get(shapeOf(item)) ?? 0) + 1);
  return items.filter((item) => item.says.size === 0 || (shapes.get(shapeOf(item)) ?? 0) < 3);
}
