import { existsSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

import { killErasures } from "../../testkit/test-support/faults/kill-erasures.ts";
import type { KilledErasures } from "../../testkit/test-support/faults/kill-erasures.ts";
import { sqliteStore } from "../src/sqlite-store.ts";

const COUNT = `SELECT (SELECT count(*) FROM threads WHERE instr(name || head || coalesce(user, ''), $text))
  + (SELECT count(*) FROM rows WHERE instr(text, $text)) + (SELECT count(*) FROM items WHERE instr(key || value, $text)) AS count`;

/** Kills processes during erasures, and searches for leftovers in all rows, and in the bytes of the file and its log after clearing them as the receipt says. */
export async function killInErasures(path: string, kills: number): Promise<KilledErasures> {
  const store = sqliteStore({ path, busyTimeoutMs: 60_000 });
  await store.ping();
  const database = new DatabaseSync(path);
  const killed = await killErasures(
    {
      opener: new URL("open-store.ts", import.meta.url).href,
      address: { path },
      store,
      found: async (text) => Number(database.prepare(COUNT).get({ text })?.["count"]),
      foundInFiles: async (text) => {
        database.exec("VACUUM");
        database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
        return [path, `${path}-wal`]
          .filter((file) => existsSync(file))
          .reduce((sum, file) => sum + readFileSync(file, "latin1").split(text).length - 1, 0);
      },
    },
    kills,
  );
  database.close();
  await store.close();
  const { violations: _, ...figures } = killed;
  process.stdout.write(`${JSON.stringify(figures)}\n`);
  return killed;
}
