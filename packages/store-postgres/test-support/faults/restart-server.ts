import type { FaultReport } from "../../../store-redis/test-support/faults/fault-report.ts";
import { startLoad } from "../../../store-redis/test-support/faults/load.ts";
import type { Load } from "../../../store-redis/test-support/faults/load.ts";
import { addressOf } from "../open-store.ts";
import { startPostgresServer } from "../servers/start-postgres-server.ts";
import { reportOnRows } from "./report-on-rows.ts";

/** Repeatedly restarts the server under load, with an orderly shutdown as in an upgrade, which ends all connections. */
export async function restartServer(options: {
  readonly load: Omit<Load, "batches">;
  readonly restarts: number;
  /** Entries to acknowledge before the first restart, between two restarts, and after the last one. */
  readonly everyEntries: number;
}): Promise<FaultReport> {
  const { load, restarts, everyEntries } = options;
  await using server = await startPostgresServer();
  const address = addressOf(server.url);
  await using writers = await startLoad(address, load);
  for (let restart = 0; restart < restarts; restart += 1) {
    await writers.acknowledgedMore(everyEntries);
    await server.stop();
    await server.start();
  }
  await writers.acknowledgedMore(everyEntries);
  await writers.finish("stop");
  return await reportOnRows(address, writers, { restarts });
}
