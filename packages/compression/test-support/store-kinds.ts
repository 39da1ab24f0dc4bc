import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { HistoryStore } from "@agent-history/core";
import { memoryStore } from "@agent-history/store-kit";
import { redisStore } from "@agent-history/store-redis";
import { sqliteStore } from "@agent-history/store-sqlite";
import { createRedisMock } from "js-redis-server";
import { createClient } from "redis";
import { onTestFinished } from "vitest";

/** One kind of store under test. */
export interface StoreKind {
  readonly name: string;
  /** Opens an empty one, and says how to open it again after its process has ended. */
  readonly open: () => Promise<{
    readonly store: HistoryStore;
    readonly restart: () => Promise<HistoryStore>;
  }>;
}

export const storeKinds: readonly StoreKind[] = [
  {
    name: "memory",
    open: async () => {
      const store = memoryStore();
      // It lives as long as its process.
      return { store, restart: async () => store };
    },
  },
  {
    name: "SQLite",
    open: async () => {
      const folder = mkdtempSync(join(tmpdir(), "compactions-"));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      const path = join(folder, "threads.db");
      const store = sqliteStore({ path });
      return {
        store,
        restart: async () => {
          await store.close();
          return sqliteStore({ path });
        },
      };
    },
  },
  {
    name: "Redis",
    open: async () => {
      const server = await createRedisMock({ compatibility: "redis-7.0" });
      const connect = async (): Promise<HistoryStore> => {
        const client = createClient({ url: server.url });
        await client.connect();
        onTestFinished(() => client.destroy());
        return redisStore({ client, namespace: "compactions" });
      };
      onTestFinished(() => server.close());
      const store = await connect();
      return {
        store,
        restart: async () => {
          await store.close();
          return connect();
        },
      };
    },
  },
];
