import { spawnSync } from "node:child_process";

import { rootFolder } from "./workspace-packages.ts";

/**
 * Runs every test of every package, and builds. First those that need nothing, two packages at once; then those that start servers and
 * programs, which wait more than they compute, all at once. What the command line says goes to turbo.
 */

const phases = [
  ["run", "test", "build", "--concurrency=2"],
  ["run", "test:integration", "--concurrency=5"],
];

const failed = phases.filter((phase) => !hasPassed(phase));
if (failed.length > 0) process.exitCode = 1;

function hasPassed(phase: readonly string[]): boolean {
  const env = { ...process.env, TURBO_TELEMETRY_DISABLED: "1", VITEST_MAX_WORKERS: "1" };
  const options = [...phase, ...process.argv.slice(2)];
  return spawnSync("turbo", options, { cwd: rootFolder, env, stdio: "inherit" }).status === 0;
}
