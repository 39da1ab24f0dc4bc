import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";

import { HistoryError } from "@agent-history/core";

import { asHistoryError } from "./sqlite-failure.ts";

/** A SQLite file, opened by the first access. Transactions are synchronous: none is open across an `await`. */
export interface SqliteFile {
  /** Runs `work` in a read transaction, which sees one state of the file. */
  read<Result>(work: (sql: Sql) => Result): Result;
  /** Runs `work` in a write transaction, of which one runs at a time; rolls back if it returns false or throws. */
  write(work: (sql: Sql) => boolean): boolean;
  /** Copies a consistent snapshot to a new file. */
  copyTo(path: string): void;
  /** Moves the write-ahead log into the file and empties it; false if another connection still reads it, or the disk is full. */
  checkpoint(): boolean;
  close(): void;
}

/** Runs a statement within the current transaction. */
export type Sql = (text: string, ...values: SQLInputValue[]) => readonly SqlRow[];
export type SqlRow = Readonly<Record<string, SQLOutputValue>>;

/** Options of `sqliteFile`. */
interface FileOptions {
  readonly path: string;
  readonly survivesPowerLoss: boolean;
  readonly open: (path: string) => DatabaseSync;
}

/** How long SQLite itself waits for a lock, in milliseconds. This blocks the process; the store does longer waits by retries. */
const SQLITE_WAIT_MS = 20;
/** Identifies files of this package: "ahis". */
const APPLICATION_ID = 0x61_68_69_73;

/**
 * The tables of a file. One table stores the rows of all threads, ordered by `thread * 2^28 + position`. Names and keys are escaped as in JSON, because SQLite's text ends at a NUL and cannot
 * contain lone surrogates.
 *
 * @internal Exported for its test.
 */
export const TABLES = `
CREATE TABLE threads (
  thread INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, stamp INTEGER NOT NULL, head TEXT NOT NULL,
  user TEXT, updated INTEGER
);
CREATE INDEX threads_updated ON threads (updated DESC, name) WHERE updated IS NOT NULL;
CREATE INDEX threads_user ON threads (user, updated DESC, name) WHERE user IS NOT NULL;
CREATE TABLE rows (place INTEGER PRIMARY KEY, lane TEXT, text TEXT NOT NULL);
CREATE INDEX rows_lane ON rows (lane) WHERE lane IS NOT NULL;
CREATE TABLE items (
  thread INTEGER NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY (thread, kind, key)
) WITHOUT ROWID;
`;

/** Makes a handle on a file, without opening it. */
export function sqliteFile(options: FileOptions): SqliteFile {
  const { path } = options;
  let opened: { readonly database: DatabaseSync; readonly sql: Sql } | undefined;
  let requireInPlace: (() => void) | undefined;

  function present() {
    if (opened === undefined) {
      const database = openDatabase(options);
      opened = { database, sql: sqlOf(database) };
      if (path !== ":memory:") requireInPlace = placeOf(path);
    }
    return opened;
  }

  function transact<Result>(begin: string, work: (sql: Sql) => Result): Result {
    const { database, sql } = present();
    if (begin !== "BEGIN") requireInPlace?.();
    let isCommit = false;
    try {
      sql(begin);
      const result = work(sql);
      isCommit = true;
      sql(result === false ? "ROLLBACK" : "COMMIT");
      return result;
    } catch (error) {
      rollBack(database);
      throw asHistoryError(error, isCommit ? "commit" : "work");
    }
  }

  return {
    read: (work) => transact("BEGIN", work),
    write: (work) => transact("BEGIN IMMEDIATE", work),
    copyTo: (copy) => copyDatabase(present().database, copy),
    checkpoint: () => {
      try {
        const [row] = present().database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all();
        return row?.["busy"] === 0;
      } catch {
        return false;
      }
    },
    close: () => {
      opened?.database.close();
      opened = undefined;
    },
  };
}

/** Makes a function that runs statements; each is prepared once. */
function sqlOf(database: DatabaseSync): Sql {
  const statements = new Map<string, ReturnType<DatabaseSync["prepare"]>>();
  return (text, ...values) => {
    const statement = statements.get(text) ?? database.prepare(text);
    statements.set(text, statement);
    return statement.all(...values);
  };
}

/** Opens a file and migrates it to the version of this release. */
function openDatabase({ path, survivesPowerLoss, open }: FileOptions): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = open(path);
    database.exec(`PRAGMA busy_timeout = ${SQLITE_WAIT_MS}`);
    migrate(database, [TABLES]);
    database.exec("PRAGMA journal_mode = WAL");
    database.exec(`PRAGMA synchronous = ${survivesPowerLoss ? "FULL" : "NORMAL"}`);
    // Overwrites deleted content, so that an erasure leaves nothing in free pages.
    database.exec("PRAGMA secure_delete = ON");
    return database;
  } catch (error) {
    database?.close();
    throw asHistoryError(error, "open");
  }
}

/**
 * Applies the missing migrations in one transaction. Each leads from one version to the next, the first from an empty file.
 *
 * @internal Exported for its test.
 */
export function migrate(database: DatabaseSync, migrations: readonly string[]): void {
  const valueOf = (name: string): unknown => database.prepare(`PRAGMA ${name}`).get()?.[name];
  const isOurs = (): boolean => valueOf("application_id") === APPLICATION_ID;
  if (valueOf("user_version") === migrations.length && isOurs()) return;
  database.exec("BEGIN IMMEDIATE");
  try {
    const version = Number(valueOf("user_version"));
    const isEmpty = database.prepare("SELECT 1 FROM sqlite_master LIMIT 1").get() === undefined;
    if (!isOurs() && !isEmpty)
      throw refused(
        "not-a-history",
        "Expected an empty file, or one that this package created; this database belongs to another program. Choose another path.",
      );
    if (version > migrations.length)
      throw new HistoryError(
        `Expected a file of version ${migrations.length} or older; this one is of version ${version}. Open it with a newer release of @agent-history/store-sqlite.`,
        { code: "UNKNOWN_VERSION", details: { version } },
      );
    for (const migration of migrations.slice(version)) database.exec(migration);
    database.exec(`PRAGMA user_version = ${migrations.length}`);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    database.exec("COMMIT");
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

/** Rolls back a failed transaction, unless the failure already ended it. */
function rollBack(database: DatabaseSync): void {
  if (database.isTransaction) database.exec("ROLLBACK");
}

/** Remembers the identity of the open file and its `-wal`. The returned function throws if the path now refers to another file, or to none. */
function placeOf(path: string): () => void {
  const file = identityOf(path);
  let log = identityOf(`${path}-wal`);
  return () => {
    // The first write creates the `-wal` file, which exists as long as the file is open.
    log ??= identityOf(`${path}-wal`);
    const isMoved = log !== undefined && identityOf(`${path}-wal`) !== log;
    if (!isMoved && identityOf(path) === file) return;
    throw refused(
      "file-replaced",
      "The file was removed or replaced while it was open. Nothing was written. Close this store and open another.",
    );
  };
}

/** Device and inode; `undefined` if the file does not exist. */
function identityOf(path: string): string | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev} ${stats.ino}`;
}

function refused(reason: string, message: string): HistoryError {
  const details = { outcome: "not-sent", reason };
  return new HistoryError(message, { code: "STORE_UNAVAILABLE", details });
}

/** Copies a database to a new file. The copy is renamed to `path` once it is complete and synced to disk. */
function copyDatabase(database: DatabaseSync, path: unknown): void {
  if (typeof path !== "string" || path === "" || path.startsWith(":") || existsSync(path)) {
    throw new HistoryError(
      "Expected `path` to name a file that does not exist yet. Nothing was written.",
      { code: "INVALID_OPTION", details: { option: "path" } },
    );
  }
  const partial = `${path}.partial-${crypto.randomUUID()}`;
  try {
    database.prepare("VACUUM INTO ?").run(partial);
    const file = openSync(partial, "r+");
    fsyncSync(file);
    closeSync(file);
    renameSync(partial, path);
  } catch (error) {
    rmSync(partial, { force: true });
    throw asHistoryError(error, "open");
  }
}
