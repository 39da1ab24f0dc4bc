import type { HistoryEntry } from "@agent-history/core";

import type { ChaosCall, ChaosCase } from "./chaos-case.ts";
import { runCase } from "./run-case.ts";
import type { CaseBreach } from "./run-case.ts";

const MOST_TRIES = 2000;

/** Leaves out calls, entries and settings as long as the same rule stays broken. */
export function shrinkCase(given: ChaosCase, { law, rule }: CaseBreach): ChaosCase {
  let tries = 0;
  const isBroken = (candidate: ChaosCase): boolean =>
    (tries += 1) < MOST_TRIES &&
    runCase(candidate).some((one) => one.law === law && one.rule === rule);
  for (let next = given; ;) {
    const smaller = firstOf(smallerCases(next), isBroken);
    if (smaller === undefined) return next;
    next = smaller;
  }
}

function firstOf(
  candidates: Iterable<ChaosCase>,
  isWanted: (candidate: ChaosCase) => boolean,
): ChaosCase | undefined {
  for (const candidate of candidates) if (isWanted(candidate)) return candidate;
  return undefined;
}

function* smallerCases(one: ChaosCase): Generator<ChaosCase> {
  const { calls } = one;
  for (const nth of calls.keys()) yield { ...one, calls: calls.toSpliced(nth, 1) };
  const ids = [...new Set(calls.flatMap(({ entries }) => entries.map(({ id }) => id)))];
  for (
    let size = Math.ceil(ids.length / 2);
    size > 0;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let from = 0; from < ids.length; from += size) {
      const gone = new Set(ids.slice(from, from + size));
      yield withEntries(one, (entry) => (gone.has(entry.id) ? undefined : entry));
    }
  }
  for (const key of OPTIONAL) {
    if (calls.some((call) => key in call)) {
      yield { ...one, calls: calls.map(({ [key]: _, ...call }) => call) };
    }
  }
  if (one.form !== "entries") yield { ...one, form: "entries" };
  for (const id of ids) {
    const isLong = calls.some(({ entries }) =>
      entries.some((entry) => entry.id === id && isText(entry)),
    );
    if (isLong) yield withEntries(one, (entry) => (entry.id === id ? shorter(entry) : entry));
  }
}

const OPTIONAL = [
  "steps",
  "scorer",
  "hasTools",
  "maxResultShare",
  "lowWatermark",
  "recheck",
] as const;

/** Changes entries; the same object stays the same object in all calls. */
function withEntries(
  one: ChaosCase,
  change: (entry: HistoryEntry) => HistoryEntry | undefined,
): ChaosCase {
  const changed = new Map<HistoryEntry, HistoryEntry | undefined>();
  const changeOnce = (entry: HistoryEntry): HistoryEntry | undefined => {
    if (!changed.has(entry)) changed.set(entry, change(entry));
    return changed.get(entry);
  };
  const calls = one.calls.map((call): ChaosCall => {
    return { ...call, entries: call.entries.flatMap((entry) => changeOnce(entry) ?? []) };
  });
  return { ...one, calls };
}

function isText({ content }: HistoryEntry): boolean {
  return typeof content === "string" && content.length > 1;
}

function shorter(entry: HistoryEntry): HistoryEntry {
  if (typeof entry.content !== "string") return entry;
  return { ...entry, content: entry.content.slice(0, entry.content.length / 2) };
}
