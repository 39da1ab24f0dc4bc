import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import type { HistoryEntry, HistoryStore } from "@agent-history/core";
import { workerHistoryFilter } from "@agent-history/filters";
import { memoryStore } from "@agent-history/store-kit";
import { redisStore } from "@agent-history/store-redis";
import { sqliteStore } from "@agent-history/store-sqlite";
import { createClient } from "redis";

import { findRedisProgram } from "../../../../packages/store-redis/test-support/servers/find-redis-program.ts";
import { startRedisServer } from "../../../../packages/store-redis/test-support/servers/start-redis-server.ts";
import { peerStores } from "../systems/all-systems.ts";
import { VIEWER } from "./agent-thread.ts";

/** Where histories are kept. */
export type Backend = "memory" | "Redis" | "SQLite";

/** Something that keeps histories. */
export interface StoreSystem {
  readonly name: string;
  readonly backend: Backend;
  /** What it does not do. */
  readonly leavesOut: string;
  /** Opens a thread of its own. Not measured. */
  open(thread: string): Promise<OpenThread>;
}

/** One history in the hands of one store. */
export interface OpenThread {
  /** Adds entries, each in the store's own form, and waits until they are acknowledged. */
  append(entries: readonly HistoryEntry[]): Promise<unknown>;
  /** Reads the newest entries. */
  tail(count: number): Promise<readonly unknown[]>;
  /** Reads what one worker sees of the running turn; everything, where the store knows no other way. */
  workerView(): Promise<readonly unknown[]>;
  close(): Promise<unknown>;
}

/** A folder and, where this machine has one, a server of Redis, both of their own. */
export interface StorePlaces {
  /** Redis is missing where the machine has none. */
  readonly backends: readonly Backend[];
  /** Opens a store of ours, and returns what closes it and its client. */
  readonly openOwn: (
    backend: Backend,
  ) => Promise<{ readonly store: HistoryStore; readonly close: () => Promise<unknown> }>;
  /** What others offer, and bare commands. */
  readonly others: readonly StoreSystem[];
}

/** Runs some work with them, and removes both. */
export async function withStores<Result>(
  withPeers: boolean,
  work: (places: StorePlaces) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "agent-history-stores-"));
  const path = join(folder, "own.db");
  const bare = bareSqlite(join(folder, "bare.db"));
  const openLocal = async (backend: Backend) => {
    const store = backend === "memory" ? memoryStore() : sqliteStore({ path });
    return { store, close: async () => store.close() };
  };
  try {
    if ((await findRedisProgram()).kind === "none")
      return await work({ backends: ["memory", "SQLite"], openOwn: openLocal, others: [bare] });
    await using server = await startRedisServer();
    const { url } = server;
    return await work({
      backends: ["memory", "SQLite", "Redis"],
      openOwn: async (backend) => {
        if (backend !== "Redis") return openLocal(backend);
        const client = createClient({ url });
        await client.connect();
        const store = redisStore({ client, namespace: "benchmark" });
        return { store, close: async () => store.close().then(() => client.close()) };
      },
      others: [bare, bareRedis(url), ...(withPeers ? await peerStores(url) : [])],
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Ours in Redis or in a file of SQLite. */
export function ownStore(
  backend: "Redis" | "SQLite",
  openOwn: StorePlaces["openOwn"],
): StoreSystem {
  const view = workerHistoryFilter().query({ agentId: VIEWER });
  return {
    name: backend === "Redis" ? "store-redis" : "store-sqlite",
    backend,
    leavesOut: "–",
    open: async (thread) => {
      const { store, close } = await openOwn(backend);
      return {
        append: (entries) => store.append(thread, entries),
        tail: async (count) => {
          const query = { clauses: [{}], maxEntries: count };
          return (await store.read(thread, { query })).entries;
        },
        workerView: async () => (await store.read(thread, { query: view })).entries,
        close,
      };
    },
  };
}

/** Bare commands: XADD of each entry, in one pipeline. It checks nothing and knows no agents. */
function bareRedis(url: string): StoreSystem {
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
        tail: async (count) => rows(count),
        workerView: async () => rows(-1),
        close: async () => database.close(),
      };
    },
  };
}

function parsed(text: unknown): unknown {
  return JSON.parse(String(text));
}
