import { isHistoryError } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { fromChatMessages } from "@agent-history/openai";
import { fitToWindow } from "@agent-history/reducer";

import { longHistory } from "../messages/generate-history.ts";
import { withLongResults } from "../messages/long-results.ts";
import { readConversations } from "../messages/read-conversations.ts";
import type { ResultTable } from "../report/result-table.ts";
import { meteredCounter } from "../systems/agent-history.ts";

/** How much text stateless fits to one window had to tokenize. */
export interface TokenizedFigures {
  readonly source: string;
  readonly windowTokens: number;
  readonly fits: number;
  /** Tokens that the tokenizer gave for one fit, in windows. */
  readonly mean: number;
  readonly most: number;
}

/** What is fitted, and to which windows. */
export interface TokenizedRequest {
  /** Of the generated conversation. */
  readonly messages: number;
  readonly windows: readonly number[];
  /** The folder of recorded conversations. Default: a generated one only. */
  readonly data?: string;
}

/** Of a recorded conversation as many calls are fitted, evenly apart, the last one included. */
const CALLS = 4;

type Cases = readonly (readonly HistoryEntry[])[];

/** Fits conversations without a plan, nothing counted before, and counts what each fit tokenizes. */
export function tokenizedAll(request: TokenizedRequest): readonly TokenizedFigures[] {
  const { messages, windows, data } = request;
  const generated = [fromChatMessages(withLongResults(longHistory(messages)))];
  const sources: readonly (readonly [string, Cases])[] = [
    ["generated, results of 20 to 100 kB", generated],
    ...(data === undefined ? [] : recordedCases(data)),
  ];
  return sources.flatMap(([source, cases]) =>
    windows.map((windowTokens) => {
      const shares = cases.map((entries) => tokenizedBy(entries, windowTokens) / windowTokens);
      const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
      const most = shares.reduce((highest, share) => Math.max(highest, share), 0);
      return { source, windowTokens, fits: shares.length, mean, most };
    }),
  );
}

function recordedCases(data: string): readonly (readonly [string, Cases])[] {
  const bySource = Map.groupBy(readConversations(data), ({ source }) => source);
  return [...bySource].map(([source, some]) => [
    source,
    some.flatMap(({ messages, calls }) => {
      const ends = Array.from({ length: CALLS }, (_, nth) =>
        calls.at(Math.ceil(((nth + 1) * calls.length) / CALLS) - 1),
      );
      return [...new Set(ends)].flatMap((end) =>
        end === undefined ? [] : [fromChatMessages(messages.slice(0, end))],
      );
    }),
  ]);
}

function tokenizedBy(entries: readonly HistoryEntry[], contextTokens: number): number {
  const { counter, tokenized } = meteredCounter();
  // What was read of the entries before is not known of copies.
  const copies = entries.map((entry) => ({ ...entry }));
  const before = tokenized();
  try {
    fitToWindow(copies, { window: { contextTokens }, counter });
  } catch (error) {
    if (!isHistoryError(error, "WINDOW_TOO_SMALL")) throw error;
  }
  return tokenized() - before;
}

/** Draws what was found. */
export function tokenizedTable(figures: readonly TokenizedFigures[]): ResultTable {
  return {
    title: "Fit: text that a stateless fit tokenizes",
    note: `Tokens that the tokenizer gave for one fit, nothing counted before, as a multiple of the window; of each recorded conversation ${CALLS} calls, evenly apart. A text that is counted up to a limit counts as far as it was looked at.`,
    head: ["conversations", "window", "fits", "mean", "most"],
    rows: figures.map(({ source, windowTokens, fits, mean, most }) => [
      source,
      windowTokens.toLocaleString("en"),
      fits.toLocaleString("en"),
      mean.toFixed(2),
      most.toFixed(2),
    ]),
    figures,
  };
}

/** What is promised: at most so many windows of text. */
const MOST_WINDOWS = 4;

/** Finds what tokenizes more than promised. */
export function brokenTokenized(figures: readonly TokenizedFigures[]): readonly string[] {
  return figures
    .filter(({ most }) => most > MOST_WINDOWS)
    .map(
      ({ source, windowTokens, most }) =>
        `A stateless fit of ${source} tokenizes ${most.toFixed(2)} windows of ${windowTokens.toLocaleString("en")} tokens, expected at most ${MOST_WINDOWS}.`,
    );
}
