import type { SummaryPart } from "@agent-history/core";

import { worthOf } from "./markers.ts";
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
  // Text of the agent before the first new request ends the last turn of the earlier entries.
  const lastTurn = kept.findLast(({ kind }) => kind === "turn");
  const merged = new Map<string, SummaryPart>();
  for (const one of [...kept, ...next]) {
    const isEnd = one.kind === "turn" && one.key === "";
    if (isEnd && lastTurn === undefined) continue;
    const part = isEnd && lastTurn !== undefined ? { ...lastTurn, note: one.note ?? "" } : one;
    const key = `${part.kind}\n${part.key}`;
    const before = merged.get(key);
    merged.delete(key);
    merged.set(key, before === undefined ? part : mergeTwo(before, part));
  }
  const parts = [...merged.values()].toSorted((one, other) => one.at - other.at);
  return limited(withoutRepaired(corrected(parts)));
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
  if (after.kind === "check" && after.state === "ok") {
    const failure = before.state === "failed" ? before.text : before.note;
    return failure === undefined ? after : { ...after, note: failure };
  }
  if (after.kind !== "file") return after;
  const isNews = before.text !== "" && !after.text.includes(before.text.slice(0, 40));
  const both = isNews ? clip(`${after.text} / before: ${before.text}`, 420) : after.text;
  const text = after.text === "" ? before.text : both;
  return { ...after, text, note: String(Number(before.note ?? 1) + Number(after.note ?? 1)) };
}

/** Removes failures of a tool call that succeeded later. */
function withoutRepaired(parts: readonly SummaryPart[]): readonly SummaryPart[] {
  const done = new Map(
    parts.flatMap(({ kind, key, at }) => (kind === "landed" ? [[key, at] as const] : [])),
  );
  return parts.filter(
    ({ kind, key, at, state }) =>
      !(kind === "check" && state === "failed" && (done.get(key) ?? -1) > at),
  );
}

/** Most parts of a kind that are carried forward: the newest; of findings, the best. */
const MOST: Readonly<Record<string, number>> = {
  turn: 240,
  why: 240,
  file: 120,
  landed: 60,
  check: 16,
  case: 40,
  found: 40,
  rule: 60,
  earlier: 2,
  note: 40,
  fact: 400,
};
/** Characters of all texts together: what a summary carries must not grow with its history. */
const MOST_CHARACTERS = 120_000;
/** What is kept whole beyond this size; the rest is shortened, oldest first. */
const WHOLE: ReadonlySet<string> = new Set([
  "first",
  "task",
  "rule",
  "now",
  "todo",
  "root",
  "frame",
]);

function limited(parts: readonly SummaryPart[]): readonly SummaryPart[] {
  const counts = new Map<string, number>();
  const worth = ({ kind, text }: SummaryPart): number => (kind === "why" ? worthOf(text) : 0);
  const best = parts
    .toReversed()
    .toSorted((one, other) => worth(other) - worth(one))
    .filter(({ kind }) => {
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      return count <= (MOST[kind] ?? Infinity);
    });
  const kept = new Set(best);
  let excess = best.reduce((sum, part) => sum + sizeOf(part), 0) - MOST_CHARACTERS;
  return parts
    .filter((part) => kept.has(part))
    .map((part) => {
      if (excess <= 0 || WHOLE.has(part.kind)) return part;
      const { note, ...rest } = part;
      const text = clip(part.text, SHORT);
      const shorter = { ...rest, text, ...(note !== undefined && { note: clip(note, SHORT) }) };
      excess -= sizeOf(part) - sizeOf(shorter);
      return shorter;
    });
}

const SHORT = 160;

function sizeOf({ key, text, note = "" }: SummaryPart): number {
  return key.length + text.length + note.length + 40;
}
