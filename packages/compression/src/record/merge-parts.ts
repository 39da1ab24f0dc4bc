import type { SummaryPart } from "@agent-history/core";

import { corrected } from "./statements.ts";
import { clip } from "./text.ts";

/**
 * Merges the parts of new entries into those of an earlier summary: one part for each thing, with its last value. New
 * statements about the present replace older ones; a correction removes what it corrects.
 */
export function mergeParts(
  previous: readonly SummaryPart[],
  next: readonly SummaryPart[],
): readonly SummaryPart[] {
  const kinds = new Set(next.map(({ kind }) => kind));
  const isNewTask = kinds.has("task");
  const kept = previous
    .filter(
      ({ kind }) => !(PRESENT.has(kind) && (kinds.has(kind) || (kind === "offer" && isNewTask))),
    )
    .map((part) => (isNewTask && part.state === "in task" ? withoutState(part) : part));
  const merged = new Map<string, SummaryPart>();
  for (const part of [...kept, ...next]) {
    const key = `${part.kind}\n${part.key}`;
    const before = merged.get(key);
    merged.delete(key);
    merged.set(key, before === undefined ? part : mergeTwo(before, part));
  }
  const parts = [...merged.values()].toSorted((one, other) => one.at - other.at);
  return limited(corrected(parts));
}

/** Merges two records; the second is later and has its own positions. */
export function followedBy(
  earlier: readonly SummaryPart[],
  later: readonly SummaryPart[],
): readonly SummaryPart[] {
  if (earlier.length === 0) return later;
  const start = earlier.reduce((most, { at }) => Math.max(most, at + 1), 0);
  return mergeParts(
    earlier,
    later.map((part) => ({ ...part, at: start + part.at })),
  );
}

/** Kinds of which only the newest state matters. */
const PRESENT: ReadonlySet<string> = new Set([
  "task",
  "now",
  "todo",
  "open",
  "root",
  "note",
  "offer",
]);

function withoutState({ state: _state, ...rest }: SummaryPart): SummaryPart {
  return rest;
}

function mergeTwo(before: SummaryPart, after: SummaryPart): SummaryPart {
  if (after.kind === "first") return before;
  if (after.kind !== "file") return after;
  return {
    ...after,
    text: after.text || before.text,
    note: String(Number(before.note ?? 1) + Number(after.note ?? 1)),
  };
}

/** Kinds of which the newest are carried forward. */
const COUNTED: ReadonlySet<string> = new Set("rule check case found landed note".split(" "));
const MOST = 60;
/** Characters of all texts together: what a summary carries must not grow with its history. */
const MOST_CHARACTERS = 120_000;
/** What is kept whole beyond this size; the rest is shortened, then left out, oldest first. */
const WHOLE: ReadonlySet<string> = new Set(["first", "task", "rule", "now", "todo", "root"]);

function limited(parts: readonly SummaryPart[]): readonly SummaryPart[] {
  const counts = new Map<string, number>();
  const newest = parts
    .toReversed()
    .filter(({ kind }) => {
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      return count <= MOST || !COUNTED.has(kind);
    })
    .toReversed();
  let excess = newest.reduce((sum, part) => sum + sizeOf(part), 0) - MOST_CHARACTERS;
  return newest.flatMap((part) => {
    if (excess <= 0 || WHOLE.has(part.kind)) return [part];
    const { text, note } = part;
    const short = { ...part, text: clip(text, SHORT), ...(note && { note: clip(note, SHORT) }) };
    const isShort = short.text === text && short.note === note;
    excess -= sizeOf(part) - (isShort ? 0 : sizeOf(short));
    return isShort ? [] : [short];
  });
}

const SHORT = 160;

function sizeOf({ key, text, note = "" }: SummaryPart): number {
  return key.length + text.length + note.length + 40;
}
