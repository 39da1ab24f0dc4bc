import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { killErasures } from "../../../testkit/test-support/faults/kill-erasures.ts";
import type { KilledErasures } from "../../../testkit/test-support/faults/kill-erasures.ts";
import { eventually } from "../eventually.ts";
import { openClient } from "../open-client.ts";
import type { OpenClient } from "../open-client.ts";
import { openStore } from "../open-store.ts";
import { startRedisServer } from "../servers/start-redis-server.ts";
import type { FaultReport } from "./fault-report.ts";

/** Kills processes during erasures, and searches for leftovers in all keys, and in the append-only file after a rewrite. */
export async function killInErasures({ kills }: { readonly kills: number }): Promise<FaultReport> {
  await using server = await startRedisServer({ appendfsync: "everysec" });
  const address = { urls: [server.url], namespace: "t" };
  const opened = await openStore(address);
  const { send, destroy } = await openClient(address);
  await send(["CONFIG", "SET", "aof-use-rdb-preamble", "no", "appendonly", "yes"]);
  const killed = await killErasures(
    {
      opener: new URL("../open-store.ts", import.meta.url).href,
      address,
      store: opened.store,
      found: async (text) => (await allKeys(send)).split(text).length - 1,
      foundInFiles: async (text) => {
        await rewriteAof(send);
        return filesIn(server.dir).reduce(
          (sum, file) => sum + readFileSync(file, "latin1").split(text).length - 1,
          0,
        );
      },
    },
    kills,
  );
  await opened.close();
  destroy();
  return reportOfErasures(killed);
}

/** A report of killed erasures. */
export function reportOfErasures({ violations, writes, ...figures }: KilledErasures): FaultReport {
  const none = { missing: 0, doubled: 0, torn: 0, outOfOrder: 0, foreign: 0, broken: 0 };
  const audit = { ...none, acknowledged: writes, present: writes, unacknowledged: 0 };
  return { audit, figures: { ...figures }, violations };
}

/** Names and values of all keys. */
async function allKeys(send: OpenClient["send"]): Promise<string> {
  const keys: unknown = await send(["KEYS", "*"]);
  const texts = await Promise.all(
    (Array.isArray(keys) ? keys.map(String) : []).map(async (key) => {
      const read = READS[String(await send(["TYPE", key]))];
      return `${key} ${read === undefined ? "" : JSON.stringify(await send(read(key)))}`;
    }),
  );
  return texts.join("\n");
}

const READS: Readonly<Record<string, (key: string) => readonly string[]>> = {
  hash: (key) => ["HGETALL", key],
  list: (key) => ["LRANGE", key, "0", "-1"],
  zset: (key) => ["ZRANGE", key, "0", "-1"],
  string: (key) => ["GET", key],
};

async function rewriteAof(send: OpenClient["send"]): Promise<void> {
  const isRewriting = async (): Promise<boolean> =>
    !/aof_rewrite_in_progress:0[^]*aof_rewrite_scheduled:0/u.test(
      String(await send(["INFO", "persistence"])),
    );
  await eventually("the end of a rewrite", async () => !(await isRewriting()));
  await send(["BGREWRITEAOF"]);
  await eventually("the rewritten file", async () => !(await isRewriting()));
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((file) =>
    file.isFile() ? [join(file.parentPath, file.name)] : [],
  );
}
