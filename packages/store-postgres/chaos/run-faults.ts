import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { endFaults, HEADINGS } from "../../store-redis/chaos/end-faults.ts";
import { tableOf } from "../../store-redis/chaos/table-of.ts";
import { LENGTH_VARIABLE } from "../test-support/is-at-length.ts";
import { findPostgresProgram } from "../test-support/servers/find-postgres-program.ts";
import { faultRuns } from "./fault-runs.ts";

/**
 * Makes faults happen on a Postgres server for minutes and prints what became of the entries. `node chaos/run-faults.ts [--share 0.1] [word …]`
 *
 * Without a word it first runs all tests that need a server. Where none can be had it says so; where `CI` is set, the run has failed.
 */

const { values, positionals: words } = parseArgs({
  allowPositionals: true,
  options: { share: { type: "string", default: "1" } },
});
const runs = faultRuns(Number(values.share)).filter(
  ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
);
if (runs.length === 0) throw new Error(`No fault is named so: ${words.join(" ")}`);

const program = await findPostgresProgram();
if (program.kind === "none") {
  process.stdout.write(`SKIPPED postgres: ${program.reason}\n`);
  process.exitCode = process.env["CI"] === undefined ? 0 : 1;
} else {
  const passes = words.length > 0 || passesSuite();
  const { lines, isSound } = await endFaults("postgres", runs);
  process.stdout.write(`\n${tableOf([HEADINGS, ...lines])}\n`);
  process.exitCode = passes && isSound ? 0 : 1;
}

/** Runs the tests that need a server, the suite of all stores under every isolation level among them. */
function passesSuite(): boolean {
  const config = join(import.meta.dirname, "../../../vitest.config.ts");
  const args = ["run", "--config", config, "--mode", "integration", "--reporter", "dot"];
  const env = { ...process.env, [LENGTH_VARIABLE]: "1" };
  const options = { cwd: join(import.meta.dirname, ".."), env, stdio: "inherit" } as const;
  const isPassed = spawnSync("vitest", args, options).status === 0;
  process.stdout.write(`postgres, suite: ${isPassed ? "passed" : "failed"}\n`);
  return isPassed;
}
