import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { findRedisProgram } from "../../../../packages/store-redis/test-support/servers/find-redis-program.ts";
import { startRedisServer } from "../../../../packages/store-redis/test-support/servers/start-redis-server.ts";
import { peerStores } from "../systems/all-systems.ts";
import { bareRedis, bareSqlite } from "./bare-stores.ts";
import type { StoreSystem } from "./store-system.ts";

/** A folder and, where this machine has one, a server of Redis, both of their own. */
export interface StorePlaces {
  readonly path: (name: string) => string;
  readonly url: string | undefined;
  /** What others offer, and bare commands, by backend. */
  readonly others: Readonly<Record<"Redis" | "SQLite", readonly StoreSystem[]>>;
}

/** Runs some work with them, and removes both. */
export async function withStores<Result>(
  withPeers: boolean,
  work: (places: StorePlaces) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "agent-history-stores-"));
  const path = (name: string): string => join(folder, `${name}.db`);
  const SQLite = [bareSqlite(path("bare"))];
  try {
    if ((await findRedisProgram()).kind === "none") {
      return await work({ path, url: undefined, others: { Redis: [], SQLite } });
    }
    await using server = await startRedisServer();
    const { url } = server;
    const peers = withPeers ? await peerStores(url) : [];
    return await work({ path, url, others: { Redis: [bareRedis(url), ...peers], SQLite } });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
