import type { HistoryStore } from "@agent-history/core";
import { workerHistoryFilter } from "@agent-history/filters";
import { redisStore } from "@agent-history/store-redis";
import { sqliteStore } from "@agent-history/store-sqlite";
import { createClient } from "redis";

import { VIEWER } from "./agent-thread.ts";
import type { OpenThread, StoreSystem } from "./store-system.ts";

/** Ours in Redis. */
export function ownRedis(url: string): StoreSystem {
  return {
    name: "store-redis",
    backend: "Redis",
    readsEverything: false,
    open: async (thread) => {
      const client = createClient({ url });
      await client.connect();
      const opened = openThread(redisStore({ client, namespace: "benchmark" }), thread);
      return { ...opened, close: async () => opened.close().then(() => client.close()) };
    },
  };
}

/** Ours in a file of SQLite. */
export function ownSqlite(path: string): StoreSystem {
  return {
    name: "store-sqlite",
    backend: "SQLite",
    readsEverything: false,
    open: async (thread) => openThread(sqliteStore({ path }), thread),
  };
}

function openThread(store: HistoryStore, thread: string): OpenThread {
  const view = workerHistoryFilter().query({ agentId: VIEWER });
  return {
    append: (entries) => store.append(thread, entries),
    tail: async (count) => {
      const query = { clauses: [{}], maxEntries: count };
      return (await store.read(thread, { query })).entries;
    },
    workerView: async () => (await store.read(thread, { query: view })).entries,
    close: () => store.close(),
  };
}
