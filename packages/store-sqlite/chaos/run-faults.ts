import { parseArgs } from "node:util";

import {
  killErasers,
  killInEveryVerb,
  killWriter,
  losePower,
  orderCalls,
  writeTogether,
} from "./faults.ts";
import type { FaultSums } from "./faults.ts";

/**
 * Kills processes that write to a file and cuts the power of its disk, and prints what became of the acknowledged batches. `node chaos/run-faults.ts [--share 0.1] [word …]`
 *
 * `AGENT_HISTORY_LAZYFS` names the program of LazyFS, which is mounted as root. Without it the power is not cut: skipped by name; where `CI` is set, the run has failed.
 */

const { values, positionals: words } = parseArgs({
  allowPositionals: true,
  options: { share: { type: "string", default: "1" } },
});
const some = (count: number): number => Math.max(1, Math.round(count * Number(values.share)));
const lazyfs = process.env["AGENT_HISTORY_LAZYFS"];

interface Fault {
  readonly name: string;
  readonly runs: number;
  /** Nothing where a program is missing. */
  readonly run: ((runs: number) => Promise<FaultSums>) | undefined;
  readonly mayLose?: true;
}

const cut = (survivesPowerLoss: boolean): Fault["run"] =>
  lazyfs === undefined ? undefined : (runs) => losePower(lazyfs, runs, survivesPowerLoss);
const faults: readonly Fault[] = [
  { name: "kill -9 of the writer", runs: some(100), run: killWriter },
  { name: "kill -9 in every verb", runs: some(200), run: killInEveryVerb },
  { name: "kill -9 of erasures", runs: some(200), run: killErasers },
  { name: "log and views, linearized", runs: some(20), run: orderCalls },
  { name: "four processes on one thread", runs: some(10), run: writeTogether },
  { name: "power cut, survivesPowerLoss", runs: some(40), run: cut(true) },
  { name: "power cut, default", runs: some(40), run: cut(false), mayLose: true },
];

const chosen = faults.filter(
  ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
);
if (chosen.length === 0) throw new Error(`No fault is named so: ${words.join(" ")}`);

const head = ["fault", "runs", "acknowledged", "lost", "doubled", "torn", "out of order", "broken"];
const print = (cells: readonly unknown[]): void => {
  process.stdout.write(`| ${cells.join(" | ")} |\n`);
};
print(head);
print(head.map(() => "---"));
for (const { name, runs, run, mayLose = false } of chosen) {
  if (run === undefined) {
    process.stdout.write(`SKIPPED ${name}: AGENT_HISTORY_LAZYFS names no program\n`);
    if (process.env["CI"] !== undefined) process.exitCode = 1;
    continue;
  }
  const { acknowledged, lost, doubled, torn, outOfOrder, broken } = await run(runs);
  print([name, runs, acknowledged, lost, doubled, torn, outOfOrder, broken]);
  const wrong = doubled + torn + outOfOrder + broken + (mayLose ? 0 : lost);
  if (wrong > 0) process.exitCode = 1;
}
