import { setTimeout as wait } from "node:timers/promises";

import { isHistoryError } from "@agent-history/core";
import type { HistoryEntry, HistoryStore } from "@agent-history/core";

import { openAnyStore } from "../open-any-store.ts";
import { batchOf } from "../oracle/batch-of.ts";
import type { SentBatch } from "../oracle/ledger.ts";
import type { WriterOrders, WriterReport } from "./writer-orders.ts";

/** Runs in a process of its own: writes batches and reports every answer at once. */

const orders: WriterOrders = JSON.parse(process.argv[2] ?? "");
const versions = new Map<string, number>();
const READ_EVERY = 10;
let isStopping = false;

const isTold = new Promise<void>((resolve) => {
  process.on("message", (message) => {
    if (message === "stop") isStopping = true;
    resolve();
  });
});
// Nobody is left to report to.
process.on("disconnect", () => process.exit(1));

const { store, close } = await openAnyStore(orders.address);
report({ kind: "ready" });
await isTold;
const lanes = Array.from({ length: orders.lanes }, (_, lane) => `${orders.writer}-${lane}`);
await Promise.all(
  orders.threads.flatMap((thread) => lanes.map((writer) => writeTo(store, thread, writer))),
);
await close();
report({ kind: "done" });
process.disconnect();
process.exit(0);

async function writeTo(to: HistoryStore, thread: string, writer: string): Promise<void> {
  const { batchSize: size, entryBytes, batches = Infinity } = orders;
  for (let batch = 0; batch < batches && !isToldToStop(); batch += 1) {
    const line = { thread, writer, batch, size };
    const entries = batchOf(writer, batch, size, entryBytes);
    report({ kind: "sent", line });
    const failures: string[] = [];
    while (!(await isTaken(to, { line, entries, failures }))) {
      // What a server never took before the end has no outcome.
      if (isToldToStop()) return;
    }
    if (batch % READ_EVERY === 0) await readOwn(to, line);
  }
}

/** A batch on its way. */
interface Sending {
  readonly line: SentBatch;
  readonly entries: readonly HistoryEntry[];
  /** What the store has answered so far. */
  readonly failures: string[];
}

/** Sends a batch; the same ids, however often. */
async function isTaken(to: HistoryStore, { line, entries, failures }: Sending): Promise<boolean> {
  const expected = versions.get(line.thread) ?? 0;
  const options = orders.comparesVersions === true ? { expectedVersion: expected } : {};
  try {
    const { duplicate, version } = await to.append(line.thread, entries, options);
    versions.set(line.thread, version);
    report({ kind: duplicate ? "duplicate" : "acknowledged", line });
    if (duplicate && failures.length > 0 && !failures.includes("OUTCOME_UNKNOWN")) {
      report({ kind: "failed", code: "MISLEADING", message: `written, after ${failures.join()}` });
    }
    if (orders.comparesVersions === true && !duplicate && version !== expected + line.size) {
      report({ kind: "failed", code: "WRONG_VERSION", message: `${expected} became ${version}` });
    }
    return true;
  } catch (error) {
    if (isHistoryError(error, "VERSION_CONFLICT")) {
      versions.set(line.thread, Number(error.details["actual"]));
      report({ kind: "conflict" });
      return false;
    }
    report(failure(error));
    if (isHistoryError(error)) failures.push(error.code);
    // What is not to pass by itself is for the report; this writer is done.
    if (!isPassing(error)) isStopping = true;
    await wait(20);
    return false;
  }
}

/** What was acknowledged is there for the writer's own next read. */
async function readOwn(
  from: HistoryStore,
  { thread, writer, batch, size }: SentBatch,
): Promise<void> {
  const before = `${writer}.${batch}.0.${size}`;
  const query = { clauses: [{}], after: before, maxEntries: 1 };
  try {
    await from.read(thread, { query });
  } catch (error) {
    report(failure(error));
  }
}

function isPassing(error: unknown): boolean {
  return isHistoryError(error, "OUTCOME_UNKNOWN") || isHistoryError(error, "STORE_UNAVAILABLE");
}

function isToldToStop(): boolean {
  return isStopping;
}

function failure(error: unknown): WriterReport {
  if (!isHistoryError(error))
    return { kind: "failed", code: "NO_HISTORY_ERROR", message: String(error) };
  const { code, details, message } = error;
  const outcome = details["outcome"];
  return {
    kind: "failed",
    code,
    message,
    ...(outcome !== undefined && { outcome: String(outcome) }),
  };
}

function report(said: WriterReport): void {
  // Where nobody listens any more, this process ends by `disconnect`.
  process.send?.(said, undefined, undefined, () => undefined);
}
