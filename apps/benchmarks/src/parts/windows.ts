import type { HistoryEntry, Reduction, ReductionPlan } from "@agent-history/core";
import { isHistoryError } from "@agent-history/core";
import { fromChatMessages } from "@agent-history/openai";
import { fitToWindow } from "@agent-history/reducer";
import { gptTokenizerCounter } from "@agent-history/tokens/gpt-tokenizer";

import { generateHistory } from "../messages/generate-history.ts";
import type { Conversation } from "../messages/read-conversations.ts";
import { callPoints } from "../messages/read-recorded.ts";
import { roleOf } from "../oracle/entry-role.ts";
import { judgeFit } from "../oracle/judge-fit.ts";
import { judgeRefusal } from "../oracle/judge-refusal.ts";
import { sameJson } from "../oracle/same-json.ts";

/** What was sent at one window, in one of the two ways. */
export interface WindowFigures {
  readonly source: string;
  readonly windowTokens: number;
  readonly isIncremental: boolean;
  readonly prompts: number;
  readonly refused: number;
  /** Prompts from which anything was left out. */
  readonly cut: number;
  /** Over the cut prompts: the sum of the shares of the window that were used. */
  readonly used: number;
  readonly sentTokens: number;
  /** Of these, tokens that the prompt before had sent at the same place. */
  readonly prefixTokens: number;
  /** How many prompts begin, after system messages, with each role. */
  readonly first: Readonly<Record<"user" | "assistant" | "tool" | "nothing", number>>;
  /** In how many prompts each rule of a law was broken. */
  readonly broken: Readonly<Record<string, number>>;
}

export const WINDOWS: readonly number[] = [500, 1000, 2000, 4000, 8000, 16_000, 32_000];

const counter = gptTokenizerCounter({ encoding: "o200k_base" });

/** Conversations for those who have no recorded ones. */
export function generatedConversations(count: number): readonly Conversation[] {
  return Array.from({ length: count }, (_, seed) => {
    const messages = generateHistory(seed);
    const calls = callPoints(messages).map(({ length }) => length);
    return { source: "generated", messages, calls };
  });
}

/** Fits every conversation at every call, at every window, stateless and incremental. */
export function measureWindows(
  conversations: readonly Conversation[],
  windows: readonly number[] = WINDOWS,
): readonly WindowFigures[] {
  const figures = new Map<string, Tally>();
  for (const { source, messages, calls } of conversations) {
    const entries = fromChatMessages(messages);
    for (const windowTokens of windows) {
      for (const isIncremental of [false, true]) {
        const key = `${source} ${windowTokens} ${isIncremental}`;
        const tally = figures.get(key) ?? newTally({ source, windowTokens, isIncremental });
        figures.set(key, tally);
        walk(entries, calls, tally);
      }
    }
  }
  return [...figures.values()];
}

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };
type Tally = Writable<Omit<WindowFigures, "first" | "broken">> & {
  readonly first: Writable<WindowFigures["first"]>;
  readonly broken: Record<string, number>;
};

function newTally(of: Pick<WindowFigures, "source" | "windowTokens" | "isIncremental">): Tally {
  const numbers = { prompts: 0, refused: 0, cut: 0, used: 0, sentTokens: 0, prefixTokens: 0 };
  return { ...of, ...numbers, first: { user: 0, assistant: 0, tool: 0, nothing: 0 }, broken: {} };
}

function walk(entries: readonly HistoryEntry[], calls: readonly number[], tally: Tally): void {
  let previousPlan: ReductionPlan | undefined;
  let previous: readonly HistoryEntry[] = [];
  for (const length of calls) {
    const given = entries.slice(0, length);
    tally.prompts += 1;
    const fitted = fitOrRefuse(given, tally, previousPlan);
    if (fitted === undefined) continue;
    if (tally.isIncremental) previousPlan = fitted.plan;
    add(tally, given, fitted);
    tally.prefixTokens += prefixTokens(previous, fitted.entries);
    previous = fitted.entries;
  }
}

function fitOrRefuse(
  given: readonly HistoryEntry[],
  tally: Tally,
  previousPlan: ReductionPlan | undefined,
): Reduction | undefined {
  const window = { contextTokens: tally.windowTokens };
  try {
    return fitToWindow(given, { window, counter, ...(previousPlan && { previousPlan }) });
  } catch (error) {
    if (!isHistoryError(error, "WINDOW_TOO_SMALL")) throw error;
    tally.refused += 1;
    const fits = (contextTokens: number): boolean => {
      try {
        return fitToWindow(given, { window: { contextTokens }, counter }) !== undefined;
      } catch {
        return false;
      }
    };
    const facts = {
      given,
      window,
      countEntry,
      requestTokens: counter.countRequest(),
      isInOrder: true,
    };
    note(tally, judgeRefusal(facts, error.details, fits));
    return undefined;
  }
}

function add(
  tally: Tally,
  given: readonly HistoryEntry[],
  { entries: fitted, plan }: Reduction,
): void {
  const window = { contextTokens: tally.windowTokens };
  const requestTokens = counter.countRequest();
  const breaches = judgeFit({
    keepsFirst: true,
    given,
    fitted,
    plan,
    window,
    countEntry,
    requestTokens,
    isInOrder: true,
  });
  note(tally, breaches);
  const tokens = fitted.reduce((sum, entry) => sum + countEntry(entry), requestTokens);
  tally.sentTokens += tokens;
  const first = fitted.find((entry) => roleOf(entry, undefined) !== "system");
  const role = first === undefined ? "nothing" : roleOf(first, undefined);
  if (role !== "system") tally.first[role] += 1;
  if (fitted === given) return;
  tally.cut += 1;
  tally.used += tokens / tally.windowTokens;
}

function note(
  tally: Tally,
  breaches: readonly { readonly law: string; readonly rule: string }[],
): void {
  for (const rule of new Set(breaches.map((breach) => `${breach.law} ${breach.rule}`))) {
    tally.broken[rule] = (tally.broken[rule] ?? 0) + 1;
  }
}

function prefixTokens(previous: readonly HistoryEntry[], next: readonly HistoryEntry[]): number {
  let tokens = counter.countRequest();
  for (const [index, entry] of next.entries()) {
    if (!sameJson(previous[index], entry)) break;
    tokens += countEntry(entry);
  }
  return previous.length === 0 ? 0 : tokens;
}

function countEntry(entry: HistoryEntry): number {
  return counter.countEntry(entry);
}
