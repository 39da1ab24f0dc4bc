// Measures the cost of one more turn of a growing conversation, with and without a cut, and how much of the prompt stays the same. The first thousand
// turns of a process are not counted. On Linux, time spent waiting for a processor is subtracted. `--check` fails if a limit is exceeded.
import { openSync, readSync } from "node:fs";
import { loadavg } from "node:os";

import { assistantMessage, systemMessage, userMessage } from "@agent-history/core";
import type { HistoryEntry, ReductionPlan } from "@agent-history/core";
import { fitToWindow, prefixStability } from "@agent-history/reducer";

import { cachingCounter as counter, turnOf, words } from "./growing-log.ts";

/** Maximum milliseconds per turn without and with a cut, by window in tokens. */
const MOST_MS = new Map([
  [8000, { kept: 0.1, cut: 3 }],
  [100_000, { kept: 0.3, cut: 15 }],
]);
const TIMES_SHORT_HISTORY = 2;
const STABLE_PREFIX = 0.9;
const FULL_WINDOW = 0.6;
const TURNS = 1000;
const ROUNDS = 4;

const broken: string[] = [];
const room = Buffer.alloc(64);
const schedstat =
  process.platform === "linux" ? openSync("/proc/thread-self/schedstat", "r") : undefined;
for (const [contextTokens, most] of MOST_MS) {
  const costs = [1000, 100_000].map((length) => costOfOneTurn(length, contextTokens));
  for (const { length, kept, cut } of costs) {
    print(
      `window ${contextTokens}, ${length} entries: one more turn ${micro(kept)}, with a cut ${micro(cut)}; load ${loadavg()[0]?.toFixed(1)}`,
    );
    promise(kept <= most.kept, `${micro(kept)} a turn at ${contextTokens}`);
    promise(cut <= most.cut, `${micro(cut)} a cut at ${contextTokens}`);
  }
  const [short, long] = costs;
  const growth = (long?.kept ?? 0) / (short?.kept ?? 1);
  print(`window ${contextTokens}: 100,000 entries cost ${growth.toFixed(2)} times what 1,000 cost`);
  promise(growth <= TIMES_SHORT_HISTORY, `${growth.toFixed(2)} times as much on a long history`);
}
const growing = growingConversation();
print(
  `1,000 turns at 8,000 tokens: ${percent(growing.share)} of what was sent is an unchanged prefix, the window is ${percent(growing.fullness)} full`,
);
promise(growing.share >= STABLE_PREFIX, `an unchanged prefix of ${percent(growing.share)}`);
promise(growing.fullness >= FULL_WINDOW, `a window ${percent(growing.fullness)} full`);

if (process.argv.includes("--check") && broken.length > 0) {
  process.stderr.write(`Broken promises: ${broken.join("; ")}.\n`);
  process.exitCode = 1;
}

/** Returns the median cost of one turn, without and with a cut. */
function costOfOneTurn(
  length: number,
  contextTokens: number,
): { readonly length: number; readonly kept: number; readonly cut: number } {
  const log: HistoryEntry[] = [systemMessage({ content: words(100) })];
  while (log.length < length) log.push(...turnOf(log.length));
  for (const entry of log) counter.countEntry(entry);
  let plan = fitToWindow(log, { window: { contextTokens }, counter }).plan;
  const kept: number[] = [];
  const cut: number[] = [];
  for (let turn = 0; turn < (1 + ROUNDS) * TURNS; turn++) {
    const added = turnOf(length + turn);
    for (const entry of added) counter.countEntry(entry);
    log.push(...added);
    const spent = time(() => {
      plan = fitToWindow(log, { window: { contextTokens }, counter, previousPlan: plan }).plan;
    });
    if (turn >= TURNS) (plan.continued?.stoppedBy === "cut" ? cut : kept).push(spent);
  }
  return { length, kept: median(kept), cut: median(cut) };
}

/** Runs a thousand turns; returns the share of all sent tokens that the previous call had also sent, and how full the window was on average. */
function growingConversation(): { readonly share: number; readonly fullness: number } {
  const contextTokens = 8000;
  const log: HistoryEntry[] = [systemMessage({ content: words(100) })];
  let previousPlan: ReductionPlan | undefined;
  let previous: readonly HistoryEntry[] = [];
  let same = 0;
  let sent = 0;
  for (let turn = 0; turn < 1000; turn++) {
    log.push(userMessage({ content: words(60) }));
    const options = { window: { contextTokens }, counter, ...(previousPlan && { previousPlan }) };
    const { entries, plan } = fitToWindow(log, options);
    same += prefixStability(previous, entries, counter).tokens;
    sent += plan.totalTokens;
    [previous, previousPlan] = [entries, plan];
    log.push(assistantMessage({ content: words(90) }));
  }
  return { share: same / sent, fullness: sent / 1000 / contextTokens };
}

function time(work: () => unknown): number {
  const before = waited();
  const start = performance.now();
  work();
  const passed = performance.now() - start;
  const running = passed - (waited() - before);
  return running < 0 ? passed : running;
}

/** Returns how long this thread has waited for a processor, in milliseconds: the second number of its line. https://docs.kernel.org/scheduler/sched-stats.html */
function waited(): number {
  if (schedstat === undefined) return 0;
  const length = readSync(schedstat, room, 0, room.length, 0);
  return Number(room.toString("latin1", 0, length).split(" ")[1]) / 1_000_000;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

function promise(isKept: boolean, otherwise: string): void {
  if (!isKept) broken.push(otherwise);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function micro(milliseconds: number): string {
  return `${(milliseconds * 1000).toFixed(1)} µs`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}
