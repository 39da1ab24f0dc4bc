// Fits recorded conversations at every point at which a model would be called, and checks the results independently: with
// OpenAI's pairing rules, tiktoken counts by the rules of OpenAI's cookbook, and a minimum computed from the messages. `--check` fails
// if any of these counts is not zero. Set AGENT_HISTORY_DATA to the folder of the conversations; without it, nothing is measured.
import { readFileSync } from "node:fs";
import process from "node:process";

import { isHistoryError } from "@agent-history/core";
import type { HistoryEntry, ReductionPlan } from "@agent-history/core";
import { checkHistory } from "@agent-history/core/check";
import { fromChatMessages, toChatMessages } from "@agent-history/openai";
import { fitToWindow } from "@agent-history/reducer";
import { tiktokenCounter } from "@agent-history/tokens";

import { chatProblems } from "../test-messages/chat/chat-problems.ts";
import { chatTokens, least, newestQuestion, sayTheSame } from "./chat-facts.ts";
import type { RecordedMessage } from "./chat-facts.ts";
import { measureItems } from "./measure-items.ts";

const WINDOWS = [500, 1000, 2000, 4000, 8000];
/** Windows of a second run, with a system message short enough to fit. */
const SMALL_WINDOWS = [500, 1000];
const SHORT_SYSTEM =
  "You are an agent. Follow the policy, use the tools, and confirm before you change anything.";
const FILES = [
  "tau-bench/airline-gpt-4o.jsonl",
  "tau-bench/airline-gpt-4o.derived-parallel.jsonl",
  "swe-agent/swe-agent-mit.jsonl",
];
const counter = tiktokenCounter({ encoding: "o200k_base" });
const folder = process.env["AGENT_HISTORY_DATA"];

if (folder === undefined) print("Set AGENT_HISTORY_DATA to the folder that holds them.");
else for (const file of FILES) measure(`${folder}/${file}`, file);

/** Counts for one window; those from `over` on must stay 0. */
function newTally(): Record<
  | "window"
  | "points"
  | "percentFull"
  | "whole"
  | "tooSmall"
  | "over"
  | "pairing"
  | "systemLost"
  | "questionLost"
  | "laws"
  | "couldFit"
  | "wrongNumbers"
  | "aboveCount",
  number
> {
  return {
    window: 0,
    points: 0,
    percentFull: 0,
    whole: 0,
    tooSmall: 0,
    over: 0,
    pairing: 0,
    systemLost: 0,
    questionLost: 0,
    laws: 0,
    couldFit: 0,
    wrongNumbers: 0,
    aboveCount: 0,
  };
}

type Tally = ReturnType<typeof newTally>;

function measure(path: string, file: string): void {
  const lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
  const conversations = lines.map((line): readonly RecordedMessage[] => JSON.parse(line).messages);
  const shortened = conversations.map((messages) => messages.map(withShortSystem));
  for (const isGrowing of [false, true]) {
    const rows = [
      ...WINDOWS.map((window) => tallyOf(conversations, window, isGrowing)),
      ...SMALL_WINDOWS.map((window) => tallyOf(shortened, window, isGrowing)),
    ];
    print(`${file}, ${isGrowing ? "each call with the plan of the one before" : "each call anew"}`);
    print(
      Object.keys(newTally())
        .map((name) => name.padStart(14))
        .join(""),
    );
    for (const row of rows)
      print(
        Object.values(row)
          .map((count) => `${count}`.padStart(14))
          .join(""),
      );
    if (rows.some(hasFault) && process.argv.includes("--check")) process.exitCode = 1;
  }
  const { line, hasFault: isFaulty } = measureItems(conversations);
  print(
    `the same as items of the Responses API, each call with the plan of the one before\n${line}`,
  );
  if (isFaulty && process.argv.includes("--check")) process.exitCode = 1;
}

function tallyOf(
  conversations: readonly (readonly RecordedMessage[])[],
  contextTokens: number,
  isGrowing: boolean,
): Tally {
  const tally = newTally();
  for (const messages of conversations) walk(messages, { contextTokens, isGrowing, tally });
  const fitted = tally.points - tally.tooSmall;
  return {
    ...tally,
    window: contextTokens,
    percentFull: Math.round((100 * tally.percentFull) / Math.max(fitted, 1)),
  };
}

/** Replaces the recorded system messages, which alone exceed the smallest windows. */
function withShortSystem(message: RecordedMessage): RecordedMessage {
  return message.role === "system" ? { ...message, content: SHORT_SYSTEM } : message;
}

function hasFault({ window, points, percentFull, whole, tooSmall, ...faults }: Tally): boolean {
  return Object.values(faults).some((count) => count > 0);
}

interface Walk {
  readonly contextTokens: number;
  readonly isGrowing: boolean;
  readonly tally: Tally;
}

/** Fits the prefix up to each user message and each result of a conversation. */
function walk(
  messages: readonly RecordedMessage[],
  { contextTokens, isGrowing, tally }: Walk,
): void {
  const all = fromChatMessages(messages);
  let previousPlan: ReductionPlan | undefined;
  for (const [index, { role }] of messages.entries()) {
    if (role !== "user" && role !== "tool") continue;
    const entries = all.slice(0, index + 1);
    const before = messages.slice(0, index + 1);
    tally.points += 1;
    try {
      const options = previousPlan === undefined ? {} : { previousPlan };
      const fitted = fitToWindow(entries, { window: { contextTokens }, counter, ...options });
      if (isGrowing) previousPlan = fitted.plan;
      judge(fitted, { entries, before, contextTokens, tally });
    } catch (error) {
      if (!isHistoryError(error, "WINDOW_TOO_SMALL")) throw error;
      tally.tooSmall += 1;
      if (least(before) <= contextTokens) fault("couldFit", tally, { contextTokens, before });
      const { required, available } = error.details ?? {};
      const isRight = required === least(before) && available === contextTokens;
      if (!isRight || !isLeast(entries, required, contextTokens)) {
        fault("wrongNumbers", tally, { contextTokens, before });
      }
    }
  }
}

interface Point {
  readonly contextTokens: number;
  readonly before: readonly RecordedMessage[];
}

function judge(
  { entries: kept, plan }: ReturnType<typeof fitToWindow>,
  point: Point & { readonly entries: readonly HistoryEntry[]; readonly tally: Tally },
): void {
  const { entries, before, contextTokens, tally } = point;
  const chat = toChatMessages(kept);
  const tokens = chatTokens(chat);
  if (kept === entries) tally.whole += 1;
  tally.percentFull += tokens / contextTokens;
  if (tokens > contextTokens) fault("over", tally, point);
  // The plan counts a result with its tool's name, which some recordings lack.
  if (tokens > plan.totalTokens) fault("aboveCount", tally, point);
  if (chatProblems(chat).length > 0) fault("pairing", tally, point);
  const isThere = (message: RecordedMessage): boolean =>
    chat.some((one) => sayTheSame(one, message));
  const systems = before.filter(({ role }) => role === "system");
  if (!systems.every(isThere)) fault("systemLost", tally, point);
  if (!newestQuestion(before).every(isThere)) fault("questionLost", tally, point);
  if (checkHistory(kept, { before: entries }).length > 0) fault("laws", tally, point);
}

/** Returns whether the number in an error is exact: a window of that size suffices, and one token less does not. */
function isLeast(
  entries: readonly HistoryEntry[],
  required: number,
  contextTokens: number,
): boolean {
  return required > contextTokens && fits(entries, required) && !fits(entries, required - 1);
}

function fits(entries: readonly HistoryEntry[], contextTokens: number): boolean {
  try {
    fitToWindow(entries, { window: { contextTokens }, counter });
    return true;
  } catch (error) {
    if (isHistoryError(error, "WINDOW_TOO_SMALL")) return false;
    throw error;
  }
}

function fault(kind: keyof Tally, tally: Tally, { contextTokens, before }: Point): void {
  tally[kind] += 1;
  if (process.argv.includes("--verbose")) {
    const parts = before.slice(-3).map((one) => `${one.role}:${String(one.content).length}`);
    print(`${kind} at ${contextTokens}, message ${before.length}: ${parts.join(" ")}`);
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
