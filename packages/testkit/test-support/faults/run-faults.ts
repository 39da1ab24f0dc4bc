import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs, styleText } from "node:util";

/** What a fault did to a store. */
interface FaultReport {
  /** What became of what was sent. */
  readonly audit: object;
  /** How often what was done, and what the store answered. */
  readonly figures?: object;
  /** What must not be; empty where the store kept its promises. */
  readonly violations: readonly string[];
}

/** A fault, how it is made to happen, and why it cannot be. */
export type Fault = readonly [
  name: string,
  run: () => Promise<FaultReport>,
  missing?: string | undefined,
];

/** What faults happen to. */
export interface FaultyServer {
  readonly name: string;
  /** Says why it cannot be had. */
  readonly missing?: () => Promise<string | undefined>;
  /** What makes tests that need a server use it. Where it is given, these run first, the suite of all stores among them, unless faults are named. */
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * Makes faults happen, one after another, and prints a line for each as it ends: `node test-support/run-faults.ts [--server NAME] [--share 0.1] [word …]`, with words those whose names hold one.
 *
 * What cannot be had is skipped by its name; where `CI` is set, the run has failed.
 *
 * @param faults - All of them, each as long as its figures need. `some` gives of a count the share that is asked for.
 */
export async function runFaults(
  servers: readonly FaultyServer[],
  faults: (some: (count: number) => number) => readonly Fault[],
): Promise<void> {
  const { values, positionals: words } = parseArgs({
    allowPositionals: true,
    options: { server: { type: "string" }, share: { type: "string", default: "1" } },
  });
  const some = (count: number): number => Math.max(1, Math.round(count * Number(values.share)));
  const chosen = faults(some).filter(
    ([name]) => words.length === 0 || words.some((word) => name.includes(word)),
  );
  const named = servers.filter(({ name }) => name === (values.server ?? name));
  if (chosen.length === 0 || named.length === 0) throw new Error("No fault or server is named so");
  for (const { name: server, missing, env } of named) {
    const reason = await missing?.();
    if (reason !== undefined) {
      skip(server, reason);
      continue;
    }
    Object.assign(process.env, env);
    if (env !== undefined && words.length === 0 && !passesSuite(server)) process.exitCode = 1;
    for (const [name, run, lacking] of chosen)
      if (lacking !== undefined) skip(name, lacking);
      else if (!(await endFault(server, name, run))) process.exitCode = 1;
  }
}

function skip(name: string, reason: string): void {
  process.stdout.write(`SKIPPED ${name}: ${reason}\n`);
  if (process.env["CI"] !== undefined) process.exitCode = 1;
}

async function endFault(server: string, name: string, run: Fault[1]): Promise<boolean> {
  const startedMs = Date.now();
  const failed = (error: unknown): FaultReport => ({ audit: {}, violations: [String(error)] });
  const { audit, figures, violations } = await run().catch(failed);
  const seconds = ((Date.now() - startedMs) / 1000).toFixed(0);
  const counts = Object.entries({ ...audit, ...figures }).map(
    ([what, count]) => `${what} ${String(count)}`,
  );
  const isSound = violations.length === 0;
  const verdict = styleText(isSound ? "green" : "red", isSound ? "sound" : violations.join(", "));
  process.stdout.write(
    `${verdict}: | ${server} | ${name} | ${counts.join(", ")} | ${seconds} s |\n`,
  );
  return isSound;
}

/** Runs the tests of this package that need a server. */
function passesSuite(server: string): boolean {
  const config = join(import.meta.dirname, "../../../../vitest.config.ts");
  const args = ["run", "--config", config, "--mode", "integration", "--reporter", "dot"];
  const isPassed = spawnSync("vitest", args, { stdio: "inherit" }).status === 0;
  process.stdout.write(`${server}, suite: ${isPassed ? "passed" : "failed"}\n`);
  return isPassed;
}
