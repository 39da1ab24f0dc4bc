import type { HistoryEntry } from "@agent-history/core";

import type { Draw } from "./draw.ts";

/** What may happen to an old message between two calls. */
type Edit = (entries: HistoryEntry[], place: number, draw: Draw) => void;

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

function change(entries: HistoryEntry[], place: number, draw: Draw): void {
  const entry = entries[place];
  if (entry === undefined || entry.type === "action") return;
  const text = draw.chance(0.3) ? "now much longer ".repeat(60 + draw.below(200)) : draw.text();
  entries[place] = { ...entry, content: text };
}

function pin(entries: HistoryEntry[], place: number): void {
  const entry = entries[place];
  if (entry !== undefined) entries[place] = { ...entry, pinned: true };
}

function remove(entries: HistoryEntry[], place: number): void {
  entries.splice(place, 1);
}

function insert(entries: HistoryEntry[], place: number, draw: Draw): void {
  const id = `new${draw.below(1_000_000_000)}`;
  const type = draw.pick(["user_message", "assistant_message", "memory", "error"]);
  entries.splice(place, 0, { id, type, createdAtMs: 0, content: draw.text() });
}

function swap(entries: HistoryEntry[], place: number): void {
  const [one, other] = [entries[place], entries[place + 1]];
  if (one !== undefined && other !== undefined) entries.splice(place, 2, other, one);
}

function move(entries: HistoryEntry[], place: number, draw: Draw): void {
  const [entry] = entries.splice(place, 1);
  if (entry !== undefined) entries.splice(draw.below(entries.length + 1), 0, entry);
}

/** As if it had been stored and read again: equal, and another object. */
function copyAll(entries: HistoryEntry[]): void {
  for (const [place, entry] of entries.entries()) entries[place] = structuredClone(entry);
}
