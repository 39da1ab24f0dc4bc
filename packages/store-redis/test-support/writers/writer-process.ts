import { setTimeout as wait } from "node:timers/promises";

import { isHistoryError } from "@agent-history/core";
import type { HistoryEntry, HistoryStore } from "@agent-history/core";

import { openAnyStore } from "../open-any-store.ts";
import { batchOf } from "../oracle/batch-of.ts";
import type { SentBatch } from "../oracle/ledger.ts";
import type { WriterOrders, WriterReport } from "./writer-orders.ts";

/** Runs in a separate process: writes batches and reports every answer immediately. */

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
// The parent process has ended.
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
      // A batch that was never accepted before the stop has no outcome.
      if (isToldToStop()) return;
    }
    if (batch % READ_EVERY === 0) await readOwn(to, line);
  }
}

/** A batch in flight. */
interface Sending {
  readonly line: SentBatch;
  readonly entries: readonly HistoryEntry[];
  /** Errors of the store so far. */
  readonly failures: string[];
}

/** Sends a batch, with the same ids at each retry. */
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
    // Permanent errors are reported, and this writer stops.
    if (!isPassing(error)) isStopping = true;
    await wait(20);
    return false;
  }
}

/** Checks that the writer's next read contains its acknowledged writes. */
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
  // If the parent process has ended, `disconnect` ends this process.
  process.send?.(said, undefined, undefined, () => undefined);
}
