import { readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

import { userMessage } from "@agent-history/core";
import type { HistoryEntry, TokenCounter } from "@agent-history/core";
import { encode } from "gpt-tokenizer/encoding/o200k_base";

import { fitToWindow } from "../src/index.ts";
import type { FitOptions } from "../src/index.ts";
import { lexicalScorer } from "../src/lexical/index.ts";
import type { LexicalScorerOptions } from "../src/lexical/index.ts";

/**
 * Measures how much of the evidence for a question stays in a window, without a model, on recorded dialogues (LoCoMo):
 * for each question, the mean share of its evidence turns whose message is kept whole. Category 5, which is
 * adversarial, is left out. Labels are used for measuring only.
 *
 *     AGENT_HISTORY_DATA=/path/to/data node bench/evidence.ts
 *     AGENT_HISTORY_DATA=/path/to/data node bench/evidence.ts --fit
 *
 * The first command fills a window with single messages by several rankings. `--fit` fills it by `fitToWindow`, in whole turns, with and without
 * the opening of the dialogue; that takes some minutes.
 *
 * Counts are o200k_base: 3 for the request, and for each message 3, its role and its content; the question is the last
 * message. Speakers and session dates are in the content, and are counted with it.
 */
const windows = [2000, 4000, 8000] as const;

interface Turn {
  readonly id: string;
  readonly session: number;
  readonly date_time: string;
  readonly speaker: string;
  readonly role: "user" | "assistant";
  readonly text: string;
  readonly caption?: string;
}

interface Question {
  readonly question: string;
  readonly category: number;
  readonly evidence: readonly string[];
}

interface Dialogue {
  readonly id: string;
  readonly turns: readonly Turn[];
  readonly qa: readonly Question[];
}

/** Formats a turn as a message. */
type Form = (turn: Turn, isFirstOfSession: boolean) => string;

const forms: Readonly<Record<string, Form>> = {
  "date at each session's beginning": (turn, isFirst) =>
    `${isFirst ? `[${turn.date_time}] ` : ""}${turn.speaker}: ${turn.text}${shared(turn)}`,
  "the same without captions of images": (turn, isFirst) =>
    `${isFirst ? `[${turn.date_time}] ` : ""}${turn.speaker}: ${turn.text}`,
  "date in each message": (turn) =>
    `[${turn.date_time}] ${turn.speaker}: ${turn.text}${shared(turn)}`,
};

interface Message {
  readonly entry: HistoryEntry;
  readonly tokens: number;
}

/** Returns the order in which messages are kept, the first first. */
type Ranking = (question: string, messages: readonly Message[]) => readonly number[];

/** Returns the ids of the messages that a window keeps whole. */
type Keeper = (
  question: string,
  messages: readonly Message[],
  window: number,
) => ReadonlySet<string>;

/** The share of the evidence that is kept, from 0 to 1, for one question at each window. */
interface Result {
  readonly dialogue: string;
  readonly category: number;
  readonly shares: readonly number[];
}

const rankings: Readonly<Record<string, Ranking>> = {
  "lexical scorer, best first": byScore(scores()),
  "  without stems": byScore(scores({ stem: (word) => word })),
  "  without stop words": byScore(scores({ stopWords: [] })),
  "  by score / tokens^0.05": byScore(scores(), (score, { tokens }) => score / tokens ** 0.05),
  "  by score / tokens^0.5": byScore(scores(), (score, { tokens }) => score / tokens ** 0.5),
  "  by score / tokens": byScore(scores(), (score, { tokens }) => score / tokens),
  "  + 0.05 × recency": byScore(scores(), (score, _, age) => score - 0.05 * age),
  "  + 0.25 × recency": byScore(scores(), (score, _, age) => score - 0.25 * age),
  "  + 1 × recency": byScore(scores(), (score, _, age) => score - age),
  "  the last 4 first": byScore(scores(), (score, _, age, count) => score + last(4, age, count)),
  "  the last 16 first": byScore(scores(), (score, _, age, count) => score + last(16, age, count)),
  "newest first": (_, messages) => messages.map((_message, index) => index).toReversed(),
};

const folder = process.env["AGENT_HISTORY_DATA"];
if (folder === undefined) {
  throw new Error("Set AGENT_HISTORY_DATA to the folder that holds locomo/locomo.jsonl.");
}
const dialogues = readDialogues(join(folder, "locomo", "locomo.jsonl"));

if (process.argv.includes("--fit")) printFits();
else for (const [name, form] of Object.entries(forms)) printRankings(name, form);

function printRankings(name: string, form: Form): void {
  print(`\n${name}`.padEnd(45), windows.map(String));
  for (const [label, ranking] of Object.entries(rankings)) {
    const results = dialogues.flatMap((dialogue) => measure(dialogue, form, byRanking(ranking)));
    print(label, meanShares(results));
    if (label.startsWith(" ") || label === "newest first") continue;
    printGroups(results, ({ category }) => `category ${category}`);
    printGroups(results, ({ dialogue }) => dialogue);
  }
}

function printFits(): void {
  const openings: Readonly<Record<string, Pick<FitOptions, "firstRequestShare">>> = {
    "a fit with its defaults": {},
    "  firstRequestShare: 0.1": { firstRequestShare: 0.1 },
  };
  for (const [name, form] of Object.entries(forms).slice(0, 1)) {
    print(`\n${name}`.padEnd(45), windows.map(String));
    for (const [label, opening] of Object.entries(openings)) {
      const keeper = byFit(opening);
      print(label, meanShares(dialogues.flatMap((dialogue) => measure(dialogue, form, keeper))));
    }
  }
}

function readDialogues(file: string): readonly Dialogue[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line): Dialogue => JSON.parse(line));
}

function shared({ caption }: Turn): string {
  return caption === undefined ? "" : ` [image: ${caption}]`;
}

function measure(dialogue: Dialogue, form: Form, keeper: Keeper): readonly Result[] {
  const { id, turns, qa } = dialogue;
  const messages = turns.map((turn, index) => {
    const content = form(turn, turn.session !== turns[index - 1]?.session);
    const type = turn.role === "user" ? "user_message" : "assistant_message";
    // Times are not used: dates are read from the text, where they are counted.
    const entry: HistoryEntry = { id: turn.id, type, createdAtMs: index, content };
    return { entry, tokens: tokensOf(turn.role, content) };
  });
  const ids = new Set(turns.map((turn) => turn.id));
  return qa.flatMap(({ question, category, evidence }) => {
    const wanted = [...new Set(evidence)].filter((turnId) => ids.has(turnId));
    if (category === 5 || wanted.length === 0) return [];
    const shares = windows.map((window) => {
      const kept = keeper(question, messages, window);
      return wanted.filter((turnId) => kept.has(turnId)).length / wanted.length;
    });
    return [{ dialogue: id, category, shares }];
  });
}

function tokensOf(role: string, content: string): number {
  return 3 + encode(role).length + encode(content).length;
}

/** Fills a window with whole turns, as a fit does. */
function byFit(opening: Pick<FitOptions, "firstRequestShare">): Keeper {
  const scorer = lexicalScorer();
  const sizes = new Map<HistoryEntry, number>();
  const counter: TokenCounter = {
    id: "o200k_base",
    countText: (text) => encode(text).length,
    countEntry: (entry) => {
      const role = entry.type === "user_message" ? "user" : "assistant";
      const content = "content" in entry && typeof entry.content === "string" ? entry.content : "";
      const size = sizes.get(entry) ?? tokensOf(role, content);
      sizes.set(entry, size);
      return size;
    },
    countRequest: () => 3,
  };
  return (question, messages, contextTokens) => {
    const asked = userMessage({ id: "question", createdAtMs: messages.length, content: question });
    const history = [...messages.map(({ entry }) => entry), asked];
    const options = { window: { contextTokens }, counter, scorer, ...opening };
    const whole = new Set(history);
    const { entries } = fitToWindow(history, options);
    return new Set(entries.filter((entry) => whole.has(entry)).map(({ id }) => id));
  };
}

/** Fills a window with messages in the order of a ranking. */
function byRanking(ranking: Ranking): Keeper {
  const orders = new WeakMap<readonly Message[], { question: string; order: readonly number[] }>();
  return (question, messages, window) => {
    const known = orders.get(messages);
    const order = known?.question === question ? known.order : ranking(question, messages);
    orders.set(messages, { question, order });
    return keep(order, messages, window - 3 - tokensOf("user", question));
  };
}

/** Keeps messages in order, skipping those that no longer fit. */
function keep(
  order: readonly number[],
  messages: readonly Message[],
  budget: number,
): ReadonlySet<string> {
  let left = budget;
  const kept = new Set<string>();
  for (const position of order) {
    const message = messages[position];
    if (message === undefined || message.tokens > left) continue;
    left -= message.tokens;
    kept.add(message.entry.id);
  }
  return kept;
}

type Scores = (question: string, messages: readonly Message[]) => readonly number[];

/** A scorer for the whole run, so that each message is read once. */
function scores(options?: LexicalScorerOptions): Scores {
  const scorer = lexicalScorer(options);
  const histories = new WeakMap<readonly Message[], readonly HistoryEntry[]>();
  return (question, messages) => {
    const history = histories.get(messages) ?? messages.map(({ entry }) => entry);
    histories.set(messages, history);
    return scorer.score(question, history);
  };
}

/** Ranks by a score, or by a function of it; `age` is from 0 (newest) to 1. Ties: newest first. */
function byScore(
  scoresOf: Scores,
  weigh: (score: number, message: Message, age: number, count: number) => number = (score) => score,
): Ranking {
  return (question, messages) => {
    const { length } = messages;
    const weighed = scoresOf(question, messages).map((score, position) => {
      const message = messages[position];
      const age = (length - 1 - position) / length;
      return { position, weight: message === undefined ? 0 : weigh(score, message, age, length) };
    });
    return weighed
      .toSorted((a, b) => b.weight - a.weight || b.position - a.position)
      .map(({ position }) => position);
  };
}

function last(some: number, age: number, count: number): number {
  return age * count < some ? 1e6 : 0;
}

function meanShares(results: readonly Result[]): readonly string[] {
  return windows.map((_, index) => {
    const sum = results.reduce((total, { shares }) => total + (shares[index] ?? 0), 0);
    return ((100 * sum) / results.length).toFixed(1);
  });
}

function printGroups(results: readonly Result[], groupOf: (result: Result) => string): void {
  const groups = [...new Set(results.map(groupOf))].toSorted();
  for (const group of groups) {
    const some = results.filter((result) => groupOf(result) === group);
    print(`    ${group} (${some.length})`, meanShares(some));
  }
}

function print(label: string, cells: readonly string[]): void {
  process.stdout.write(`${label.padEnd(44)}${cells.map((cell) => cell.padStart(7)).join("")}\n`);
}
