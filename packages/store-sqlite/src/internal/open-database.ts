import type { DatabaseSync } from "node:sqlite";

import { HistoryError } from "@agent-history/core";

import type { SqliteModule } from "./load-sqlite.ts";
import { MIGRATIONS } from "./migrations.ts";
import { asHistoryError, isLocked } from "./sqlite-failure.ts";

/** How a file is opened. */
export interface OpenOptions {
  readonly path: string;
  readonly survivesPowerLoss: boolean;
}

/** How long SQLite itself waits for a lock, in milliseconds. It blocks the process, so longer waits are ours. */
export const SQLITE_WAIT_MS = 20;

/** Marks our files: "ahis". */
const APPLICATION_ID = 0x61_68_69_73;

/** Opens a file and brings it to this release's version. Throws where it is no history, or a later release's. */
export function openDatabase(
  sqlite: SqliteModule,
  { path, survivesPowerLoss }: OpenOptions,
): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = new sqlite.DatabaseSync(path);
    database.exec(`PRAGMA busy_timeout = ${SQLITE_WAIT_MS}`);
    migrate(database, MIGRATIONS);
    database.exec("PRAGMA journal_mode = WAL");
    database.exec(`PRAGMA synchronous = ${survivesPowerLoss ? "FULL" : "NORMAL"}`);
    return database;
  } catch (error) {
    database?.close();
    throw isLocked(error) ? error : asHistoryError(error, "open");
  }
}

/**
 * Brings a file to the version that the migrations lead to: all of them or none.
 *
 * @internal Exported for its test.
 */
export function migrate(database: DatabaseSync, migrations: readonly string[]): void {
  if (versionOf(database) === migrations.length && isOurs(database)) return;
  database.exec("BEGIN IMMEDIATE");
  try {
    const version = versionOf(database);
    if (!isOurs(database) && !isEmpty(database)) throw notAHistory();
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

/** Ends a transaction that failed. Some failures have ended it already. */
export function rollBack(database: DatabaseSync): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // Nothing was open any more.
  }
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
}

function isOurs(database: DatabaseSync): boolean {
  const row = database.prepare("PRAGMA application_id").get();
  return row?.["application_id"] === APPLICATION_ID;
}

function isEmpty(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM sqlite_master LIMIT 1").get() === undefined;
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
