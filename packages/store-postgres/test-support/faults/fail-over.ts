import type { Client } from "pg";

import { eventually } from "../../../store-redis/test-support/eventually.ts";
import {
  faultsOf,
  tellsOfLoss,
  writeAll,
} from "../../../store-redis/test-support/faults/fail-over.ts";
import type { FaultReport } from "../../../store-redis/test-support/faults/fault-report.ts";
import { startLoad } from "../../../store-redis/test-support/faults/load.ts";
import type { Load } from "../../../store-redis/test-support/faults/load.ts";
import { audit } from "../../../store-redis/test-support/oracle/audit.ts";
import { ledger } from "../../../store-redis/test-support/oracle/ledger.ts";
import { addressOf, openStore } from "../open-store.ts";
import { startPostgresPair } from "../servers/start-postgres-pair.ts";
import { reportOnRows } from "./report-on-rows.ts";

/**
 * Kills the primary under load while its synchronous standby lags, and promotes the standby.
 *
 * Before that, commits that wait for the standby lose their connections: their writes are then visible on the primary only, and the
 * writers send them again. If such a retry returns "already stored" without waiting for the standby, the store acknowledges a write that can be lost.
 */
export async function failOver(options: {
  readonly load: Omit<Load, "batches">;
  /** Number of waiting commits to interrupt. */
  readonly waits: number;
  /** Entries to acknowledge before and after the failover. */
  readonly everyEntries: number;
}): Promise<FaultReport> {
  const { load, waits, everyEntries } = options;
  await using pair = await startPostgresPair(true);
  const address = addressOf(pair.url);
  await using writers = await startLoad(address, load);
  await writers.acknowledgedMore(everyEntries);
  pair.hold();
  const ended = await endWaits(pair.admin, waits);
  await pair.failOver();
  await writers.acknowledgedMore(everyEntries);
  await writers.finish("stop");
  const report = await reportOnRows(address, writers, { failovers: 1, "waits ended": ended });
  // A retry may have read a write that the standby never got: the store then says that this is gone.
  return { ...report, violations: report.violations.filter((one) => one !== "HISTORY_REWOUND") };
}

/** Ends connections whose commits wait for the standby; some of these writes are then sent again. */
async function endWaits(admin: Client, atLeast: number): Promise<number> {
  let ended = 0;
  await eventually(`${atLeast} waits are ended`, async () => {
    const { rowCount } = await admin.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'",
    );
    ended += rowCount ?? 0;
    return ended >= atLeast;
  });
  return ended;
}

/** Kills the primary while an asynchronous standby lags. Writes that had not reached the standby are lost, and a store that saw them must report it. */
export async function failOverToLaggard(options: {
  readonly threads: number;
  /** Batches to each thread before the standby lags, and as many while it lags. */
  readonly batches: number;
}): Promise<FaultReport> {
  const { threads, batches } = options;
  await using pair = await startPostgresPair(false);
  const address = addressOf(pair.url);
  await using writer = await openStore(address);
  await using reader = await openStore(address);
  const book = ledger();
  const names = Array.from({ length: threads }, (_, index) => `thread-${index}`);
  await writeAll(writer.store, { names, book, from: 0, to: batches });
  await pair.hasCaughtUp();
  pair.hold();
  await writeAll(writer.store, { names, book, from: batches, to: 2 * batches });
  for (const name of names) await reader.store.read(name);
  await pair.failOver();
  await using fresh = await openStore(address);
  const found = await audit(fresh.store, book);
  const told = await tellsOfLoss(names, { writer: writer.store, reader: reader.store });
  const figures = { threads, "threads told of": told };
  return { audit: found, figures, violations: faultsOf(found, { replicas: 0, threads, told }) };
}
