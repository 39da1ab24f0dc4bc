import type { HistoryStore } from "@agent-history/core";
import { workerHistoryFilter } from "@agent-history/filters";
import { memoryStore } from "@agent-history/store-kit";
import { redisStore } from "@agent-history/store-redis";
import { sqliteStore } from "@agent-history/store-sqlite";
import { createClient } from "redis";

import { VIEWER } from "./agent-thread.ts";
import type { OpenThread, StoreSystem } from "./store-system.ts";

/** Opens a store of ours, and returns what closes it and its client. */
export async function openOwn(
  backend: StoreSystem["backend"],
  { path, url }: { readonly path: string; readonly url: string },
): Promise<{ readonly store: HistoryStore; readonly close: () => Promise<unknown> }> {
  if (backend === "Redis") {
    const client = createClient({ url });
    await client.connect();
    const store = redisStore({ client, namespace: "benchmark" });
    return { store, close: async () => store.close().then(() => client.close()) };
  }
  const store = backend === "memory" ? memoryStore() : sqliteStore({ path });
  return { store, close: async () => store.close() };
}

/** Ours in Redis or in a file of SQLite. */
export function ownStore(
  backend: "Redis" | "SQLite",
  at: { readonly path: string; readonly url: string },
): StoreSystem {
  return {
    name: backend === "Redis" ? "store-redis" : "store-sqlite",
    backend,
    leavesOut: "–",
    open: async (thread) => {
      const { store, close } = await openOwn(backend, at);
      return { ...openThread(store, thread), close };
    },
  };
}

function openThread(store: HistoryStore, thread: string): Omit<OpenThread, "close"> {
  const view = workerHistoryFilter().query({ agentId: VIEWER });
  return {
    append: (entries) => store.append(thread, entries),
    tail: async (count) => {
      const query = { clauses: [{}], maxEntries: count };
      return (await store.read(thread, { query })).entries;
    },
    workerView: async () => (await store.read(thread, { query: view })).entries,
  };
}
