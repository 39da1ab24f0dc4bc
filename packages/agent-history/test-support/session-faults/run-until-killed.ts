import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

import type { Place } from "./start-place.ts";

/** One life of a client. */
export interface ClientRun {
  /** A program that prints the number of each thing that is acknowledged; the last of its arguments is the first number. */
  readonly script: string;
  readonly args: readonly string[];
  readonly place: Place;
  readonly first: number;
  /** How often its connections are cut before it is killed, in turn before and after a request was carried out; not with SQLite. */
  readonly cuts: number;
  /** How much is acknowledged between two faults. */
  readonly everyItems: number;
  /** Acknowledged items more, so that kills fall into other moments. */
  readonly extra: number;
}

/** Lets a client work until it is killed; returns the number after the last that was acknowledged. */
export async function runUntilKilled(run: ClientRun): Promise<number> {
  const { script, place, first, cuts, everyItems, extra } = run;
  const args = ["--conditions=@agent-history/source", script, ...run.args, String(first)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const last = everyItems * ((place.proxy === undefined ? 0 : cuts) + 1) + (extra % 7);
  let next = first;
  for await (const line of createInterface({ input: child.stdout })) {
    if (Number(line) !== next) throw new Error(`Expected ${next}, got ${line}.`);
    next += 1;
    const done = next - first;
    if (done >= last) child.kill("SIGKILL");
    else if (done % everyItems === 0) {
      place.proxy?.cut((done / everyItems) % 2 === 0 ? "before" : "after");
    }
  }
  await exited;
  if (next - first < last) throw new Error(`The client ended by itself after ${next - first}.`);
  return next;
}
