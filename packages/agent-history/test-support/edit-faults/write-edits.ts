import { flushCompileCache } from "node:module";

import { openSessionStore } from "../session-faults/open-session-store.ts";
import { advance, isPassing, perform, threadAfter } from "./edit-script.ts";

/** Appends to a thread, replaces its end and forks it, step after step, `node write-edits.ts STORE ADDRESS FIRST`, and prints the number of each step once it is acknowledged, until it is killed. */

const [, , kind = "", address = "", first = "0"] = process.argv;
const { store } = await openSessionStore(kind, address);
// Killed, it would keep nothing of it for the next.
flushCompileCache();
const thread = threadAfter(Number(first));
for (let number = Number(first); ; number += 1) {
  await performUntilDone(number);
  advance(thread, number);
  // The next step waits until this number has left the process: else a kill would take numbers that are acknowledged.
  await new Promise((resolve) => process.stdout.write(`${number}\n`, resolve));
}

async function performUntilDone(number: number): Promise<void> {
  try {
    await perform(store, thread, number);
  } catch (error) {
    if (!isPassing(error)) throw error;
    await performUntilDone(number);
  }
}
