import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { Client } from "pg";

import type { FaultReport } from "../../../store-redis/test-support/faults/fault-report.ts";
import { reportOfErasures } from "../../../store-redis/test-support/faults/kill-in-erasures.ts";
import { killErasures } from "../../../testkit/test-support/faults/kill-erasures.ts";
import { addressOf, openStore } from "../open-store.ts";
import { startPostgresServer } from "../servers/start-postgres-server.ts";

/** Kills processes during erasures, and searches for leftovers in all rows, and in the files of the tables after a vacuum. */
export async function killInErasures({ kills }: { readonly kills: number }): Promise<FaultReport> {
  await using server = await startPostgresServer();
  const address = addressOf(server.url);
  const { schema } = address;
  const { store, close } = await openStore(address);
  const client = new Client({ connectionString: server.url });
  await client.connect();
  const killed = await killErasures(
    {
      opener: new URL("../open-store.ts", import.meta.url).href,
      address,
      store,
      found: async (text) => {
        const count = (table: string): string =>
          `(SELECT count(*) FROM ${schema}.${table} x WHERE position($1 IN x::text) > 0)`;
        const sql = `SELECT ${["threads", "rows", "items"].map(count).join(" + ")} AS count`;
        return Number((await client.query<{ count: string }>(sql, [text])).rows[0]?.count);
      },
      foundInFiles: async (text) => {
        for (const table of ["threads", "rows", "items"])
          await client.query(`VACUUM FULL ANALYZE ${schema}.${table}`);
        await client.query("VACUUM FULL pg_statistic");
        await client.query("CHECKPOINT");
        const base = join(server.data, "base");
        return readdirSync(base, { recursive: true, withFileTypes: true })
          .filter((file) => file.isFile())
          .map((file) => readFileSync(join(file.parentPath, file.name), "latin1"))
          .reduce((sum, bytes) => sum + bytes.split(text).length - 1, 0);
      },
    },
    kills,
  );
  await client.end();
  await close();
  return reportOfErasures(killed);
}
