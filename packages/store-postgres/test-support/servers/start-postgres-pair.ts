import { Client } from "pg";

import { eventually } from "../../../store-redis/test-support/eventually.ts";
import { startFailingOverProxy } from "../../../store-redis/test-support/proxies/start-failing-over-proxy.ts";
import { startPostgresServer } from "./start-postgres-server.ts";

/** A primary and its standby, and an address that leads to whichever of them takes writes. */
export interface PostgresPair extends AsyncDisposable {
  readonly url: string;
  /** Leads to the standby alone, which only reads until it takes over. */
  readonly standbyUrl: string;
  /** Asks the primary. */
  readonly admin: Client;
  /** Waits until the standby has what the primary wrote. */
  readonly hasCaughtUp: () => Promise<void>;
  /** From now on the standby hears nothing, as over a line that is too slow. */
  readonly hold: () => void;
  /** Kills the primary at once and puts the standby in its place. */
  readonly failOver: () => Promise<void>;
}

/**
 * Starts a primary and a standby.
 *
 * @param isSynchronous - Whether a commit is answered only when the standby has it.
 */
export async function startPostgresPair(isSynchronous: boolean): Promise<PostgresPair> {
  await using starting = new AsyncDisposableStack();
  const primary = starting.use(await startPostgresServer());
  // What the standby is told passes here, and lags here.
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
  // Its server is killed.
  client.on("error", () => {});
  await client.connect();
  return client;
}
