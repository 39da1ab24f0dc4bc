import type { LeftOutReason } from "@agent-history/core";
import { entryText } from "@agent-history/transcripts";

import type { CallColumn, CellState, DrawnDecision, InspectorData } from "../src/inspector-data.ts";

/** The description of each state. */
export const STATES: Readonly<Record<CellState, string>> = {
  kept: "sent whole",
  shrunk: "shortened",
  cleared: "replaced by a note that says what was there",
  summarized: "replaced by a summary",
  dropped: "left out",
  recalled: "left out, but quoted",
  repaired: "removed as invalid",
};

/** The reasons for sending an entry without its reasoning. */
export const WITHOUT_REASONING: Readonly<Record<LeftOutReason, string>> = {
  room: "oldest first, to make room",
  prefix: "the messages before it have changed",
  reader: "another model wrote it",
};

/** Finds the decision about a row in a call; `undefined` if the row was not in the view. Logarithmic. */
export function decisionAt(
  { runs, decisions }: CallColumn,
  row: number,
): DrawnDecision | undefined {
  let [low, high] = [0, runs.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const [first = 0, rows = 0, index = 0] = runs[middle] ?? [];
    if (row < first) high = middle - 1;
    else if (row >= first + rows) low = middle + 1;
    else return decisions[index];
  }
  return undefined;
}

/** Returns the text of a row. */
export function rowText({ entries }: InspectorData, row: number): string {
  const entry = entries[row];
  if (entry === undefined) return "";
  const text = entryText(entry);
  if (entry.type !== "action") return text;
  return `${entry.toolCalls.map(({ name }) => name).join(", ")} ${text}`;
}

const MOST_CHARACTERS = 100_000;

/** Clips a text that is too long to be laid out at once, and marks it as clipped. */
export function clipped(text: string): string {
  const more = text.length - MOST_CHARACTERS;
  return more > 0 ? `${text.slice(0, MOST_CHARACTERS)}\n… ${number(more)} more characters` : text;
}

/** Returns the beginning of a row's text, on one line. */
export function rowLine(all: InspectorData, row: number): string {
  return rowText(all, row).slice(0, 160).replaceAll(/\s+/g, " ").trim();
}

/** Describes a row's entry: author and kind. */
export function rowKind({ entries }: InspectorData, row: number): string {
  const entry = entries[row];
  if (entry === undefined) return "";
  const name = entry.type.replaceAll("_", " ");
  return entry.agent === undefined ? name : `${name} · ${entry.agent.id}`;
}

/** Formats tokens: `12,345`. */
export function number(value: number): string {
  return Math.round(value).toLocaleString("en");
}

/** Formats dollars; amounts below a cent with four digits. */
export function dollars(value: number): string {
  return `$${value.toFixed(value < 0.1 && value > 0 ? 4 : 2)}`;
}

export function percent(part: number, whole: number): string {
  return whole === 0 ? "–" : `${Math.round((100 * part) / whole)}%`;
}

/** Returns whether the prompt contained the entry or a part of it. */
export function isSent(state: CellState | undefined): boolean {
  return state === "kept" || state === "shrunk" || state === "cleared";
}

/** Lists the rows of runs. */
export function rowsOf(
  runs: readonly (readonly [row: number, rows: number, ...rest: unknown[]])[],
): readonly number[] {
  return runs.flatMap(([first, rows]) => Array.from({ length: rows }, (_, nth) => first + nth));
}
