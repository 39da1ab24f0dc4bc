// Measures one system on one history in a process of its own, and writes what it found as JSON.
import { timed, timingOf } from "../harness.ts";
import type { Timing } from "../harness.ts";
import { longHistory, ordinaryTurn } from "../messages/generate-history.ts";
import { seededRandom } from "../messages/random.ts";
import { systemCalled } from "../systems/all-systems.ts";

/** What one system took for one history. */
export interface FitFigures {
  readonly leavesOut: string;
  readonly coldMs: number;
  readonly again: Timing;
  readonly turn: Timing;
  readonly peakMb: number;
}

/** Where repeats take longer than this together, no more are made. */
const BUDGET_MS = 3000;

const [name = "", messages = "", repeats = ""] = process.argv.slice(2);
const system = await systemCalled(name);
const conversation = system.open(longHistory(Number(messages)), 8000);
const before = process.resourceUsage().maxRSS;
const coldMs = await timed(() => conversation.fit());
const again = await several(() => timed(() => conversation.fit()));
const peakMb = (process.resourceUsage().maxRSS - before) / 1024;
const random = seededRandom(2);
let turns = Number(messages);
const turn = await several(() => {
  conversation.append(ordinaryTurn(random, (turns += 1)));
  return timed(() => conversation.fit());
});
const { leavesOut } = system;
const figures: FitFigures = { leavesOut, coldMs, again, turn, peakMb };
process.stdout.write(JSON.stringify(figures));

/** The first half of the runs compiles the code; the second is measured. */
async function several(work: () => Promise<number>): Promise<Timing> {
  const times: number[] = [];
  const start = performance.now();
  while (times.length < 2 * Number(repeats) && performance.now() - start < BUDGET_MS) {
    times.push(await work());
  }
  return timingOf(times.slice(Math.floor(times.length / 2)));
}
