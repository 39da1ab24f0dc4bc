import { countOption, HistoryError } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";

import { connect } from "./internal/connection.ts";
import { loadSqlite } from "./internal/load-sqlite.ts";
import { openDatabase } from "./internal/open-database.ts";
import { storeOver } from "./internal/store-over.ts";

/** How a file of threads is kept. */
export interface SqliteStoreOptions {
  /** The file; its folder must be there. `:memory:` keeps nothing beyond this handle. */
  readonly path: string;
  /**
   * Waits at each write until the disk has it (`synchronous = FULL`). Default `false`: a crash of the process loses nothing, a loss of power may
   * cost the newest writes, whole batches of them, and never damages the file.
   */
  readonly survivesPowerLoss?: boolean | undefined;
  /**
   * How long a verb waits for another process that holds the file, in milliseconds, before it fails with `STORE_UNAVAILABLE`. Give it more
   * where ten or more processes write. `0` waits no longer than SQLite does by itself (20 ms), `Infinity` without limit. Default 5000.
   */
  readonly busyTimeoutMs?: number | undefined;
}

/** A store in a SQLite file. */
export interface SqliteStore extends HistoryStore {
  /**
   * Copies all threads to a new file, which a store opens like any other: to restore it, close every store on the old file, remove its `-wal` and `-shm`, and rename
   * the copy to its name. The copy is of one moment, has the writes that this handle was called for before, and gets its name once it is whole and on the disk.
   *
   * Others may read and write meanwhile. It blocks this process as long as it takes.
   *
   * @throws `HistoryError` with code `INVALID_OPTION` if `path` is empty or names a file that is there, `STORE_UNAVAILABLE` where nothing could be written.
   */
  backup(path: string, options?: { readonly signal?: AbortSignal }): Promise<void>;
}

/**
 * Makes a store that keeps threads in one SQLite file, through `node:sqlite`: no server, no other package. Several
 * handles and several processes on one machine may use a file at once.
 *
 * The file is opened, and made where it is missing, by the first verb. Reads cost what they show, at any length of the thread. Every call to SQLite blocks the
 * process as long as it takes: tens of microseconds for a view, some milliseconds for the largest batch.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for options that can never work, `STORE_UNAVAILABLE` where this Node has no `node:sqlite`.
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
  const { path, survivesPowerLoss = false } = options;
  if (typeof path !== "string" || path === "") {
    throw new HistoryError("Expected `path` to name a file, or to be `:memory:`.", {
      code: "INVALID_OPTION",
      details: { option: "path" },
    });
  }
  const busyTimeoutMs = countOption("busyTimeoutMs", options.busyTimeoutMs ?? 5000);
  const sqlite = loadSqlite();
  const connection = connect(() => openDatabase(sqlite, { path, survivesPowerLoss }), {
    path,
    survivesPowerLoss,
    busyTimeoutMs,
  });
  return storeOver(connection, { path, survivesPowerLoss });
}
