import { flushCompileCache } from "node:module";

import { HistoryError } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";

import { openSessionStore } from "./open-session-store.ts";
import { sessionClients, writeUntilAcknowledged } from "./session-clients.ts";

/**
 * Writes item after item to a session, `node write-to-session.ts SDK STORE ADDRESS FIRST`, and prints the number of each once it is acknowledged, until it
 * is killed. Of every fifth write that is done, the answer is lost.
 */

const [, , sdk = "", kind = "", address = "", first = "0"] = process.argv;
const { store } = await openSessionStore(kind, address);
// Killed, it would keep nothing of it for the next.
flushCompileCache();
const client = sessionClients[sdk]?.(unsure(store));
if (client === undefined) throw new Error(`Expected an SDK, got ${sdk}.`);
for (let number = Number(first); ; number += 1) {
  await writeUntilAcknowledged(client, number);
  await printed(number);
}

/** The next item waits until this number has left the process: else a kill would take numbers that are acknowledged. */
async function printed(number: number): Promise<void> {
  await new Promise((resolve) => process.stdout.write(`${number}\n`, resolve));
}

function unsure(given: HistoryStore): HistoryStore {
  let writes = 0;
  const lose = async <Result>(done: Promise<Result>): Promise<Result> => {
    const result = await done;
    writes += 1;
    if (writes % 5 === 0) throw new HistoryError("lost", { code: "OUTCOME_UNKNOWN" });
    return result;
  };
  return {
    ...given,
    append: (...call) => lose(given.append(...call)),
    replaceSuffix: (...call) => lose(given.replaceSuffix(...call)),
    setState: (...call) => lose(given.setState(...call)),
  };
}
