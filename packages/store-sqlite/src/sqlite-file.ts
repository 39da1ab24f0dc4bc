import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";

import { HistoryError } from "@agent-history/core";

import { sqlOf, TABLES } from "./sqlite-driver.ts";
import type { Sql } from "./sqlite-driver.ts";
import { asHistoryError } from "./sqlite-failure.ts";

/** A file of threads, opened by the first work on it. Its transactions are synchronous: none is open while anything is awaited. */
export interface SqliteFile {
  /** Sees one state of the file. */
  read<Result>(work: (sql: Sql) => Result): Result;
  /** Is alone in writing. What returns false or throws has written nothing. */
  write(work: (sql: Sql) => boolean): boolean;
  /** Copies the file as one moment has it. */
  copyTo(path: string): void;
  /** Writes the log into the file and empties it; false if somebody still reads it, or there is no room. */
  checkpoint(): boolean;
  close(): void;
}

/** How a file is opened. */
export interface FileOptions {
  readonly path: string;
  readonly survivesPowerLoss: boolean;
  /** Opens the database. */
  readonly open: (path: string) => DatabaseSync;
}

/** How long SQLite itself waits for a lock, in milliseconds. It blocks the process; longer waits are the store's. */
const SQLITE_WAIT_MS = 20;
/** Marks our files: "ahis". */
const APPLICATION_ID = 0x61_68_69_73;
/** What leads from each version of a file to the next; from an empty file to the first. */
const MIGRATIONS: readonly string[] = [TABLES];

interface Opened {
  readonly database: DatabaseSync;
  readonly sql: Sql;
  readonly requireInPlace: () => void;
}

/** Makes a file of threads; nothing is opened yet. */
export function sqliteFile(options: FileOptions): SqliteFile {
  let opened: Opened | undefined;

  function present(): Opened {
    if (opened === undefined) {
      const database = openDatabase(options);
      opened = { database, sql: sqlOf(database), requireInPlace: placeOf(options.path) };
    }
    return opened;
  }

  function transact<Result>(begin: string, work: (sql: Sql) => Result): Result {
    const { database, sql, requireInPlace } = present();
    if (begin !== "BEGIN") requireInPlace();
    let isCommit = false;
    try {
      sql.run(begin);
      const result = work(sql);
      isCommit = true;
      sql.run(result === false ? "ROLLBACK" : "COMMIT");
      return result;
    } catch (error) {
      rollBack(database);
      throw asHistoryError(error, isCommit ? "commit" : "work");
    }
  }

  return {
    read: (work) => transact("BEGIN", work),
    write: (work) => transact("BEGIN IMMEDIATE", work),
    copyTo: (path) => copyDatabase(present().database, path),
    checkpoint: () => {
      try {
        const row = present().database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
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

/** Opens a file and brings it to this release's version. */
function openDatabase({ path, survivesPowerLoss, open }: FileOptions): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = open(path);
    database.exec(`PRAGMA busy_timeout = ${SQLITE_WAIT_MS}`);
    migrate(database, MIGRATIONS);
    database.exec("PRAGMA journal_mode = WAL");
    database.exec(`PRAGMA synchronous = ${survivesPowerLoss ? "FULL" : "NORMAL"}`);
    // What is deleted is overwritten: an erasure leaves nothing in free pages.
    database.exec("PRAGMA secure_delete = ON");
    return database;
  } catch (error) {
    database?.close();
    throw asHistoryError(error, "open");
  }
}

/**
 * Brings a file to the version that the migrations lead to, in one transaction.
 *
 * @internal Exported for its test.
 */
export function migrate(database: DatabaseSync, migrations: readonly string[]): void {
  if (pragma(database, "user_version") === migrations.length && isOurs(database)) return;
  database.exec("BEGIN IMMEDIATE");
  try {
    const version = Number(pragma(database, "user_version"));
    const isEmpty = database.prepare("SELECT 1 FROM sqlite_master LIMIT 1").get() === undefined;
    if (!isOurs(database) && !isEmpty) throw notAHistory();
    if (version > migrations.length) throw newerVersion(version, migrations.length);
    for (const migration of migrations.slice(version)) database.exec(migration);
    database.exec(`PRAGMA user_version = ${migrations.length}`);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    database.exec("COMMIT");
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

function isOurs(database: DatabaseSync): boolean {
  return pragma(database, "application_id") === APPLICATION_ID;
}

function pragma(database: DatabaseSync, name: string): unknown {
  return database.prepare(`PRAGMA ${name}`).get()?.[name];
}

/** Ends a transaction that failed. Some failures have ended it already. */
function rollBack(database: DatabaseSync): void {
  if (database.isTransaction) database.exec("ROLLBACK");
}

/** Remembers which file, and which `-wal` beside it, is open. What it returns throws once the name leads to another file, or to none. */
function placeOf(path: string): () => void {
  if (path === ":memory:") return () => {};
  const file = identityOf(path);
  let log = identityOf(`${path}-wal`);
  return () => {
    // The first write makes the log, which stays as long as the file is open.
    log ??= identityOf(`${path}-wal`);
    const isMoved = log !== undefined && identityOf(`${path}-wal`) !== log;
    if (isMoved || identityOf(path) !== file) throw replaced();
  };
}

/** Device and inode; undefined if there is no file. */
function identityOf(path: string): string | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.dev} ${stats.ino}`;
}

/** Copies a database to a file that is not there, which gets its name once it is whole and on the disk. */
function copyDatabase(database: DatabaseSync, path: unknown): void {
  if (typeof path !== "string" || path === "" || path.startsWith(":"))
    throw invalidPath("Expected `path` to name a file.");
  if (existsSync(path)) throw invalidPath("Expected `path` to name a file that is not there yet.");
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

function invalidPath(message: string): HistoryError {
  return new HistoryError(`${message} Nothing was written.`, {
    code: "INVALID_OPTION",
    details: { option: "path" },
  });
}

function replaced(): HistoryError {
  return new HistoryError(
    "The file was removed or replaced while it was open. Nothing was written. Close this store and open another.",
    { code: "STORE_UNAVAILABLE", details: { outcome: "not-sent", reason: "file-replaced" } },
  );
}

function notAHistory(): HistoryError {
  return new HistoryError(
    "Expected an empty file or one that this package made; this database belongs to another program. Choose another path.",
    { code: "STORE_UNAVAILABLE", details: { outcome: "not-sent", reason: "not-a-history" } },
  );
}

function newerVersion(version: number, known: number): HistoryError {
  return new HistoryError(
    `Expected a file of version ${known} or older; this one is of version ${version}. Open it with a newer release of @agent-history/store-sqlite.`,
    { code: "UNKNOWN_VERSION", details: { version } },
  );
}
