import { Client } from "pg";

import { eventually } from "../../../store-redis/test-support/eventually.ts";
import { startFailingOverProxy } from "../../../store-redis/test-support/proxies/start-failing-over-proxy.ts";
import { startPostgresServer } from "./start-postgres-server.ts";

/** A primary and its standby, with an address that always leads to the one that accepts writes. */
export interface PostgresPair extends AsyncDisposable {
  readonly url: string;
  /** Leads to the standby, which is read-only until it is promoted. */
  readonly standbyUrl: string;
  /** A connection to the primary. */
  readonly admin: Client;
  /** Waits until the standby has all writes of the primary. */
  readonly hasCaughtUp: () => Promise<void>;
  /** Stops replication from now on, to simulate a slow connection. */
  readonly hold: () => void;
  /** Kills the primary immediately and promotes the standby. */
  readonly failOver: () => Promise<void>;
}

/**
 * Starts a primary and a standby.
 *
 * @param isSynchronous - Whether a commit is acknowledged only after the standby has it.
 */
export async function startPostgresPair(isSynchronous: boolean): Promise<PostgresPair> {
  await using starting = new AsyncDisposableStack();
  const primary = starting.use(await startPostgresServer());
  // Replication passes through this proxy, which delays it.
  const line = starting.use(await startFailingOverProxy(primary.port));
  await primary.stop();
  const standbyOf = { data: primary.data, port: line.port };
  const standby = starting.use(await startPostgresServer({ standbyOf }));
  await primary.start();
  const entrance = starting.use(await startFailingOverProxy(primary.port));
  const admin = await connect(primary.url);
  starting.defer(() => admin.end());
  if (isSynchronous) {
    await admin.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
    await admin.query("SELECT pg_reload_conf()");
  }
  const holds = async (what: string): Promise<void> =>
    eventually(`the standby: ${what}`, async () => {
      const sql = `SELECT FROM pg_stat_replication WHERE state = 'streaming' AND ${what}`;
      return (await admin.query(sql)).rowCount === 1;
    });
  await holds(`sync_state = '${isSynchronous ? "sync" : "async"}'`);
  const started = starting.move();
  return {
    url: primary.url.replace(`:${primary.port}`, `:${entrance.port}`),
    standbyUrl: standby.url,
    admin,
    hasCaughtUp: () => holds("replay_lsn = pg_current_wal_lsn()"),
    hold: line.hold,
    failOver: async () => {
      await primary.kill9();
      const promoting = await connect(standby.url);
      await promoting.query("SELECT pg_promote()");
      await promoting.end();
      entrance.leadTo(standby.port);
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

async function connect(url: string): Promise<Client> {
  const client = new Client(url);
  // Ignores the error when its server is killed.
  client.on("error", () => {});
  await client.connect();
  return client;
}
