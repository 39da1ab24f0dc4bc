import type { FaultReport } from "../../../store-redis/test-support/faults/fault-report.ts";
import { startLoad } from "../../../store-redis/test-support/faults/load.ts";
import type { Load } from "../../../store-redis/test-support/faults/load.ts";
import { addressOf } from "../open-store.ts";
import type { Isolation } from "../open-store.ts";
import { startPgbouncer } from "../servers/start-pgbouncer.ts";
import { startPostgresServer } from "../servers/start-postgres-server.ts";
import { reportOnRows } from "./report-on-rows.ts";

/** Processes write to the same threads concurrently, under an isolation level, or through PgBouncer in transaction mode. */
export async function writeAtOnce(options: {
  readonly by: Isolation | "pgbouncer";
  readonly load: Load;
}): Promise<FaultReport> {
  const { by, load } = options;
  await using server = await startPostgresServer();
  const direct = addressOf(server.url);
  if (by !== "pgbouncer") {
    const address = { ...direct, isolation: by };
    await using writers = await startLoad(address, load);
    await writers.finish();
    return await reportOnRows(address, writers, {});
  }
  await using bouncer = await startPgbouncer(server.port);
  await using writers = await startLoad(addressOf(bouncer.url), load);
  await writers.finish();
  return await reportOnRows(direct, writers, { connections: bouncer.connections });
}
