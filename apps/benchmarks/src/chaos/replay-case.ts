import type { HistoryEntry } from "@agent-history/core";
import type { FitOptions } from "@agent-history/reducer";

import { generateCase } from "./generate-case.ts";
import type { ChaosCall, ChaosCase } from "./generate-case.ts";
import { runCase } from "./run-case.ts";
import type { CaseBreach } from "./run-case.ts";

/** Makes one history again, and tells of each rule it breaks, on a small case that still breaks it. */
export function replayCase(seed: number): readonly string[] {
  const whole = generateCase(seed);
  const breaches = new Map(runCase(whole).map((one) => [`${one.law} ${one.rule}`, one]));
  return [...breaches].flatMap(([rule, breach]) => {
    const { form, calls } = shrunk(whole, breach);
    return [
      `${rule} in call ${breach.call} at ${breach.at}, which gave ${breach.gave}; smaller, as ${form}:`,
      ...calls.flatMap(({ entries, ...settings }, nth) => [
        `  call ${nth}: ${JSON.stringify(settings)}`,
        ...entries.map((entry) => `    ${entryLine(entry)}`),
      ]),
    ];
  });
}

/** Leaves out calls, entries and settings as long as the same rule stays broken. */
function shrunk(given: ChaosCase, { law, rule }: CaseBreach): ChaosCase {
  const isBroken = (candidate: ChaosCase): boolean =>
    runCase(candidate).some((one) => one.law === law && one.rule === rule);
  let smallest = given;
  for (;;) {
    const smaller = [...smallerCases(smallest)].find(isBroken);
    if (smaller === undefined) return smallest;
    smallest = smaller;
  }
}

function* smallerCases(one: ChaosCase): Generator<ChaosCase> {
  const { calls } = one;
  for (const nth of calls.keys()) yield { ...one, calls: calls.toSpliced(nth, 1) };
  const ids = [...new Set(calls.flatMap(({ entries }) => entries.map(({ id }) => id)))];
  for (let size = Math.ceil(ids.length / 2); size > 0; size = Math.floor(size / 2)) {
    for (let from = 0; from < ids.length; from += size) {
      const gone = new Set(ids.slice(from, from + size));
      const less = (entries: readonly HistoryEntry[]): readonly HistoryEntry[] =>
        entries.filter(({ id }) => !gone.has(id));
      yield { ...one, calls: calls.map((call) => ({ ...call, entries: less(call.entries) })) };
    }
  }
  for (const key of ["without", "scorer", "tools", "maxResultShare", "lowWatermark"] as const) {
    const isSet = calls.some(({ options }) => key in options);
    const less = new Map(
      calls.map(({ options: { [key]: _, ...rest }, options }) => [options, rest]),
    );
    const options = (call: ChaosCall): FitOptions => less.get(call.options) ?? call.options;
    if (isSet) yield { ...one, calls: calls.map((call) => ({ ...call, options: options(call) })) };
  }
}

/** One line: fields of no interest left out, long texts by their length. */
function entryLine({ createdAtMs: _, ...entry }: HistoryEntry): string {
  return JSON.stringify(entry, (_key, value: unknown) =>
    typeof value === "string" && value.length > 60
      ? `${value.slice(0, 20)}… (${value.length})`
      : value,
  );
}
