import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";

import { count, milliseconds, timingCell } from "../harness.ts";
import type { Measured, RunOptions } from "../harness.ts";
import { systemNames } from "../systems/all-systems.ts";
import type { FitFigures } from "./fit-process.ts";

const PROCESS = fileURLToPath(new URL("fit-process.ts", import.meta.url));
const PATIENCE_MS = 60_000;
/** A call on ten times the messages is not tried where it took longer than this. */
const LONGEST_CALL_MS = 1000;

/** The speed of one call at a window of 8,000 tokens, each system and length in a process of its own. */
export async function measureFit({ isQuick, withPeers }: RunOptions): Promise<Measured> {
  const names = await systemNames(withPeers);
  const rows: (readonly string[])[] = [];
  const slowest = new Map<string, number>();
  for (const messages of isQuick ? [100, 200] : [1000, 10_000, 100_000]) {
    for (const name of names) {
      const isTooSlow = (slowest.get(name) ?? 0) > LONGEST_CALL_MS;
      const figures = isTooSlow ? undefined : fitApart(name, messages, isQuick);
      slowest.set(name, figures?.again.medianMs ?? Infinity);
      rows.push([count(messages), name, ...cells(figures)]);
    }
  }
  return {
    tables: [
      {
        title: "Speed of a fit",
        note: "Milliseconds of one call at a window of 8,000 tokens. Cold: the first, nothing counted. Again: the same messages, counts cached where the system can, fastest / median. One more turn: four messages later, fastest / median, and the mean, which holds the cuts. Not run: a call on a tenth of the messages took over a second, or the repeats take over a minute. Messages are in the system's own types before the clock starts; what remembers counts has counted new messages before. Peak: growth of the process's memory, in megabytes.",
        head: [
          "messages",
          "system",
          "cold",
          "again",
          "one more turn",
          "mean",
          "peak MB",
          "leaves out",
        ],
        rows,
      },
    ],
  };
}

function fitApart(name: string, messages: number, isQuick: boolean): FitFigures | undefined {
  const args = [PROCESS, name, String(messages), isQuick ? "3" : "100"];
  const { stdout, signal, status, stderr } = spawnSync(process.execPath, args, {
    cwd: tmpdir(),
    encoding: "utf8",
    timeout: PATIENCE_MS,
  });
  if (signal !== null) return undefined;
  if (status !== 0) throw new Error(`${name} on ${messages} messages: ${stderr}`);
  return JSON.parse(stdout);
}

function cells(figures: FitFigures | undefined): readonly string[] {
  if (figures === undefined) return ["not run", "–", "–", "–", "–", "–"];
  const { coldMs, again, turn, peakMb, leavesOut } = figures;
  return [
    milliseconds(coldMs),
    timingCell(again),
    timingCell(turn),
    milliseconds(turn.meanMs),
    peakMb.toFixed(0),
    leavesOut,
  ];
}
