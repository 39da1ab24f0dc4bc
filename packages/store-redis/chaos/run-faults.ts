import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs, styleText } from "node:util";

import type { FaultReport } from "../test-support/faults/fault-report.ts";
import { findRedisProgram, SERVER_VARIABLE } from "../test-support/servers/find-redis-program.ts";
import { SERVER_NAMES } from "../test-support/servers/redis-program.ts";
import type { ServerName } from "../test-support/servers/redis-program.ts";
import { faultRuns } from "./fault-runs.ts";
import { tableOf } from "./table-of.ts";

/**
 * Makes faults happen on each server for minutes and prints what became of the entries. `node chaos/run-faults.ts [--server NAME] [--share 0.1] [word …]`
 *
 * A server that cannot be had is skipped by its name; where `CI` is set, the run has failed.
 */

const { values, positionals: words } = parseArgs({
  allowPositionals: true,
  options: { server: { type: "string" }, share: { type: "string", default: "1" } },
});
const servers = SERVER_NAMES.filter((name) => name === (values.server ?? name));
if (servers.length === 0)
  throw new Error(`Expected --server to be one of ${SERVER_NAMES.join(", ")}`);

const runs = faultRuns(Number(values.share)).filter(
  ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
);
if (runs.length === 0) throw new Error(`No fault is named so: ${words.join(" ")}`);

const HEADINGS = [
  "server",
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
for (const server of servers) {
  const program = await findRedisProgram(server);
  if (program.kind === "none") {
    process.stdout.write(`SKIPPED ${server}: ${program.reason}\n`);
    if (process.env["CI"] !== undefined) isSound = false;
    continue;
  }
  // What starts a server without naming one starts this.
  process.env[SERVER_VARIABLE] = server;
  isSound = (words.length > 0 || passesSuite(server)) && isSound;
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
}
process.stdout.write(`\n${tableOf([HEADINGS, ...lines])}\n`);
process.exitCode = isSound ? 0 : 1;

/** Runs the tests that need a server, the suite of all stores among them, on one. */
function passesSuite(server: ServerName): boolean {
  const config = join(import.meta.dirname, "../../../vitest.config.ts");
  const args = ["run", "--config", config, "--mode", "integration", "--reporter", "dot"];
  const options = { cwd: join(import.meta.dirname, ".."), stdio: "inherit" } as const;
  const isPassed = spawnSync("vitest", args, options).status === 0;
  process.stdout.write(`${server}, suite: ${isPassed ? "passed" : "failed"}\n`);
  return isPassed;
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
  const counts = [acknowledged, present, missing, doubled, torn, outOfOrder];
  const happened = Object.entries(figures).map(([what, count]) => `${what} ${count}`);
  return [name, ...counts.map(String), seconds, happened.join(", ")];
}
