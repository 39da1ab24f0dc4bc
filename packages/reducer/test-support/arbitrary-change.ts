import { assistantMessage, userMessage } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import * as fc from "fast-check";

/** Changes a history as a caller might between two calls. */
export type Change = (entries: readonly HistoryEntry[]) => readonly HistoryEntry[];

const KINDS = [
  "append",
  "clone",
  "delete",
  "edit",
  "insert",
  "move",
  "pin",
  "pend",
  "reuse-id",
  "rewind",
  "swap",
  "trim",
] as const;

/** Generates up to three consecutive changes at any position. */
export function arbitraryChange(): fc.Arbitrary<Change> {
  const change = fc.record({
    kind: fc.constantFrom(...KINDS),
    at: fc.nat(),
    to: fc.nat(),
    length: fc.nat({ max: 120 }),
  });
  return fc
    .array(change, { minLength: 1, maxLength: 3 })
    .map((changes) => (entries) => changes.reduce(changed, entries));
}

function changed(
  entries: readonly HistoryEntry[],
  {
    kind,
    at,
    to,
    length,
  }: { kind: (typeof KINDS)[number]; at: number; to: number; length: number },
  nth: number,
): readonly HistoryEntry[] {
  const entryIndex = at % Math.max(entries.length, 1);
  const other = to % Math.max(entries.length, 1);
  const entry = entries[entryIndex];
  const added = (to % 2 === 0 ? userMessage : assistantMessage)({
    id: `added-${nth}-${at}`,
    content: "n".repeat(length),
  });
  if (entry === undefined) return [added];
  switch (kind) {
    case "append":
      return [...entries, added];
    case "clone":
      return structuredClone(entries);
    case "delete":
      return entries.toSpliced(entryIndex, 1);
    case "edit":
      return entries.with(entryIndex, edited(entry, length));
    case "insert":
      return entries.toSpliced(entryIndex, 0, added);
    case "move":
      return entries.toSpliced(entryIndex, 1).toSpliced(other, 0, entry);
    case "pin":
      return entries.with(entryIndex, { ...entry, pinned: entry.pinned !== true });
    case "pend":
      return entries.map((one, index) =>
        one.type === "observation" && index >= entryIndex ? edited(one, length * 5) : one,
      );
    case "reuse-id":
      // Only the ids of dropped entries are known, so a request must remain a request.
      return entries.with(
        entryIndex,
        isMessage(entry) ? { ...entry, content: added.content } : entry,
      );
    case "rewind":
      return entries.slice(0, entryIndex);
    case "swap":
      return entries.with(entryIndex, entries[other] ?? entry).with(other, entry);
    case "trim":
      return entries.slice(entryIndex);
  }
}

function isMessage({ type }: HistoryEntry): boolean {
  return type === "user_message" || type === "assistant_message";
}

function edited(entry: HistoryEntry, length: number): HistoryEntry {
  return entry.type === "action"
    ? {
        ...entry,
        toolCalls: entry.toolCalls.map((call) => ({ ...call, arguments: "x".repeat(length) })),
      }
    : { ...entry, content: "e".repeat(length) };
}
