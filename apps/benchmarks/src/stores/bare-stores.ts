import { DatabaseSync } from "node:sqlite";

import type { HistoryEntry } from "@agent-history/core";
import { createClient } from "redis";

import type { OpenThread, StoreSystem } from "./store-system.ts";

/** Bare commands: XADD of each entry, in one pipeline. It checks nothing and knows no agents. */
export function bareRedis(url: string): StoreSystem {
  return {
    name: "bare XADD, XREVRANGE",
    backend: "Redis",
    leavesOut: "agents, retries, checks",
    open: async (thread) => {
      const client = createClient({ url });
      await client.connect();
      return {
        append: (entries) =>
          Promise.all(
            entries.map((entry) => client.xAdd(thread, "*", { d: JSON.stringify(entry) })),
          ),
        tail: async (COUNT) => {
          const rows = (await client.xRevRange(thread, "+", "-", { COUNT })) ?? [];
          return rows.map(({ message }) => parsed(message["d"])).toReversed();
        },
        workerView: async () => {
          const rows = (await client.xRange(thread, "-", "+")) ?? [];
          return rows.map(({ message }) => parsed(message["d"]));
        },
        close: () => client.close(),
      };
    },
  };
}

/** Bare statements: one table with two indexes, as many rows in a transaction as are given at once. */
export function bareSqlite(path: string): StoreSystem {
  return {
    name: "bare INSERT, SELECT",
    backend: "SQLite",
    leavesOut: "agents, retries, checks",
    open: async (thread) => bareTable(new DatabaseSync(path), thread),
  };
}

function bareTable(database: DatabaseSync, thread: string): OpenThread {
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  database.exec("CREATE TABLE IF NOT EXISTS log (t TEXT, s INTEGER, id TEXT, d TEXT)");
  database.exec("CREATE UNIQUE INDEX IF NOT EXISTS by_place ON log (t, s)");
  database.exec("CREATE UNIQUE INDEX IF NOT EXISTS by_id ON log (t, id)");
  const insert = database.prepare("INSERT INTO log VALUES (?, ?, ?, ?)");
  const newest = database.prepare("SELECT d FROM log WHERE t = ? ORDER BY s DESC LIMIT ?");
  const all = database.prepare("SELECT d FROM log WHERE t = ? ORDER BY s");
  let index = 0;
  return {
    append: async (entries: readonly HistoryEntry[]) => {
      database.exec("BEGIN IMMEDIATE");
      for (const entry of entries) {
        insert.run(thread, (index += 1), entry.id, JSON.stringify(entry));
      }
      database.exec("COMMIT");
    },
    tail: async (count) =>
      newest
        .all(thread, count)
        .map(({ d }) => parsed(d))
        .toReversed(),
    workerView: async () => all.all(thread).map(({ d }) => parsed(d)),
    close: async () => database.close(),
  };
}

function parsed(text: unknown): unknown {
  return JSON.parse(String(text));
}
