import type { Profiler } from "node:inspector";
// Shows what one more turn is made of: samples 8,000 turns at 8,000 tokens behind 1,000 that warm up, and adds up the time by what it was spent on.
import { Session } from "node:inspector/promises";
import { parseArgs } from "node:util";

import { systemMessage } from "@agent-history/core";
import type { HistoryEntry, ReductionPlan } from "@agent-history/core";
import { fitToWindow } from "@agent-history/reducer";

import { cachingCounter as counter, turnOf, words } from "./growing-log.ts";

const WARM_UP = 1000;
const INTERVAL_MICROSECONDS = 50;
/** A sample that stands for more was interrupted by another process. */
const LONGEST_SAMPLE = INTERVAL_MICROSECONDS * 3;

/** What a fit does, by the function that does all of it; of functions within one another the innermost counts. */
const STAGES = new Map([
  ["openFitContext", "options and budget"],
  ["continuationOf", "whether the plan still holds"],
  ["appendToPlan", "adding what is new"],
  ["readPlainTurns", "cut: reading what is kept"],
  ["dropTurns", "cut: dropping, clearing and taking back"],
  ["reduceRounds", "cut: dropping, clearing and taking back"],
  ["planCut", "cut: what is left"],
  ["finishWorkingPlan", "cut: writing the plan"],
  ["newWorkingPlan", "cut: by the steps"],
  ["workingPlanFrom", "cut: by the steps"],
  ["runSteps", "cut: by the steps"],
  ["countEntry", "the counter"],
  ["sealPlan", "remembering the plan"],
  ["reductionOf", "the entries to send"],
  ["planFit", "the rest"],
  ["fitToWindow", "the rest"],
]);

/** A profile shows a generator that was inlined as if nobody had called it. */
const ROOTS: ReadonlySet<string> = new Set(["fitToWindow", "planFit"]);

const { values } = parseArgs({ options: { turns: { type: "string", default: "8000" } } });
const turns = Number(values.turns);
const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.setSamplingInterval", { interval: INTERVAL_MICROSECONDS });
const log: HistoryEntry[] = [systemMessage({ content: words(100) })];
let previousPlan: ReductionPlan | undefined;
let cuts = 0;
goOn(WARM_UP);
cuts = 0;
await session.post("Profiler.start");
goOn(turns);
const { profile } = await session.post("Profiler.stop");
const times = timesOf(profile);
const all = [...times.values()].reduce((sum, one) => sum + one, 0);
process.stdout.write(
  `${turns} turns, ${cuts} of them cuts: ${(all / turns).toFixed(1)} µs a turn\n`,
);
for (const [stage, micros] of [...times].toSorted(([, one], [, other]) => other - one)) {
  const share = `${((micros / all) * 100).toFixed(1)}%`;
  process.stdout.write(
    `${share.padStart(6)}  ${(micros / turns).toFixed(2).padStart(6)} µs  ${stage}\n`,
  );
}

function goOn(count: number): void {
  for (let turn = 0; turn < count; turn++) {
    const added = turnOf(log.length);
    // Counted when they come, as in a loop.
    for (const entry of added) counter.countEntry(entry);
    log.push(...added);
    const options = { window: { contextTokens: 8000 }, counter, previousPlan };
    previousPlan = fitToWindow(log, options).plan;
    if (previousPlan.continued?.stoppedBy === "cut") cuts += 1;
  }
}

/** Microseconds by stage, within fits. */
function timesOf({
  nodes,
  samples = [],
  timeDeltas = [],
}: Profiler.Profile): ReadonlyMap<string, number> {
  const stages = new Map<number, string | undefined>();
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const visit = (id: number, within: string | undefined): void => {
    const node = byId.get(id);
    if (node === undefined) return;
    const own = STAGES.get(node.callFrame.functionName);
    const isFit = within !== undefined || ROOTS.has(node.callFrame.functionName);
    const stage = isFit ? (own ?? within) : undefined;
    stages.set(id, stage);
    for (const child of node.children ?? []) visit(child, stage);
  };
  const [root] = nodes;
  if (root !== undefined) visit(root.id, undefined);
  const spent = new Map<string, number>();
  for (const [nth, id] of samples.entries()) {
    const stage = stages.get(id);
    if (stage === undefined) continue;
    const micros = Math.min(timeDeltas[nth] ?? 0, LONGEST_SAMPLE);
    spent.set(stage, (spent.get(stage) ?? 0) + micros);
  }
  return spent;
}
