import { styleText } from "node:util";

import type { FaultReport } from "../test-support/faults/fault-report.ts";

/** A fault, and how it is made to happen at length. */
export interface FaultRun {
  readonly name: string;
  readonly run: () => Promise<FaultReport>;
}

/** What stands above the columns of the lines. */
export const HEADINGS: readonly string[] = [
  "server",
  "fault",
  "acknowledged",
  "present",
  "missing",
  "doubled",
  "torn",
  "out of order",
  "misleading",
  "s",
  "what happened",
];

/** Runs faults one after another on a server, and writes a line for each as it ends. */
export async function endFaults(
  server: string,
  runs: readonly FaultRun[],
): Promise<{ readonly lines: readonly (readonly string[])[]; readonly isSound: boolean }> {
  const lines: (readonly string[])[] = [];
  let isSound = true;
  for (const { name, run } of runs) {
    const startedMs = Date.now();
    const report = await run().catch((error: unknown) => failed(error));
    const seconds = ((Date.now() - startedMs) / 1000).toFixed(0);
    isSound &&= report.violations.length === 0;
    const line = [server, ...lineOf(name, report, seconds)];
    lines.push(line);
    const verdict = styleText(report.violations.length === 0 ? "green" : "red", verdictOf(report));
    // At once: a run that is stopped has its figures.
    process.stdout.write(`${verdict}: ${line.join(" | ")}\n`);
  }
  return { lines, isSound };
}

function failed(error: unknown): FaultReport {
  const nothing = { acknowledged: 0, present: 0, missing: 0, doubled: 0, torn: 0 };
  const audit = { ...nothing, outOfOrder: 0, foreign: 0, unacknowledged: 0, broken: 0 };
  return { audit, figures: {}, violations: [String(error)] };
}

function verdictOf({ violations }: FaultReport): string {
  return violations.length === 0 ? "sound" : violations.join(", ");
}

function lineOf(name: string, { audit, figures }: FaultReport, seconds: string): string[] {
  const { acknowledged, present, missing, doubled, torn, outOfOrder } = audit;
  const { MISLEADING: misleading = 0, ...others } = figures;
  const counts = [acknowledged, present, missing, doubled, torn, outOfOrder, misleading];
  const happened = Object.entries(others).map(([what, count]) => `${what} ${count}`);
  return [name, ...counts.map(String), seconds, happened.join(", ")];
}
