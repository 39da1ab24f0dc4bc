import { sameJson } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

import type { Breach, JudgedFit } from "./judge-fit.ts";
import { readTurns } from "./read-turns.ts";
import type { HistoryReading } from "./read-turns.ts";

/**
 * L17: of two calls in a row, the second with the plan of the first, what was sent stays as it was sent up to the first turn in which something
 * changed, where it and all that follows has room.
 */
export function judgePrefix(last: JudgedFit, made: JudgedFit): readonly Breach[] {
  const [before, now] = [readTurns(last.given, made.viewer), readTurns(made.given, made.viewer)];
  if (!before.isClear || !now.isClear) return [];
  // What a repair adds takes room of its own; what it draws together changes place.
  if (before.sound !== last.given || now.sound !== made.given) return [];
  // What began with an answer, where nobody had asked, begins with the first request once there is one.
  const first = last.fitted.find((entry) => before.roleOf(entry) !== "system");
  if (first !== undefined && before.roleOf(first) !== "user") return [];
  // A turn that had to give up its answer while it was being answered gets it back when it is over.
  const sentIds = new Set(last.fitted.map(({ id }) => id));
  const isTorn = before.turns.at(-1)?.pair.some(({ id }) => !sentIds.has(id)) === true;
  if (isTorn && now.turns.length > before.turns.length) return [];
  const changed = before.sound.findIndex((entry, index) => !sameJson(entry, now.sound[index]));
  const from =
    changed < 0
      ? before.sound.length
      : Math.min(...[before, now].map((one) => turnStart(one, changed)));
  // With the first user message, tasks bound no turns any more.
  const [starts, startsNow] = [before, now].map(({ turns, indexOf }) =>
    turns.map(({ entries: [one] }) => indexOf.get(one?.id ?? "") ?? 0).filter((at) => at < from),
  );
  if (changed >= 0 && !sameJson(starts, startsNow)) return [];
  const sent = last.fitted.filter(({ id }) => (before.indexOf.get(id) ?? 0) < from);
  const tokens = [...sent, ...now.sound.slice(from)].reduce(
    (sum, entry) => sum + made.countEntry(entry),
    made.plan.requestTokens,
  );
  const lost = sent.find((entry, index) => !sameJson(entry, made.fitted[index]));
  if (lost === undefined || tokens > made.budget) return [];
  return [{ law: "L17", rule: "what was sent changed", at: lost.id }];
}

/** The place at which the turn of a place begins; a place behind the end has the last turn. */
function turnStart({ sound, turnOf, indexOf }: HistoryReading, index: number): number {
  const entry: HistoryEntry | undefined = sound[Math.min(index, sound.length - 1)];
  const [first] = (entry && turnOf.get(entry)?.entries) ?? [];
  return (first && indexOf.get(first.id)) ?? 0;
}
