import { isInView, renderSources } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

import type { CompressionRecord } from "../src/history/compression-record.ts";
import { contentText } from "../src/prompt/content-text.ts";
import { countTokens } from "../src/prompt/count-tokens.ts";
import type { ModelCallRecord } from "../src/prompt/model-call-record.ts";
import { countOf } from "./count-of.ts";
import { printable } from "./output.ts";
import type { Output } from "./output.ts";
import type { Reporter } from "./reporter.ts";
import { sideWidth, splitFrame, windowBar } from "./split-frame.ts";
import type { SplitRow } from "./split-frame.ts";

/** How wide the view is where no terminal says how wide it is. */
const PIPE_COLUMNS = 100;
const ROLE_WIDTH = 13;
const NUMBER_WIDTH = 15;
const MOST_ROWS = 10;

/**
 * Shows a run in two columns: on the left what each call of the model was sent, on the right the same call with the whole thread. At each answer both prompts, entry by entry; at the end a
 * summary beside what it stood for.
 */
export function splitReporter(output: Output, text: Reporter): Reporter {
  const { colors, write, width } = output;
  const columns = (): number => (width() === Infinity ? PIPE_COLUMNS : width());
  const draw = (rows: readonly SplitRow[], paint: (line: string) => string = String): void => {
    for (const line of splitFrame(rows, columns())) write(paint(line));
  };
  const log: HistoryEntry[] = [];
  const calls: ModelCallRecord[] = [];
  let largest: CompressionRecord | undefined;
  return {
    ...text,
    begin: (run) => {
      text.begin(run);
      write("");
      draw([["with agent-history", "without: the whole thread in each prompt"]], colors.bold);
    },
    entry: (entry) => {
      log.push(entry);
      if (entry.type === "user_message" || entry.type === "error") text.entry(entry);
    },
    call: (record) => {
      calls.push(record);
      draw([callRow(record, { side: sideWidth(columns()), bad: colors.red })]);
    },
    compression: (record) => {
      if (record.tokensBefore > (largest?.tokensBefore ?? 0)) largest = record;
      text.compression(record);
    },
    answer: (answer) => {
      const last = calls.findLast(({ agent }) => agent.role === "orchestrator");
      if (last !== undefined) {
        write("");
        draw(promptRows(last, log));
      }
      text.answer(answer);
    },
    expansion: (record) => {
      if (largest !== undefined) draw(expandedRows(largest, log));
      text.expansion(record);
      write("");
    },
    end: (run) => {
      const over = calls.filter((call) => wholeTokens(call) > call.windowTokens).length;
      const fits = calls.every(({ requestTokens, windowTokens }) => requestTokens <= windowTokens);
      const left = fits ? "every call fits its window" : "a call is larger than its window";
      const right = `${over} of ${countOf(calls.length, "call")} would not fit`;
      if (calls.length > 0) draw([[left, right]], colors.bold);
      write("");
      text.end(run);
    },
  };
}

/** What the request would be with everything in the thread. */
function wholeTokens({ threadTokens, shownTokens, requestTokens }: ModelCallRecord): number {
  return requestTokens - shownTokens + threadTokens;
}

function callRow(
  record: ModelCallRecord,
  { side, bad }: { readonly side: number; readonly bad: (text: string) => string },
): SplitRow {
  const { agent, requestTokens, windowTokens } = record;
  const whole = wholeTokens(record);
  const size = (tokens: number): string =>
    `${number(tokens)}/${number(windowTokens)}`.padStart(NUMBER_WIDTH);
  const bar = (tokens: number, room: number): string => windowBar(tokens, windowTokens, room);
  const left = bar(requestTokens, side - ROLE_WIDTH - NUMBER_WIDTH);
  const right = `${bar(whole, side - NUMBER_WIDTH - 1)} ${size(whole)}`;
  return [
    `${agent.role.padEnd(ROLE_WIDTH)}${left}${size(requestTokens)}`,
    whole > windowTokens ? bad(right) : right,
  ];
}

/** The newest prompt beside the thread, which ends where the window does. */
function promptRows(call: ModelCallRecord, log: readonly HistoryEntry[]): readonly SplitRow[] {
  const left = call.messages.map(({ role, content }) => {
    const said: unknown = content;
    return `${role}: ${firstLine(typeof said === "string" ? said : "")}`;
  });
  const room = call.windowTokens - (call.requestTokens - call.shownTokens);
  const fitting: string[] = [];
  let used = 0;
  let count = 0;
  for (const entry of log) {
    used += countTokens([entry]);
    if (used > room) break;
    count += 1;
    fitting.push(entryLine(entry));
  }
  const right = shortened(fitting, MOST_ROWS - 1);
  const rest = log.slice(count);
  if (rest.length > 0)
    right.push(
      `✂ full: ${number(countTokens(rest))} tokens in ${countOf(rest.length, "entry", "entries")} do not fit`,
    );
  return sideBySide(shortened(left, MOST_ROWS), right);
}

/** A summary, and what it stands for. */
function expandedRows(
  { summary, view, tokensBefore, tokensAfter }: CompressionRecord,
  log: readonly HistoryEntry[],
): readonly SplitRow[] {
  const originals = (summary.covers ?? []).flatMap(({ from, to }) => {
    const first = log.findIndex(({ id }) => id === from);
    const last = log.findIndex(({ id }) => id === to);
    return first < 0 ? [] : log.slice(first, last + 1).filter((entry) => isInView(entry, view));
  });
  const lines = printable(contentText(summary.content)).split("\n").filter(Boolean);
  const heads: SplitRow = [
    `a summary: ${number(tokensAfter)} tokens`,
    `expanded: ${number(tokensBefore)} tokens again`,
  ];
  const right = shortened(originals.flatMap(entryLines), MOST_ROWS);
  return [heads, ...sideBySide(shortened(lines, MOST_ROWS), right)];
}

function entryLine(entry: HistoryEntry): string {
  const said = firstLine(contentText(entry.content));
  const calls = entry.type === "action" ? entry.toolCalls.map(({ name }) => name).join(", ") : "";
  return `${entry.type}: ${said || printable(calls)}`;
}

/** An entry with all that it says, and its sources. */
function entryLines(entry: HistoryEntry): readonly string[] {
  const [, ...more] = contentText(entry.content).trim().split("\n");
  const sources = entry.type === "observation" ? renderSources(entry.sources ?? []) : "";
  const lines = [...more, ...sources.split("\n")].map(printable);
  return [entryLine(entry), ...lines.filter((line) => line.trim() !== "")];
}

function firstLine(text: string): string {
  const [line = ""] = printable(text.trim()).split("\n");
  return line.replaceAll("\t", " ");
}

/** At most `most` lines; the last one says how many more there are. */
function shortened(lines: readonly string[], most: number): string[] {
  if (lines.length <= most) return [...lines];
  return [...lines.slice(0, most - 1), `… ${number(lines.length - most + 1)} more`];
}

function sideBySide(left: readonly string[], right: readonly string[]): readonly SplitRow[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, index) => [
    left[index] ?? "",
    right[index] ?? "",
  ]);
}

function number(count: number): string {
  return count.toLocaleString("en");
}
