import type { DatabaseSync } from "node:sqlite";

import { countOption, HistoryError } from "@agent-history/core";
import type { ErasureRemains, HistoryStore, StoreDescription } from "@agent-history/core";
import { threadStore } from "@agent-history/store-kit";
import type { CommonStoreOptions } from "@agent-history/store-kit";

import { sqliteDriver } from "./sqlite-driver.ts";
import { sqliteFile } from "./sqlite-file.ts";
import type { Sql } from "./sqlite-file.ts";

/** Options of `sqliteStore`. */
export interface SqliteStoreOptions extends CommonStoreOptions {
  /** Path of the file; its folder must exist. `:memory:` stores nothing beyond the life of this handle. */
  readonly path: string;
  /**
   * Waits for the disk at each write (`synchronous = FULL`). Default `false`: a crash of the process loses nothing; a power loss may
   * lose the newest batches, but never damages the file.
   */
  readonly survivesPowerLoss?: boolean | undefined;
  /**
   * How long a call waits while another process locks the file, in milliseconds, before it fails with `STORE_UNAVAILABLE`. Increase it
   * if ten or more processes write. `0` waits only as long as SQLite itself (20 ms), `Infinity` without limit. Default 5000.
   */
  readonly busyTimeoutMs?: number | undefined;
}

/** A store in a SQLite file. */
export interface SqliteStore extends HistoryStore {
  /**
   * Copies all threads to a new file, which a store can open like any other. To restore it, close every store on the old file, remove its `-wal` and `-shm`, and rename
   * the copy to its name. The copy is a consistent snapshot that includes all earlier writes called on this handle. It gets its name once it is complete and synced to disk.
   *
   * Other processes can read and write meanwhile. This process is blocked until the copy is done.
   *
   * @throws `HistoryError` with code `INVALID_OPTION` if `path` is empty or the file exists, `STORE_UNAVAILABLE` if the file could not be written.
   */
  backup(path: string, options?: { readonly signal?: AbortSignal }): Promise<void>;
}

/**
 * Makes a store that keeps threads in one SQLite file, through `node:sqlite`: no server, no other package. Several
 * handles and processes on one machine can use the same file.
 *
 * The first call opens the file and creates it if it is missing. The cost of a read depends on what it returns, not on the length of the thread. Every call to SQLite blocks the
 * process: tens of microseconds for a view, some milliseconds for the largest batch.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for options that can never work, `STORE_UNAVAILABLE` if this Node has no `node:sqlite`.
 *
 * @example
 * ```ts
 * import { userMessage } from "@agent-history/core";
 * import { sqliteStore } from "@agent-history/store-sqlite";
 *
 * const store = sqliteStore({ path: ":memory:" });
 * await store.append("thread-1", [userMessage({ id: "u1", content: "Hello" })]);
 * const { entries, version } = await store.read("thread-1");
 * entries.map((entry) => entry.id);
 * // => ["u1"]
 * version;
 * // => 1
 * await store.close();
 * ```
 */
export function sqliteStore(options: SqliteStoreOptions): SqliteStore {
  const { path, survivesPowerLoss = false, busyTimeoutMs = 5000 } = options;
  if (typeof path !== "string" || path === "") {
    throw new HistoryError("Expected `path` to name a file, or to be `:memory:`.", {
      code: "INVALID_OPTION",
      details: { option: "path" },
    });
  }
  const timeoutMs = countOption("busyTimeoutMs", busyTimeoutMs);
  const { DatabaseSync } = loadSqlite();
  const open = (name: string): DatabaseSync => new DatabaseSync(name);
  const file = sqliteFile({ path, survivesPowerLoss, open });
  const store = threadStore(sqliteDriver(file), {
    ...options,
    scope: "@agent-history/store-sqlite",
    system: "sqlite",
    timeoutMs,
    remains: async () => (file.checkpoint() ? [PAGES] : [PAGES, LOG]),
    describe: async () => file.read((sql) => describeFile(sql, path, survivesPowerLoss)),
  });
  return {
    ...store,
    backup: async (to, { signal } = {}) => {
      await store.settled({ signal });
      file.copyTo(to);
    },
  };
}

/** Loads `node:sqlite` and suppresses the warning of Node 22. */
function loadSqlite(): { readonly DatabaseSync: new (path: string) => DatabaseSync } {
  const host: { emitWarning: unknown } = process;
  const { emitWarning } = host;
  host.emitWarning = () => {};
  try {
    const sqlite = process.getBuiltinModule("node:sqlite");
    if (sqlite !== undefined) return sqlite;
  } finally {
    host.emitWarning = emitWarning;
  }
  throw new HistoryError(
    `Expected Node 22.13 or newer, which has node:sqlite; this is Node ${process.version}. Update Node, or use another store.`,
    { code: "STORE_UNAVAILABLE", details: { outcome: "not-sent", reason: "no-node-sqlite" } },
  );
}

/** Deleted content is overwritten, but if SQLite moved it between pages before, a copy may remain in their free space. */
const PAGES: ErasureRemains = {
  where: "free space within pages",
  clear: "VACUUM; PRAGMA wal_checkpoint(TRUNCATE)",
};

/** Remains if other connections still read it. */
const LOG: ErasureRemains = {
  where: "write-ahead log, until no other process reads it and the disk has room",
  clear: "PRAGMA wal_checkpoint(TRUNCATE)",
};

function describeFile(sql: Sql, path: string, survivesPowerLoss: boolean): StoreDescription {
  const pragma = (name: string): string | number => {
    const value = sql(`PRAGMA ${name}`)[0]?.[name];
    return typeof value === "string" || typeof value === "number" ? value : "";
  };
  const [row] = sql("SELECT count(*) AS count FROM threads WHERE updated IS NOT NULL");
  const journalMode = pragma("journal_mode");
  const ofProcess =
    "A crash of the process loses nothing; a crash of the machine may cost the newest writes, whole batches of them.";
  const onDisk =
    "A write that was acknowledged is on the disk: a crash of the process, or of the machine, loses none.";
  const ofFile = survivesPowerLoss ? onDisk : ofProcess;
  return {
    kind: "sqlite",
    durability: journalMode === "memory" ? "Nothing survives the end of the handle." : ofFile,
    details: {
      path,
      sqliteVersion: process.versions["sqlite"] ?? "",
      fileVersion: pragma("user_version"),
      journalMode,
      synchronous: pragma("synchronous"),
      bytes: Number(pragma("page_count")) * Number(pragma("page_size")),
      threads: Number(row?.["count"] ?? 0),
    },
  };
}
