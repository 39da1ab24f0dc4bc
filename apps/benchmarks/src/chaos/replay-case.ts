import type { HistoryEntry } from "@agent-history/core";

import type { ChaosCase } from "./chaos-case.ts";
import { generateCase } from "./generate-case.ts";
import { runCase } from "./run-case.ts";
import { shrinkCase } from "./shrink-case.ts";

/** Makes one history again, and tells of each rule it breaks, on the smallest case that still breaks it. */
export function replayCase(seed: number): readonly string[] {
  const whole = generateCase(seed);
  const rules = new Map(runCase(whole).map((breach) => [`${breach.law} ${breach.rule}`, breach]));
  return [...rules].flatMap(([rule, breach]) => {
    const smallest = shrinkCase(whole, breach);
    const all = runCase(smallest).map(
      (one) =>
        `${one.law} ${one.rule} in call ${one.call}${one.at === undefined ? "" : ` at ${one.at}`}, which gave ${one.gave}`,
    );
    return [
      `${rule}, as ${smallest.form}`,
      ...all.map((line) => `  ${line}`),
      ...callLines(smallest),
    ];
  });
}

function callLines({ calls }: ChaosCase): readonly string[] {
  return calls.flatMap(({ entries, ...settings }, nth) => [
    `  call ${nth}: ${JSON.stringify(settings)}`,
    ...entries.map((entry) => `    ${entryLine(entry)}`),
  ]);
}

/** One line: fields of no interest left out, long texts by their length. */
function entryLine({ createdAtMs: _, ...entry }: HistoryEntry): string {
  return JSON.stringify(entry, (_key, value: unknown) =>
    typeof value === "string" && value.length > 60
      ? `${value.slice(0, 20)}… (${value.length})`
      : value,
  );
}
