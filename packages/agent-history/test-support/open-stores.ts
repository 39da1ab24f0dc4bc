import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { HistoryStore } from "@agent-history/core";
import { PGlite } from "@electric-sql/pglite";
import { createClient } from "redis";

import { startJsRedisServer } from "../../store-redis/test-support/servers/start-js-redis-server.ts";
import { memoryStore } from "../src/index.ts";
import { postgresStore } from "../src/store-postgres.ts";
import { redisStore } from "../src/store-redis.ts";
import { sqliteStore } from "../src/store-sqlite.ts";

/** Opens handles to one store, as several processes do, and closes everything. */
export const stores: Readonly<Record<string, () => Promise<OpenStores>>> = {
  memory: async () => {
    const store = memoryStore();
    return { open: () => store, close: async () => undefined };
  },
  SQLite: async () => {
    const folder = mkdtempSync(join(tmpdir(), "agent-history-chats-"));
    return {
      open: () => sqliteStore({ path: join(folder, "chats.db") }),
      close: async () => rmSync(folder, { recursive: true }),
    };
  },
  Redis: async () => {
    const given = process.env["REDIS_URL"];
    const server = given === undefined ? await startJsRedisServer() : undefined;
    const client = createClient({ url: given ?? server?.url ?? "" });
    await client.connect();
    const namespace = `agent-history-test-${randomUUID()}`;
    return {
      open: () => redisStore({ client, namespace, ttlMs: 60_000 }),
      close: async () => {
        await client.close();
        await server?.stop();
      },
    };
  },
  Postgres: async () => {
    const client = await PGlite.create();
    return { open: () => postgresStore({ client }), close: async () => client.close() };
  },
};

/** Handles to one store, and its end. */
export interface OpenStores {
  readonly open: () => HistoryStore;
  readonly close: () => Promise<unknown>;
}
