import type { HistoryEntry } from "@agent-history/core";

import { isInstruction } from "./entry-role.ts";
import { hasClearTurns } from "./has-clear-turns.ts";
import { readHistory } from "./read-history.ts";
import type { HistoryReading } from "./read-history.ts";
import { sameJson } from "./same-json.ts";
import type { Breach } from "./trial.ts";

/** Two calls of one agent in a row, the second with the plan of the first. */
export interface CallPair {
  readonly givenBefore: readonly HistoryEntry[];
  readonly fittedBefore: readonly HistoryEntry[];
  readonly given: readonly HistoryEntry[];
  readonly fitted: readonly HistoryEntry[];
  readonly viewerId?: string;
  /** What entries may use of the window. */
  readonly budget: number;
  readonly countEntry: (entry: HistoryEntry) => number;
}

/**
 * L17: what was sent stays as it was sent up to the first turn in which something changed, where it and all that follows has room.
 */
export function judgePrefix(pair: CallPair): readonly Breach[] {
  const { fittedBefore, given, givenBefore, fitted, viewerId, budget, countEntry } = pair;
  const before = readHistory(givenBefore, viewerId);
  const now = readHistory(given, viewerId);
  // Where names of turns contradict their places, roles that had to stand in a row once are parted again.
  if (![before, now].every(hasClearTurns)) return [];
  // What began with an answer, where nobody had asked, begins with the first request once there is one.
  const first = fittedBefore.find((entry) => before.roleOf(entry) !== "system");
  if (first !== undefined && before.roleOf(first) !== "user") return [];
  // A turn that had to give up its answer while it was being answered gets it back when it is over.
  const open = before.turns.at(-1);
  const sentIds = new Set(fittedBefore.map(({ id }) => id));
  const parts = [...(open?.requests ?? []), ...(open?.lastAnswer ? [open.lastAnswer] : [])];
  if (now.turns.length > before.turns.length && parts.some(({ id }) => !sentIds.has(id))) return [];
  // Once it is over, no role stands twice in a row where what stood between was given up.
  const shown = open?.entries.filter(({ id }) => sentIds.has(id)) ?? [];
  const isInRow = shown.some((entry, nth) => {
    const [role, last] = [before.roleOf(entry), shown[nth - 1]];
    if (last === undefined || role === "tool" || before.roleOf(last) !== role) return false;
    const [from = 0, to] = [last, entry].map(({ id }) => before.indexOf.get(id));
    return before.sound.slice(from, to).some((one) => before.roleOf(one) !== role);
  });
  if (now.turns.length > before.turns.length && isInRow) return [];
  // So does a turn that stayed for an exchange that ran.
  const stillRun = new Set([...now.pairs.running].map(({ id }) => id));
  const isOver = [...before.pairs.running].some((action) => {
    const { requests = [], lastAnswer } = before.turnOf.get(action) ?? {};
    const isTorn = [...requests, ...(lastAnswer ? [lastAnswer] : [])].some(
      ({ id }) => !sentIds.has(id),
    );
    return isTorn && !stillRun.has(action.id);
  });
  if (isOver) return [];
  // What a repair adds, or added before, takes room of its own; what it draws together changes place.
  const isLost = [...now.pairs.open].some((action) => !now.pairs.running.has(action));
  const isDrawn = [before, now].some(({ sound }, nth) => {
    return [givenBefore, given][nth]?.some((entry, index) => entry !== sound[index]);
  });
  if (isLost || isDrawn || fittedBefore.some(({ id }) => !before.indexOf.has(id))) return [];
  const isKnown = (entry: HistoryEntry, index: number): boolean =>
    sameJson(entry, now.sound[index]);
  const changed = before.sound.findIndex((entry, index) => !isKnown(entry, index));
  const from =
    changed < 0
      ? before.sound.length
      : Math.min(...[before, now].map((one) => turnStart(one, changed)));
  const sent = fittedBefore.filter(({ id }) => (before.indexOf.get(id) ?? 0) < from);
  // Instructions and pins alone, which every prompt has, are no prefix to keep.
  const staysAnyway = (entry: HistoryEntry): boolean =>
    isInstruction(entry) || entry.pinned === true;
  if (sent.every(staysAnyway)) return [];
  // Where a turn that was cut already has no place any more, older ones go with it: the conversation has no holes.
  const turn = before.sound[changed] && before.turnOf.get(before.sound[changed]);
  const isCut = turn?.entries.some(({ id }) => !sentIds.has(id)) === true;
  if (isCut && turn !== open) return [];
  if (changed >= 0 && isPlannedAnew({ before, now, from, sentIds })) return [];
  // Two of one role would stand in a row, where what stood between them was not sent.
  const [last, next] = [sent.findLast(isSpoken), now.sound.slice(from).find(isSpoken)];
  const isApart = last !== undefined && now.sound[from - 1] !== last;
  if (isApart && next !== undefined && now.roleOf(last) === now.roleOf(next)) return [];
  const tokens = [...sent, ...now.sound.slice(from)].reduce((sum, one) => sum + countEntry(one), 0);
  if (tokens > budget) return [];
  const lost = sent.find((entry, index) => !sameJson(entry, fitted[index]));
  return lost === undefined ? [] : [{ law: "L17", rule: "what was sent changed", at: lost.id }];
}

/** With the first user message, tasks bound no turns any more; a turn that gave up its answer for a pin gets it back. */
function isPlannedAnew({
  before,
  now,
  from,
  sentIds,
}: {
  readonly before: HistoryReading;
  readonly now: HistoryReading;
  readonly from: number;
  readonly sentIds: ReadonlySet<string>;
}): boolean {
  const startsOf = (reading: HistoryReading): string =>
    reading.turns
      .flatMap(({ entries: [one] }) => (one && placeOf(reading, one) < from ? one.id : []))
      .join(" ");
  const left = before.turns.findLast(({ entries: [one] }) => one && placeOf(before, one) < from);
  const isTorn = left?.lastAnswer !== undefined && !sentIds.has(left.lastAnswer.id);
  return isTorn || startsOf(before) !== startsOf(now);
}

function placeOf({ indexOf }: HistoryReading, { id }: HistoryEntry): number {
  return indexOf.get(id) ?? 0;
}

function isSpoken({ type }: HistoryEntry): boolean {
  return type !== "system_message";
}

/** The place at which the turn of a place begins; a place behind the end has the last turn. */
function turnStart({ sound, turnOf, indexOf }: HistoryReading, index: number): number {
  const entry = sound[Math.min(index, sound.length - 1)];
  const [first] = (entry && turnOf.get(entry)?.entries) ?? [];
  return (first && indexOf.get(first.id)) ?? 0;
}
