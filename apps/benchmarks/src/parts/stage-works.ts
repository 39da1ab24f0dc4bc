import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { observation, userMessage } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import {
  filterHistory,
  managerHistoryFilter,
  orchestratorHistoryFilter,
  workerHistoryFilter,
} from "@agent-history/filters";
import { completionDetector } from "@agent-history/filters/completion";
import { removeFromText, tagCleaner } from "@agent-history/postprocess";
import { lexicalScorer } from "@agent-history/reducer/lexical";
import MiniSearch from "minisearch";

import { agentTurns, TURN, VIEWER } from "../stores/agent-thread.ts";

/** Prepares one run, and returns what is timed. */
export type Prepared = () => () => unknown;

/** One stage, and the least that does its work. */
export interface StageWork {
  readonly what: string;
  /** How many times as long as the least it may take. */
  readonly mostTimes: number;
  readonly own: Prepared;
  readonly bare: Prepared;
  /** How much text it reads, where that is to be told by the second. */
  readonly characters?: number;
}

/** Filters on a thread of a length, the detector on it and on a hundredth of it, cleaning of a text with a tag for every five entries, indexes of a tenth of it and of this repository's documentation. */
export function stageWorks(entries: number): readonly StageWork[] {
  const thread = agentTurns(0, Math.ceil(entries / TURN)).flat();
  const agent = { agentId: VIEWER };
  const bare: Prepared = () => () => thread.filter(isShown);
  const filters = {
    workerHistoryFilter: () => filterHistory(thread, workerHistoryFilter(), agent),
    managerHistoryFilter: () => filterHistory(thread, managerHistoryFilter(), {}),
    orchestratorHistoryFilter: () => filterHistory(thread, orchestratorHistoryFilter()),
  };
  return [
    ...Object.entries(filters).map(([what, own]) => {
      return { what, mostTimes: 20, own: () => own, bare };
    }),
    {
      what: "completionDetector, first look",
      mostTimes: 20,
      own: () => {
        const unknown = thread.map(copied);
        return () => completionDetector().detect(unknown, agent);
      },
      bare,
    },
    { ...oneEntryMore(thread), bare },
    { ...oneEntryMore(thread.slice(0, entries / 100)), bare },
    againstMiniSearch(thread.slice(0, Math.ceil(entries / 10))),
    ...documentation(),
    denseTags(entries / 5),
  ];
}

/** Asks again after each entry that came, as an agent's loop does. */
function oneEntryMore(thread: readonly HistoryEntry[]): Omit<StageWork, "bare"> {
  const grown = [...thread];
  const detector = completionDetector();
  const more = agentTurns(thread.length, 100).flat();
  detector.detect(grown, { agentId: VIEWER });
  return {
    what: `completionDetector, one entry more than ${thread.length.toLocaleString("en")}`,
    mostTimes: 0.25,
    own: () => {
      grown.push(...more.splice(0, 1));
      const now = grown.slice();
      return () => detector.detect(now, { agentId: VIEWER });
    },
  };
}

function againstMiniSearch(thread: readonly HistoryEntry[]): StageWork {
  const texts = thread.map((entry, id) => ({ id, content: textOf(entry) }));
  return {
    what: "lexicalScorer beside MiniSearch, index and first question",
    mostTimes: 1,
    own: () => firstIndex(thread),
    bare: () => () => {
      const engine = new MiniSearch({ fields: ["content"] });
      engine.addAll(texts);
      return engine.search(QUESTION);
    },
  };
}

/** Real English, by paragraphs, in results of some 40,000 characters, and 500 paragraphs more of what is known, each with a question. */
function documentation(): readonly StageWork[] {
  const paragraphs = paragraphsOfDocs();
  const said = paragraphs.map((content) => userMessage({ content }));
  const results = inResults(paragraphs);
  const scorer = lexicalScorer();
  const added = said.slice(-500);
  const known = said.slice(0, -500);
  return [
    { ...countedWords("lexicalScorer, paragraphs", 8, said), own: () => firstIndex(said) },
    { ...countedWords("lexicalScorer, long results", 6, results), own: () => firstIndex(results) },
    {
      ...countedWords("lexicalScorer, 500 paragraphs more", 12, added),
      own: () => {
        scorer.score(QUESTION, known);
        const grown = [...known, ...added.map(copied)];
        return () => scorer.score(QUESTION, grown);
      },
    },
  ];
}

/** One `split` over the same texts, and a count of each word. */
function countedWords(
  what: string,
  mostTimes: number,
  entries: readonly HistoryEntry[],
): Omit<StageWork, "own"> {
  const texts = entries.map(textOf);
  return {
    what,
    mostTimes,
    characters: texts.reduce((sum, { length }) => sum + length, 0),
    bare: () => () => {
      const counts = new Map<string, number>();
      for (const text of texts)
        for (const word of text.split(/\W+/)) counts.set(word, (counts.get(word) ?? 0) + 1);
      return counts;
    },
  };
}

function firstIndex(entries: readonly HistoryEntry[]): () => unknown {
  const unknown = entries.map(copied);
  return () => lexicalScorer().score(QUESTION, unknown);
}

const ROOT = new URL("../../../../", import.meta.url);

/** All that stands in the guide, the decisions and the READMEs: with typographic signs, code and tables. */
function paragraphsOfDocs(): readonly string[] {
  return ["docs", "packages"]
    .flatMap((folder) => globSync(`${folder}/**/*.md`, GLOB).toSorted())
    .flatMap((path) => readFileSync(new URL(path, ROOT), "utf8").split(/\n{2,}/));
}

const GLOB = { cwd: fileURLToPath(ROOT), exclude: ["**/node_modules", "**/CHANGELOG.md"] };

function inResults(paragraphs: readonly string[]): readonly HistoryEntry[] {
  const text = paragraphs.join("\n\n");
  return Array.from({ length: Math.ceil(text.length / RESULT) }, (_, index) =>
    observation({
      callId: `c${index}`,
      toolName: "read",
      outcome: "success",
      content: text.slice(index * RESULT, (index + 1) * RESULT),
    }),
  );
}

const RESULT = 40_000;

function denseTags(tags: number): StageWork {
  const text = 'Apple <ticker symbol="AAPL">201 USD</ticker> rose. '.repeat(tags);
  const cleaners = [tagCleaner({ tag: "ticker" })];
  return {
    what: "removeFromText, dense tags",
    mostTimes: 4,
    own: () => () => removeFromText(text, { cleaners }).text,
    bare: () => () => text.replace(/\s*<ticker[^>]*>[^<]*<\/ticker>/g, ""),
  };
}

const QUESTION = "Where is the valve?";

function textOf(entry: HistoryEntry): string {
  return "content" in entry && typeof entry.content === "string" ? entry.content : "";
}

function isShown({ type }: HistoryEntry): boolean {
  return type !== "opaque";
}

/** Another object: what was read of the entry is not known of it. */
function copied(entry: HistoryEntry): HistoryEntry {
  return { ...entry };
}
