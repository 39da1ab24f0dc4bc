import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { findRedisProgram, SERVER_VARIABLE } from "../test-support/servers/find-redis-program.ts";
import { SERVER_NAMES } from "../test-support/servers/redis-program.ts";
import type { ServerName } from "../test-support/servers/redis-program.ts";
import { endFaults, HEADINGS } from "./end-faults.ts";
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
  const ended = await endFaults(server, runs);
  lines.push(...ended.lines);
  isSound &&= ended.isSound;
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
