// Measures what one more turn costs, beside a bare walk in turns, and how much of the prompt stays the same. A process that just began is given
// a thousand turns before; what those took is shown, too. On Linux, time in which other processes had the processor is taken off.
// `--check` fails where a promise is broken.
import { openSync, readSync } from "node:fs";
import { loadavg } from "node:os";

import { assistantMessage, systemMessage, userMessage } from "@agent-history/core";
import type { HistoryEntry, ReductionPlan } from "@agent-history/core";
import { fitToWindow, prefixStability } from "@agent-history/reducer";

import { cachingCounter as counter, turnOf, words } from "./growing-log.ts";

const PROMISES = {
  timesBareWalk: 4,
  meanTimesBareWalk: 10,
  timesShortHistory: 2,
  stablePrefix: 0.9,
  fullWindow: 0.6,
};
const TURNS = 1000;
/** A collection of garbage that the whole process left makes one mean of a thousand turns worthless: the one in the middle counts. */
const ROUNDS = 3;

const broken: string[] = [];
const room = Buffer.alloc(64);
const schedstat =
  process.platform === "linux" ? openSync("/proc/thread-self/schedstat", "r") : undefined;
for (const contextTokens of [8000, 100_000]) {
  const costs = [1000, 100_000].map((length) => costOfOneTurn(length, contextTokens));
  for (const { length, ours, bare, first } of costs) {
    const ratio = ours.median / bare.median;
    const meanRatio = ours.mean / bare.median;
    print(
      `window ${contextTokens}, ${length} entries: one more turn ${micro(ours.median)}, mean with cuts ${micro(ours.mean)}; bare walk ${micro(bare.median)}: ${ratio.toFixed(1)} and ${meanRatio.toFixed(1)} times; mean of the first ${TURNS} turns ${micro(first.mean)}; load ${loadavg()[0]?.toFixed(1)}`,
    );
    promise(ratio <= PROMISES.timesBareWalk, `${ratio.toFixed(1)} times a bare walk`);
    const mean = `a mean of ${meanRatio.toFixed(1)} times a bare walk`;
    promise(meanRatio <= PROMISES.meanTimesBareWalk, mean);
  }
  const [short, long] = costs;
  const growth = (long?.ours.median ?? 0) / (short?.ours.median ?? 1);
  print(`window ${contextTokens}: 100,000 entries cost ${growth.toFixed(2)} times what 1,000 cost`);
  promise(
    growth <= PROMISES.timesShortHistory,
    `${growth.toFixed(2)} times as much on a long history`,
  );
}
const growing = growingConversation();
print(
  `1,000 turns at 8,000 tokens: ${percent(growing.share)} of what was sent is an unchanged prefix, the window is ${percent(growing.fullness)} full`,
);
promise(growing.share >= PROMISES.stablePrefix, `an unchanged prefix of ${percent(growing.share)}`);
promise(growing.fullness >= PROMISES.fullWindow, `a window ${percent(growing.fullness)} full`);

if (process.argv.includes("--check") && broken.length > 0) {
  process.stderr.write(`Broken promises: ${broken.join("; ")}.\n`);
  process.exitCode = 1;
}

interface Cost {
  readonly median: number;
  readonly mean: number;
}

/** What a turn costs, beside walking backward over the same cached counts and keeping what fits; and what the first turns of the process cost. */
function costOfOneTurn(
  length: number,
  contextTokens: number,
): { readonly length: number; readonly ours: Cost; readonly bare: Cost; readonly first: Cost } {
  const log: HistoryEntry[] = [systemMessage({ content: words(100) })];
  while (log.length < length) log.push(...turnOf(log.length));
  for (const entry of log) counter.countEntry(entry);
  let plan = fitToWindow(log, { window: { contextTokens }, counter }).plan;
  const ours: number[] = [];
  const bare: number[] = [];
  for (let turn = 0; turn < (1 + ROUNDS) * TURNS; turn++) {
    const added = turnOf(length + turn);
    for (const entry of added) counter.countEntry(entry);
    log.push(...added);
    bare.push(time(() => bareWalk(log, contextTokens)));
    ours.push(
      time(() => {
        plan = fitToWindow(log, { window: { contextTokens }, counter, previousPlan: plan }).plan;
      }),
    );
  }
  return {
    length,
    ours: costOf(ours.slice(TURNS)),
    bare: costOf(bare.slice(TURNS)),
    first: costOf(ours.slice(0, TURNS)),
  };
}

function costOf(times: readonly number[]): Cost {
  const means: number[] = [];
  for (let start = 0; start < times.length; start += TURNS) {
    const round = times.slice(start, start + TURNS);
    means.push(round.reduce((sum, each) => sum + each, 0) / round.length);
  }
  return { median: median(times), mean: median(means) };
}

function bareWalk(entries: readonly HistoryEntry[], budget: number): readonly HistoryEntry[] {
  const kept: HistoryEntry[] = [];
  let tokens = 0;
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index];
    if (entry === undefined) break;
    tokens += counter.countEntry(entry);
    if (tokens > budget) break;
    kept.push(entry);
  }
  return kept.toReversed();
}

/** A thousand turns: how much of all that was sent the call before had sent too, and how full the window was on average. */
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

/** How long this thread has waited for a processor, in milliseconds: the second number of its line. https://docs.kernel.org/scheduler/sched-stats.html */
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
