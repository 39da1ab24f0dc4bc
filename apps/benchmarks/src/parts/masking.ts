import { createCompressor } from "@agent-history/compression";
import { groupExchanges } from "@agent-history/core";
import type { HistoryEntry, Reduction, ReductionPlan, TokenCounter } from "@agent-history/core";
import { fromChatMessages } from "@agent-history/openai";
import {
  fitToWindowAsync,
  maskOldResults,
  prefixStability,
  replaceOldTurns,
} from "@agent-history/reducer";
import type { ReductionStep } from "@agent-history/reducer";
import { gptTokenizerCounter } from "@agent-history/tokens/gpt-tokenizer";

import { readConversations } from "../messages/read-conversations.ts";
import type { Conversation } from "../messages/read-conversations.ts";
import type { ResultTable } from "../report/result-table.ts";
import { percent } from "../report/statistics.ts";

/** How many of the newest exchanges are looked after. */
const KEEP = 10;
/** What providers bill for a token of an unchanged prefix. */
const CACHED_PRICE = 0.1;

/** What whole sessions of coding agents cost in one way. */
export interface MaskingFigures {
  readonly way: string;
  readonly contextTokens: number;
  readonly sessions: number;
  /** Prompts of which something had to go. */
  readonly prompts: number;
  /** Of the window, in those prompts. */
  readonly used: number;
  /** Of all tokens sent, those of an unchanged prefix. */
  readonly prefix: number;
  /** Input tokens of all calls, those of an unchanged prefix at a tenth. */
  readonly cost: number;
  /** Prompts in which an exchange of the last ten was changed for the first time, though all of them had room; and those in which they had not. */
  readonly touched: number;
  readonly forced: number;
}

type MakeSteps = (counter: TokenCounter) => readonly ReductionStep[];

/** The ways that are compared; each session has steps of its own. */
const WAYS: Readonly<Record<string, MakeSteps>> = {
  "default steps": () => [],
  masking: () => [maskOldResults({ keep: KEEP })],
  "summaries, no model": (counter) => [summaries(counter)],
  "masking and summaries": (counter) => [maskOldResults({ keep: KEEP }), summaries(counter)],
};

function summaries(counter: TokenCounter): ReductionStep {
  return replaceOldTurns({ compressor: createCompressor({ counter }), keepRecent: KEEP });
}

/** The recorded sessions of coding agents below a folder. */
export function codingSessions(folder: string): readonly Conversation[] {
  return readConversations(folder).filter(
    ({ source, messages }) =>
      source === "Claude Code" || (source.includes("SWE") && messages.some(isOfTool)),
  );
}

function isOfTool({ role }: { readonly role: string }): boolean {
  return role === "tool";
}

/** Fits every call of every session that exceeds a window, one after the other, each from the plan before. */
export async function maskingFigures(
  sessions: readonly Conversation[],
  windows: readonly number[],
): Promise<readonly MaskingFigures[]> {
  const counter = gptTokenizerCounter({ encoding: "o200k_base" });
  const logs = sessions.map(({ messages, calls }) => ({
    entries: fromChatMessages(messages),
    calls,
  }));
  const figures: MaskingFigures[] = [];
  for (const contextTokens of windows) {
    const long = logs.filter(
      ({ entries }) =>
        tokensOf(entries, counter) > contextTokens &&
        largestNeed(entries, counter) <= contextTokens,
    );
    for (const [way, steps] of Object.entries(WAYS)) {
      const sum = emptySum();
      for (const log of long) await addSession(sum, log, { steps, contextTokens, counter });
      figures.push(figuresOf(sum, { way, contextTokens, sessions: long.length }));
    }
  }
  return figures;
}

/** Instructions and the longest question: what no way may cut. */
function largestNeed(entries: readonly HistoryEntry[], counter: TokenCounter): number {
  const system = entries.filter(({ type }) => type === "system_message");
  const questions = entries.filter(({ type }) => type === "user_message");
  const longest = questions.reduce((most, entry) => Math.max(most, counter.countEntry(entry)), 0);
  return tokensOf(system, counter) + longest;
}

interface Sum {
  prompts: number;
  used: number;
  sent: number;
  same: number;
  touched: number;
  forced: number;
}

function emptySum(): Sum {
  return { prompts: 0, used: 0, sent: 0, same: 0, touched: 0, forced: 0 };
}

interface Session {
  readonly entries: readonly HistoryEntry[];
  readonly calls: readonly number[];
}

interface Fitting {
  readonly steps: MakeSteps;
  readonly contextTokens: number;
  readonly counter: TokenCounter;
}

async function addSession(sum: Sum, { entries, calls }: Session, fitting: Fitting): Promise<void> {
  const { contextTokens, counter } = fitting;
  const steps = fitting.steps(counter);
  const options = { window: { contextTokens }, counter, steps, lowWatermark: 0.75 };
  let previousPlan: ReductionPlan | undefined;
  let previous: readonly HistoryEntry[] = [];
  let changed: ReadonlySet<string> = new Set();
  for (const length of calls) {
    const given = entries.slice(0, length);
    const fitted = await fitToWindowAsync(given, {
      ...options,
      ...(previousPlan && { previousPlan }),
    });
    sum.sent += fitted.plan.totalTokens;
    sum.same += prefixStability(previous, fitted.entries, counter).tokens;
    const now = changedIds(given, fitted);
    if (now.size > 0) {
      sum.prompts += 1;
      sum.used += fitted.plan.totalTokens / contextTokens;
    }
    const last = lastExchanges(given);
    if (last.some(({ id }) => now.has(id) && !changed.has(id))) {
      const hasRoom = tokensOf(neededWith(given, last), counter) <= contextTokens;
      sum[hasRoom ? "touched" : "forced"] += 1;
    }
    previousPlan = fitted.plan;
    previous = fitted.entries;
    changed = now;
  }
}

function changedIds(given: readonly HistoryEntry[], { entries }: Reduction): ReadonlySet<string> {
  const shown = new Set(entries);
  return new Set(given.filter((entry) => !shown.has(entry)).map(({ id }) => id));
}

function lastExchanges(entries: readonly HistoryEntry[]): readonly HistoryEntry[] {
  return groupExchanges(entries)
    .flatMap((group) => (group.kind === "exchange" ? [group.entries] : []))
    .slice(-KEEP)
    .flat();
}

/** What must be in the prompt with the last exchanges whole: instructions, the question, and what stands among them. */
function neededWith(
  entries: readonly HistoryEntry[],
  [first]: readonly HistoryEntry[],
): readonly HistoryEntry[] {
  const from = first === undefined ? entries.length : entries.indexOf(first);
  const question = entries.findLast(({ type }) => type === "user_message");
  return entries.filter(
    (entry, index) => index >= from || entry === question || entry.type === "system_message",
  );
}

function tokensOf(entries: readonly HistoryEntry[], counter: TokenCounter): number {
  return entries.reduce((sum, entry) => sum + counter.countEntry(entry), counter.countRequest());
}

function figuresOf(
  { prompts, used, sent, same, touched, forced }: Sum,
  of: Pick<MaskingFigures, "way" | "contextTokens" | "sessions">,
): MaskingFigures {
  const cost = Math.round(sent - same + CACHED_PRICE * same);
  const counts = { prompts, touched, forced, cost };
  return { ...of, ...counts, used: used / Math.max(1, prompts), prefix: same / Math.max(1, sent) };
}

/** Draws what was found. */
export function maskingTable(figures: readonly MaskingFigures[]): ResultTable {
  return {
    title: "Masking and summaries over whole sessions of coding agents",
    note: `Every call of each recorded session that exceeds the window, each fitted from the plan before, at a low watermark of 75%; sessions with a question that alone exceeds it are left out. Cost: input tokens of all calls, those of an unchanged prefix at a tenth. Touched: prompts in which one of the last ${KEEP} exchanges was changed for the first time though all had room beside instructions and question; forced: though they had not.`,
    head: [
      "way",
      "window, tokens",
      "sessions",
      "prompts that were cut",
      "window used in them",
      "unchanged prefix",
      "cost",
      "touched",
      "forced",
    ],
    rows: figures.map((one) => [
      one.way,
      one.contextTokens.toLocaleString("en"),
      `${one.sessions}`,
      `${one.prompts}`,
      percent(one.used),
      percent(one.prefix),
      one.cost.toLocaleString("en"),
      `${one.touched}`,
      `${one.forced}`,
    ]),
    figures,
  };
}
