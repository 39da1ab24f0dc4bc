import { spawnSync } from "node:child_process";

import { rootFolder } from "./workspace-packages.ts";

/**
 * Runs every test of every package, and builds. First those that need nothing, two packages at once; then those that start servers and
 * programs, which wait more than they compute, all at once. Laws are tried half as often as by a package's own command. What the command
 * line says goes to turbo.
 */

const alone = hasPassed("test", "build", "--concurrency=2");
const withOthers = hasPassed("test:integration", "--concurrency=5");
if (!alone || !withOthers) process.exitCode = 1;

function hasPassed(...tasks: readonly string[]): boolean {
  const fixed = { TURBO_TELEMETRY_DISABLED: "1", VITEST_MAX_WORKERS: "1" };
  const env = { LAW_RUNS: "0.5", ...process.env, ...fixed };
  const options = ["run", ...tasks, ...process.argv.slice(2)];
  return spawnSync("turbo", options, { cwd: rootFolder, env, stdio: "inherit" }).status === 0;
}
