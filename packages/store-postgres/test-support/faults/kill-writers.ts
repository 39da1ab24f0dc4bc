import type { HistoryStore } from "@agent-history/core";

import type { FaultReport } from "../../../store-redis/test-support/faults/fault-report.ts";
import { startLoad } from "../../../store-redis/test-support/faults/load.ts";
import type { Load } from "../../../store-redis/test-support/faults/load.ts";
import { batchOf } from "../../../store-redis/test-support/oracle/batch-of.ts";
import { ledger } from "../../../store-redis/test-support/oracle/ledger.ts";
import type { Ledger } from "../../../store-redis/test-support/oracle/ledger.ts";
import { addressOf, openStore } from "../open-store.ts";
import { retried } from "../retried.ts";
import { startPostgresServer } from "../servers/start-postgres-server.ts";
import { reportOnRows } from "./report-on-rows.ts";

/** Repeatedly kills all writers during their writes; another process sends the unacknowledged batches again. */
export async function killWriters(options: {
  readonly load: Omit<Load, "batches" | "entryBytes">;
  /** Number of kills. */
  readonly kills: number;
  /** Entries to acknowledge before each kill. */
  readonly everyEntries: number;
}): Promise<FaultReport> {
  const { load, kills, everyEntries } = options;
  await using server = await startPostgresServer();
  const address = addressOf(server.url);
  await using heir = await openStore(address);
  const book = ledger();
  const failures = new Map<string, number>();
  let duplicates = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    // Writers with new names, on the same threads.
    await using writers = await startLoad(address, { ...load, prefix: `${kill}-` });
    await writers.acknowledged(everyEntries);
    writers.kill();
    duplicates += await sendAgain(heir.store, writers.ledger, book);
    for (const [what, count] of writers.failures) {
      failures.set(what, (failures.get(what) ?? 0) + count);
    }
  }
  const all = { ledger: book, failures, duplicates: () => duplicates, conflicts: () => 0 };
  return await reportOnRows(address, all, { kills, writers: kills * load.writers });
}

/** Sends unacknowledged batches again, and records everything in one ledger. Returns how many batches were already stored. */
async function sendAgain(store: HistoryStore, from: Ledger, book: Ledger): Promise<number> {
  let found = 0;
  const lines = from.threads().flatMap((thread) => [...from.batches(thread).values()]);
  for (const { isAcknowledged, ...line } of lines) {
    book.sent(line);
    const { thread, writer, batch, size } = line;
    const entries = batchOf(writer, batch, size);
    const isFound =
      !isAcknowledged && (await retried(() => store.append(thread, entries))).duplicate;
    if (isFound) found += 1;
    book.acknowledged(line);
  }
  return found;
}
