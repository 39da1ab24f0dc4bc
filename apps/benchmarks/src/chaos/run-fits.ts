import { fork } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";

import { addFound, readState, writeState } from "./fits-state.ts";
import type { FitsState } from "./fits-state.ts";
import { replayCase } from "./replay-case.ts";
import type { Share, ShareOutcome } from "./run-share.ts";

/** Fits generated histories by the hundred thousand, and holds what comes out against an oracle that shares no code with the packages. */

const SIZE = 500;

const { values } = parseArgs({
  options: {
    fits: { type: "string", default: "10000" },
    seed: { type: "string", default: "1" },
    state: { type: "string" },
    replay: { type: "string" },
    processes: { type: "string", default: "2" },
  },
});

if (values.replay === undefined) await run();
else for (const line of replayCase(Number(values.replay))) console.log(line);

async function run(): Promise<void> {
  const [fits, seed] = [Number(values.fits), Number(values.seed)];
  const file = values.state ?? join(tmpdir(), `agent-history-fits-${seed}.json`);
  let state = readState(file, seed, SIZE);
  const shares = Math.ceil(fits / SIZE);
  const done = new Set(state.done);
  const waiting = Array.from({ length: shares }, (_, number) => number)
    .filter((number) => !done.has(number))
    .map((number): Share => {
      const from = number * SIZE;
      return { seed, number, from, to: Math.min(fits, from + SIZE) };
    });
  console.log(
    `${fits} histories of seed ${seed}, ${shares - waiting.length} of ${shares} shares done before; state in ${file}`,
  );
  const count = Math.max(1, Math.min(2, Number(values.processes)));
  const finished = ({ number, histories, calls, found }: ShareOutcome): void => {
    state = {
      ...state,
      done: [...state.done, number],
      histories: state.histories + histories,
      calls: state.calls + calls,
      found: addFound(state.found, found),
    };
    writeState(file, state);
    if (state.done.length % 20 === 0) console.log(progressOf(state));
  };
  await Promise.all(Array.from({ length: count }, () => work(waiting, finished)));
  report(state);
}

/** Gives one process share after share until none is left. */
function work(waiting: Share[], finished: (outcome: ShareOutcome) => void): Promise<void> {
  const child = fork(new URL("./fits-worker.ts", import.meta.url));
  return new Promise((resolve, reject) => {
    const next = (): void => {
      const share = waiting.shift();
      if (share === undefined) child.disconnect();
      else child.send(share);
    };
    child.on("message", (outcome: ShareOutcome) => {
      finished(outcome);
      next();
    });
    child.on("error", reject);
    child.on("exit", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`A process ended with ${code}. Run again to go on.`));
    });
    next();
  });
}

function progressOf({ histories, found }: FitsState): string {
  return `${histories} histories, ${found.length} rules broken`;
}

function report({ histories, calls, found }: FitsState): void {
  const sorted = found.toSorted((one, other) => other.histories - one.histories);
  for (const { rule, histories: count, seeds } of sorted) {
    console.log(`${String(count).padStart(8)}  ${rule}  --replay ${seeds.join(", ")}`);
  }
  console.log(
    `${histories} histories, ${calls} calls: ${found.length === 0 ? "no rule broken" : `${found.length} rules broken`}`,
  );
  if (found.length > 0) process.exitCode = 1;
}
