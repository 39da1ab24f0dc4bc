import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import type { HistoryEntry, HistoryStore } from "@agent-history/core";
import { workerHistoryFilter } from "@agent-history/filters";
import { createHistoryManager } from "@agent-history/history-manager";
import { createReducer } from "@agent-history/reducer";
import { redisStore } from "@agent-history/store-redis";
import { sqliteStore } from "@agent-history/store-sqlite";
import { tiktokenCounter } from "@agent-history/tokens";
import { createClient } from "redis";

import { findRedisProgram } from "../../../../packages/store-redis/test-support/servers/find-redis-program.ts";
import { startRedisServer } from "../../../../packages/store-redis/test-support/servers/start-redis-server.ts";
import { loadPeers } from "../systems/all-systems.ts";

/** What is read where nothing is fitted: about what a window of 32,000 tokens holds. */
export const NEWEST = 400;

/** Something that keeps histories. */
export interface StoreSystem {
  readonly name: string;
  readonly backend: "Redis" | "SQLite";
  /** What it does not do. */
  readonly leavesOut: string;
  /** Opens a thread of its own. Not measured. */
  open(thread: string): Promise<OpenThread>;
}

/** One history in the hands of one store. */
export interface OpenThread {
  /** Adds entries, each in the store's own form, and waits until they are acknowledged. */
  append(entries: readonly HistoryEntry[]): Promise<unknown>;
  /** Reads what the next model call is made of. */
  prompt(): Promise<unknown>;
  /** Reads what one worker sees of the running turn; everything, where the store knows no other way. */
  workerView(): Promise<readonly unknown[]>;
  close(): Promise<unknown>;
}

/** Runs some work with stores in a folder and, where this machine has one, on a server of Redis, and removes both. */
export async function withStores<Result>(
  withPeers: boolean,
  work: (stores: readonly StoreSystem[]) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "agent-history-stores-"));
  const sqlite = [
    ownStore("SQLite", async () => sqliteStore({ path: join(folder, "own.db") })),
    bareSqlite(join(folder, "bare.db")),
  ];
  try {
    if ((await findRedisProgram()).kind === "none") return await work(sqlite);
    await using server = await startRedisServer();
    const { url } = server;
    const client = await openClient(url);
    const own = ownStore("Redis", async () => redisStore({ client, namespace: "benchmark" }));
    const peers = withPeers ? await (await loadPeers()).loadStores({ url, newest: NEWEST }) : [];
    const result = await work([own, bareRedis(client), ...peers, ...sqlite]);
    await client.close();
    return result;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function openClient(url: string) {
  return createClient({ url }).connect();
}

function ownStore(
  backend: StoreSystem["backend"],
  openStore: () => Promise<HistoryStore>,
): StoreSystem {
  const view = workerHistoryFilter().query({ agentId: "worker-search" });
  return {
    name: `agent-history, store-${backend.toLowerCase()}`,
    backend,
    leavesOut: "–",
    open: async (threadId) => {
      const store = await openStore();
      const counter = tiktokenCounter({ encoding: "o200k_base" });
      const reducer = createReducer({ counter });
      const window = { contextTokens: 32_000 };
      const manager = createHistoryManager({ store, threadId, counter, reducer, window });
      return {
        append: (entries) => manager.append(entries),
        prompt: () => manager.historyForModelCall({ systemMessage: "You answer." }),
        workerView: async () => (await store.read(threadId, { query: view })).entries,
        close: async () => store.close(),
      };
    },
  };
}

/** Bare commands: XADD of each entry, in one pipeline. It checks nothing and knows no agents. */
function bareRedis(client: Awaited<ReturnType<typeof openClient>>): StoreSystem {
  return {
    name: "bare XADD, XREVRANGE",
    backend: "Redis",
    leavesOut: "agents, retries, checks",
    open: async (thread) => ({
      append: (entries) =>
        Promise.all(entries.map((entry) => client.xAdd(thread, "*", { d: JSON.stringify(entry) }))),
      prompt: async () => {
        const rows = (await client.xRevRange(thread, "+", "-", { COUNT: NEWEST })) ?? [];
        return rows.map(({ message }) => parsed(message["d"])).toReversed();
      },
      workerView: async () => {
        const rows = (await client.xRange(thread, "-", "+")) ?? [];
        return rows.map(({ message }) => parsed(message["d"]));
      },
      close: async () => undefined,
    }),
  };
}

/** Bare statements: one table with two indexes, as many rows in a transaction as are given at once. */
function bareSqlite(path: string): StoreSystem {
  return {
    name: "bare INSERT, SELECT",
    backend: "SQLite",
    leavesOut: "agents, retries, checks",
    open: async (thread) => {
      const database = new DatabaseSync(path);
      database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
      database.exec("CREATE TABLE IF NOT EXISTS log (t TEXT, s INTEGER, id TEXT, d TEXT)");
      database.exec("CREATE UNIQUE INDEX IF NOT EXISTS by_place ON log (t, s)");
      database.exec("CREATE UNIQUE INDEX IF NOT EXISTS by_id ON log (t, id)");
      const insert = database.prepare("INSERT INTO log VALUES (?, ?, ?, ?)");
      const newest = database.prepare("SELECT d FROM log WHERE t = ? ORDER BY s DESC LIMIT ?");
      const rows = (count: number): readonly unknown[] =>
        newest
          .all(thread, count)
          .map(({ d }) => parsed(d))
          .toReversed();
      let index = 0;
      return {
        append: async (entries) => {
          database.exec("BEGIN IMMEDIATE");
          for (const entry of entries)
            insert.run(thread, (index += 1), entry.id, JSON.stringify(entry));
          database.exec("COMMIT");
        },
        prompt: async () => rows(NEWEST),
        workerView: async () => rows(-1),
        close: async () => database.close(),
      };
    },
  };
}

function parsed(text: unknown): unknown {
  return JSON.parse(String(text));
}
