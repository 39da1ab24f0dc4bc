import type { HistoryEntry } from "@agent-history/core";

import type { Draw } from "./draw.ts";

/** What may happen to an old message between two calls. */
type Edit = (entries: HistoryEntry[], index: number, draw: Draw) => void;

const EDITS: readonly [Edit, ...Edit[]] = [
  change,
  change,
  remove,
  insert,
  swap,
  move,
  pin,
  copyAll,
];

/** Edits, removes, inserts, swaps or moves messages at any place; what is changed keeps its id. */
export function editLog(log: readonly HistoryEntry[], draw: Draw): readonly HistoryEntry[] {
  const entries = [...log];
  const isNear = draw.chance(0.5);
  for (let times = draw.chance(0.7) ? 1 : 2; times > 0; times--) {
    const near = Math.max(0, entries.length - 1 - draw.below(4));
    draw.pick(EDITS)(entries, isNear ? near : draw.below(entries.length), draw);
  }
  return entries;
}

function change(entries: HistoryEntry[], index: number, draw: Draw): void {
  const entry = entries[index];
  if (entry === undefined || entry.type === "action") return;
  const text = draw.chance(0.3) ? "now much longer ".repeat(60 + draw.below(200)) : draw.text();
  entries[index] = { ...entry, content: text };
}

function pin(entries: HistoryEntry[], index: number): void {
  const entry = entries[index];
  if (entry !== undefined) entries[index] = { ...entry, pinned: true };
}

function remove(entries: HistoryEntry[], index: number): void {
  entries.splice(index, 1);
}

function insert(entries: HistoryEntry[], index: number, draw: Draw): void {
  const id = `new${draw.below(1_000_000_000)}`;
  const type = draw.pick(["user_message", "assistant_message", "memory", "error"]);
  entries.splice(index, 0, { id, type, createdAtMs: 0, content: draw.text() });
}

function swap(entries: HistoryEntry[], index: number): void {
  const [one, other] = [entries[index], entries[index + 1]];
  if (one !== undefined && other !== undefined) entries.splice(index, 2, other, one);
}

function move(entries: HistoryEntry[], index: number, draw: Draw): void {
  const [entry] = entries.splice(index, 1);
  if (entry !== undefined) entries.splice(draw.below(entries.length + 1), 0, entry);
}

/** As if it had been stored and read again: equal, and another object. */
function copyAll(entries: HistoryEntry[]): void {
  for (const [index, entry] of entries.entries()) entries[index] = structuredClone(entry);
}
