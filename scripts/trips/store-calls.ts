import type { HistoryStore } from "@agent-history/core";
import { assistantMessage } from "@agent-history/core";
import { memoryStore } from "@agent-history/core/memory-store";
import { workerHistoryFilter } from "@agent-history/filters";
import { sqliteStore } from "@agent-history/store-sqlite";

import { longHistory } from "./long-history.ts";
import type { Trip } from "./trip.ts";

type Open = () => HistoryStore;

/** Writes two entries to the end of a thread. */
const append = (open: Open): Trip => {
  return async () => {
    const store = await opened(open);
    const batch = ["one", "two"].map((id) => assistantMessage({ id, content: "It is done." }));
    return () => store.append("thread", batch);
  };
};

/** Reads what a worker sees of a thread. */
const roleView = (open: Open): Trip => {
  return async () => {
    const store = await opened(open);
    const query = workerHistoryFilter().query({ agentId: "w" });
    return () => store.read("thread", { query });
  };
};

async function opened(open: Open): Promise<HistoryStore> {
  const store = open();
  await store.append("thread", longHistory);
  return store;
}

const memory = (): HistoryStore => memoryStore();
const sqlite = (): HistoryStore => sqliteStore({ path: ":memory:" });

/** What a store does for a call. */
export const storeCalls = {
  appendInMemory: append(memory),
  viewInMemory: roleView(memory),
  appendInSqlite: append(sqlite),
  viewInSqlite: roleView(sqlite),
};
