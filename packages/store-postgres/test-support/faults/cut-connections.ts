import { Client } from "pg";

import { eventually } from "../../../store-redis/test-support/eventually.ts";
import type { FaultReport } from "../../../store-redis/test-support/faults/fault-report.ts";
import { startLoad } from "../../../store-redis/test-support/faults/load.ts";
import type { Load } from "../../../store-redis/test-support/faults/load.ts";
import { startCuttingProxy } from "../../../store-redis/test-support/proxies/start-cutting-proxy.ts";
import type {
  CutMoment,
  CuttingProxy,
} from "../../../store-redis/test-support/proxies/start-cutting-proxy.ts";
import { addressOf } from "../open-store.ts";
import { startPostgresServer } from "../servers/start-postgres-server.ts";
import { reportOnRows } from "./report-on-rows.ts";

/** How calls of the writers are interrupted: the server ends their connections or their statements, or a proxy alternately cuts before and after execution. */
export type CutKind = "terminate" | "cancel" | "proxy";

const ENDINGS = { terminate: "pg_terminate_backend", cancel: "pg_cancel_backend" } as const;

/** Repeatedly interrupts calls of the writers. */
export async function cutConnections(options: {
  readonly by: CutKind;
  /** Number of cuts. Each hits at least one connection or statement. */
  readonly cuts: number;
  /** Entries to acknowledge before the first cut, between two cuts, and after the last one. */
  readonly everyEntries: number;
  readonly load: Omit<Load, "batches">;
}): Promise<FaultReport> {
  const { by, cuts, everyEntries, load } = options;
  await using server = await startPostgresServer();
  await using proxy = await startCuttingProxy(server.port);
  const direct = addressOf(server.url);
  const port = by === "proxy" ? proxy.port : server.port;
  const address = { ...direct, url: server.url.replace(`:${server.port}`, `:${port}`) };
  const admin = new Client(server.url);
  await admin.connect();
  await using writers = await startLoad(address, load);
  let ended = 0;
  try {
    for (let cut = 0; cut < cuts; cut += 1) {
      await writers.acknowledgedMore(everyEntries);
      if (by === "proxy") await cutByProxy(proxy, cut % 2 === 0 ? "before" : "after");
      else ended += await endCalls(admin, by);
    }
    await writers.acknowledgedMore(everyEntries);
    await writers.finish("stop");
  } finally {
    await admin.end();
  }
  const { before, after } = proxy.cuts;
  return await reportOnRows(direct, writers, by === "proxy" ? { before, after } : { ended });
}

/** Repeats until a call is hit, as writers may be between two statements. */
async function endCalls(admin: Client, by: "terminate" | "cancel"): Promise<number> {
  let ended = 0;
  await eventually("a statement is ended", async () => {
    const { rowCount } = await admin.query(
      `SELECT ${ENDINGS[by]}(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend' AND state = 'active'`,
    );
    ended = rowCount ?? 0;
    return ended > 0;
  });
  return ended;
}

async function cutByProxy(proxy: CuttingProxy, moment: CutMoment): Promise<void> {
  const before = proxy.cuts[moment];
  await eventually(`a connection is cut ${moment} execution`, () => {
    if (proxy.cuts[moment] > before) return true;
    proxy.cut(moment, ".commit_thread(");
    return false;
  });
}
