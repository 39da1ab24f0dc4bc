import { parseArgs, styleText } from "node:util";

import type { FaultReport } from "../test-support/faults/fault-report.ts";
import { findRedisProgram } from "../test-support/servers/find-redis-program.ts";
import { faultRuns } from "./fault-runs.ts";
import { tableOf } from "./table-of.ts";

/** Makes faults happen for minutes and prints what became of the entries. `node chaos/run-faults.ts [word …]` */

const { positionals: words } = parseArgs({ allowPositionals: true });
const program = await findRedisProgram();
if (program.kind === "none") throw new Error(program.reason);

const runs = faultRuns().filter(
  ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
);
if (runs.length === 0) throw new Error(`No fault is named so: ${words.join(" ")}`);

const HEADINGS = [
  "fault",
  "acknowledged",
  "present",
  "missing",
  "doubled",
  "torn",
  "out of order",
  "s",
  "what happened",
];

const lines: (readonly string[])[] = [];
let isSound = true;
for (const { name, run } of runs) {
  const startedMs = Date.now();
  const report = await run().catch((error: unknown) => failed(error));
  const seconds = ((Date.now() - startedMs) / 1000).toFixed(0);
  isSound &&= report.violations.length === 0;
  lines.push(lineOf(name, report, seconds));
  const verdict = styleText(report.violations.length === 0 ? "green" : "red", verdictOf(report));
  process.stdout.write(`${name}: ${verdict} (${seconds} s)\n`);
}
process.stdout.write(`\n${tableOf([HEADINGS, ...lines])}\n`);
process.exitCode = isSound ? 0 : 1;

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
  const counts = [acknowledged, present, missing, doubled, torn, outOfOrder];
  const happened = Object.entries(figures).map(([what, count]) => `${what} ${count}`);
  return [name, ...counts.map(String), seconds, happened.join(", ")];
}
