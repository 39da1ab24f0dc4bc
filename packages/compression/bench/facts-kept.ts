// Measures how much of what a conversation comes back to an extractive summary keeps. Everything before 60% of the messages is
// summarized, at a fifth and at a tenth of its tokens, by a summarizer that sees nothing of what comes after; of the facts
// that come after as well, the share that stands in the summary is given, as a mean over conversations.
//
//     AGENT_HISTORY_DATA=/path/to/data node bench/facts-kept.ts [--check]
//
// Without AGENT_HISTORY_DATA, the folder of the conversations, nothing is measured.
import process from "node:process";

import { gptTokenizerCounter } from "@agent-history/tokens/gpt-tokenizer";

import { extractiveSummary } from "../src/extractive/extractive-summary.ts";
import { bareList, bareSentences } from "./baselines.ts";
import { fullSentences } from "./full-sentences.ts";
import { readConversations } from "./recorded-conversations.ts";
import type { CutConversation } from "./recorded-conversations.ts";
import { recordedFacts } from "./recorded-facts.ts";
import { keptPairs } from "./related-pairs.ts";

const FILES = [
  "tau-bench/airline-gpt-4o.jsonl",
  "tau-bench/airline-gpt-4o.derived-parallel.jsonl",
  "swe-agent/swe-agent-mit.jsonl",
];
/** What is promised at a share of the covered tokens, in percent. */
const PROMISES = [
  { share: 0.2, facts: 90 },
  { share: 0.1, facts: 64 },
];
const LEAST_SENTENCES = 40;

const counter = gptTokenizerCounter({ encoding: "o200k_base" });
const countText = counter.countText.bind(counter);

type Summarize = (conversation: CutConversation, maxTokens: number) => string;

const summarizers: Readonly<Record<string, Summarize>> = {
  "extractive summary": ({ covered }, maxTokens) =>
    extractiveSummary(covered, { maxTokens, counter }).text,
  "bare list by count and recency": (conversation, maxTokens) =>
    bareList(conversation, maxTokens, countText),
  "sentences without the facts": (conversation, maxTokens) =>
    bareSentences(conversation, maxTokens, countText),
};

interface Result {
  /** Share of the wanted facts that stand in the summary. */
  readonly facts: number;
  /** Share of its tokens in full sentences, and in those of which half the words are plain. */
  readonly sentences: number;
  readonly plainSentences: number;
  /** Share of its tokens in the bare list at its end. */
  readonly bareTail: number;
  /** Pairs of facts that stood together, and of these those that still do. */
  readonly pairs: number;
  readonly keptPairs: number;
}

const folder = process.env["AGENT_HISTORY_DATA"];
if (folder === undefined)
  print("Set AGENT_HISTORY_DATA to the folder that holds the recorded conversations.");
else measureAll(folder);

function measureAll(root: string): void {
  const files = FILES.map((file) => ({
    file,
    all: readConversations(`${root}/${file}`, countText),
  }));
  const everything = files.flatMap(({ all }) => all);
  const originals = files.flatMap(({ file, all }) => (file.includes("derived") ? [] : all));
  const groups: readonly (readonly [string, readonly CutConversation[]])[] = [
    ...files.map(({ file, all }) => [file, all] as const),
    ["all but the derived", originals],
    ["all", everything],
  ];
  for (const [name, summarize] of Object.entries(summarizers)) {
    print(`\n${name}`);
    for (const [group, conversations] of groups) {
      for (const promise of PROMISES) report(group, name, promise, conversations, summarize);
    }
  }
}

function report(
  group: string,
  name: string,
  { share, facts: promised }: (typeof PROMISES)[number],
  conversations: readonly CutConversation[],
  summarize: Summarize,
): void {
  const results = conversations.map((conversation) => measure(conversation, share, summarize));
  const facts = mean(results.map((result) => result.facts));
  const sentences = mean(results.map((result) => result.sentences));
  const plain = mean(results.map((result) => result.plainSentences));
  const columns = [share, `n ${results.length}`, `facts ${facts.toFixed(1)}`];
  const worst = Math.min(...results.map((result) => result.facts));
  const tail = mean(results.map(({ bareTail }) => bareTail));
  const sum = (key: "pairs" | "keptPairs"): number =>
    results.reduce((total, result) => total + result[key], 0);
  const pairs = (100 * sum("keptPairs")) / Math.max(1, sum("pairs"));
  const shares = [
    `worst ${worst.toFixed(1)}`,
    `pairs ${pairs.toFixed(1)}`,
    `in sentences ${sentences.toFixed(1)}`,
    `in plain ones ${plain.toFixed(1)}`,
    `bare tail ${tail.toFixed(1)}`,
  ];
  print(`  ${group.padEnd(48)} ${[...columns, ...shares].join("  ")}`);
  const isPromised = group.startsWith("all") && name === "extractive summary";
  if (!isPromised || (facts >= promised && sentences >= LEAST_SENTENCES)) return;
  print(`  promised: ${promised} and ${LEAST_SENTENCES}`);
  if (process.argv.includes("--check")) process.exitCode = 1;
}

function measure(conversation: CutConversation, share: number, summarize: Summarize): Result {
  const maxTokens = Math.floor(conversation.coveredTokens * share);
  const summary = summarize(conversation, maxTokens);
  const tokens = countText(summary);
  if (tokens > maxTokens) throw new Error(`Expected at most ${maxTokens} tokens; got ${tokens}.`);
  const there = recordedFacts(summary);
  const kept = conversation.wanted.filter((fact) => there.has(fact)).length;
  const tokensIn = (plainShare: number): number =>
    fullSentences(summary, plainShare).reduce((sum, each) => sum + countText(` ${each}`), 0);
  const bare = summary
    .split("\n")
    .filter((line) => line.startsWith("Also: "))
    .join("\n");
  return {
    facts: (100 * kept) / conversation.wanted.length,
    sentences: (100 * tokensIn(0)) / Math.max(1, tokens),
    plainSentences: (100 * tokensIn(0.5)) / Math.max(1, tokens),
    bareTail: (100 * countText(bare)) / Math.max(1, tokens),
    pairs: conversation.pairs.length,
    keptPairs: keptPairs(summary, conversation.pairs),
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
