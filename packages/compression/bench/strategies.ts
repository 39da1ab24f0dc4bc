import { readFileSync } from "node:fs";
import { join } from "node:path";

import { applyCompactions, repairHistory } from "@agent-history/core";
import type { HistoryEntry, TokenCounter } from "@agent-history/core";
import { checkHistory } from "@agent-history/core/check";
import { fromChatMessages } from "@agent-history/openai";
import { gptTokenizerCounter } from "@agent-history/tokens/gpt-tokenizer";

import {
  addCompaction,
  chunked,
  compressHistory,
  expandCompaction,
  fromLastNMessages,
  fromTimestamp,
  noCompression,
  retrieveFacts,
  wholeHistory,
  wholeHistoryPerSystemMessage,
} from "../src/index.ts";
import type { CompressionStrategy } from "../src/index.ts";

/**
 * Runs each strategy without a model on a recorded conversation, undoes it, and says what came of it. Needs the recorded
 * conversations, which are no part of this repository:
 *
 *     AGENT_HISTORY_DATA=folder node packages/compression/bench/strategies.ts [file] [line]
 */

const [file = "tau-bench/airline-gpt-4o.jsonl", line = "0"] = process.argv.slice(2);
const folder = process.env["AGENT_HISTORY_DATA"];
if (folder === undefined)
  throw new Error("Set AGENT_HISTORY_DATA to the folder of the recorded conversations.");

const counter: TokenCounter = gptTokenizerCounter({ model: "gpt-4o" });
const text = readFileSync(join(folder, file), "utf8").split("\n")[Number(line)] ?? "";
const { messages }: { messages: Parameters<typeof fromChatMessages>[0] } = JSON.parse(text);
let clock = 0;
const history = repairHistory(fromChatMessages(messages, { now: () => (clock += 1000) })).entries;

/** The newest user message and what follows it stay; here, so does what is left of a tenth. */
const tailTokens = Math.floor(tokensOf(history) / 10);
const middle = history[Math.floor(history.length / 2)]?.createdAtMs ?? 0;

const strategies: Readonly<Record<string, CompressionStrategy>> = {
  wholeHistory,
  wholeHistoryPerSystemMessage,
  "fromLastNMessages(5)": fromLastNMessages(5),
  "fromTimestamp(the middle)": fromTimestamp(middle),
  "chunked({ size: 10 })": chunked({ size: 10 }),
  "chunked({ maxTokens: 1000 })": chunked({ maxTokens: 1000 }),
  "retrieveFacts(…)": retrieveFacts([
    {
      keyword: "user_request",
      description: "What the user wants to book, change, cancel or fix",
      factType: "multiple",
    },
    {
      keyword: "reservation",
      description: "Reservation numbers, flights, dates and passengers",
      factType: "multiple",
    },
    { keyword: "issue_solved", description: "Was the user's issue resolved?", factType: "single" },
  ]),
  noCompression,
  "of one's own": ({ items }) => ({
    strategy: "results",
    spans: [{ covers: items, reads: items.filter(({ entries }) => entries.length > 1) }],
  }),
};

print([
  "strategy",
  "outcome",
  "entries",
  "tokens",
  "summaries",
  "of",
  "kept",
  "appended",
  "let go",
  "violations",
  "undone",
]);
for (const [name, strategy] of Object.entries(strategies)) {
  const result = await compressHistory(history, { strategy, counter, tailTokens });
  if (result.outcome !== "compressed") {
    print([name, result.outcome]);
    continue;
  }
  const { compactions, facts } = result;
  const log = compactions.reduce(addCompaction, history);
  const shown = applyCompactions(log, "thread");
  const undone = compactions
    .toReversed()
    .reduce((rest, { summary }) => expandCompaction(rest, summary.id), log);
  print([
    name,
    result.outcome,
    `${history.length} → ${shown.length}`,
    `${tokensOf(history)} → ${tokensOf(shown)}`,
    `${compactions.length} (${sum(compactions.map(({ tokensAfter }) => tokensAfter))})`,
    sum(compactions.map(({ tokensBefore }) => tokensBefore)),
    facts.kept.length,
    facts.appended.length,
    facts.dropped.length,
    checkHistory(repairHistory(shown).entries, { before: history }).length,
    JSON.stringify(undone) === JSON.stringify(history) ? "yes" : "NO",
  ]);
}

function tokensOf(entries: readonly HistoryEntry[]): number {
  return sum(entries.map((entry) => counter.countEntry(entry)));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function print([label = "", ...cells]: readonly (string | number)[]): void {
  const padded = cells.map((cell) => String(cell).padStart(14)).join("");
  process.stdout.write(`${String(label).padEnd(30)}${padded}\n`);
}
