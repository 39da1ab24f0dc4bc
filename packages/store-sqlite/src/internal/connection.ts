import type { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";

import { HistoryError, throwIfAborted } from "@agent-history/core";

import { copyDatabase } from "./back-up.ts";
import { rollBack, SQLITE_WAIT_MS } from "./open-database.ts";
import type { OpenOptions } from "./open-database.ts";
import { openedFile } from "./opened-file.ts";
import type { OpenedFile } from "./opened-file.ts";
import { numberOf, sqlOf } from "./sql.ts";
import type { Sql } from "./sql.ts";
import { asHistoryError, isLocked, lockedFor } from "./sqlite-failure.ts";
import { countRetry } from "./trace-verb.ts";

/** Work inside one transaction. It is synchronous: no transaction is open while anything is awaited. */
export type Work<Result> = (sql: Sql) => Result;

/** Transactions, each of which begins at once. */
export type Transactions = Pick<Connection, "read" | "write">;

/** One open file. */
export interface Connection {
  /** Refuses a caller that has gone, and any once it is closed, before anything else is looked at. */
  readonly enter: (signal: AbortSignal | undefined) => void;
  /** Sees one state of the file. */
  readonly read: <Result>(work: Work<Result>, signal?: AbortSignal) => Promise<Result>;
  /** Is alone in writing; writes of one connection are done in the order of the calls. */
  readonly write: <Result>(work: Work<Result>, signal?: AbortSignal) => Promise<Result>;
  /** Copies the file to a new one, as it is after the writes that were called before. */
  readonly copy: (path: string, signal?: AbortSignal) => Promise<void>;
  /** Does work of several transactions in the order of the writes: none of this connection comes between. Other processes' may. */
  readonly alone: <Result>(
    work: (within: Transactions) => Promise<Result>,
    signal?: AbortSignal,
  ) => Promise<Result>;
  /** Waits for the writes before it. */
  readonly close: () => Promise<void>;
}

/** What a connection has open. */
interface Opened {
  readonly database: DatabaseSync;
  readonly sql: Sql;
  readonly file: OpenedFile;
}

/** A file that is opened with the first work on it. */
interface Opening {
  readonly present: () => Opened;
  readonly end: () => void;
}

/** Waits between tries where another process holds the lock, in milliseconds; the last one goes on. */
const DELAYS_MS: readonly number[] = [1, 2, 5, 10, 20, 40];

/** Makes a connection that opens the file with its first work. */
export function connect(
  open: () => DatabaseSync,
  { path, survivesPowerLoss, busyTimeoutMs }: OpenOptions & { readonly busyTimeoutMs: number },
): Connection {
  const opening = lazily(open, path);
  let isClosed = false;

  function enter(signal: AbortSignal | undefined): void {
    throwIfAborted(signal);
    if (isClosed) throw closed();
  }

  const transact = transactor(opening, survivesPowerLoss);
  const atOnce: Transactions = {
    read: async (work, signal) =>
      untilUnlocked(() => transact("BEGIN", work), busyTimeoutMs, signal),
    write: async (work, signal) =>
      untilUnlocked(() => transact("BEGIN IMMEDIATE", work), busyTimeoutMs, signal),
  };
  const writes = inOrder();

  return {
    enter,
    read: async (work, signal) => {
      enter(signal);
      return atOnce.read(work, signal);
    },
    write: async (work, signal) => {
      enter(signal);
      return writes.add(async () => atOnce.write(work, signal));
    },
    alone: async (work, signal) => {
      enter(signal);
      return writes.add(async () => work(atOnce));
    },
    copy: async (to, signal) => {
      enter(signal);
      await writes.done();
      const copy = (): void => copyDatabase(opening.present().database, to);
      await untilUnlocked(copy, busyTimeoutMs, signal);
    },
    close: async () => {
      isClosed = true;
      await writes.done();
      opening.end();
    },
  };
}

type Transact = <Result>(begin: "BEGIN" | "BEGIN IMMEDIATE", work: Work<Result>) => Result;

/** Makes what does work in one transaction. */
function transactor(opening: Opening, survivesPowerLoss: boolean): Transact {
  return (begin, work) => {
    const { database, sql, file } = opening.present();
    const isWrite = begin === "BEGIN IMMEDIATE";
    if (isWrite) file.requireInPlace();
    let location: "work" | "commit" = "work";
    try {
      database.exec(begin);
      const result = isWrite && survivesPowerLoss ? writing(sql, work) : work(sql);
      location = "commit";
      database.exec("COMMIT");
      if (isWrite) file.seeLog();
      return result;
    } catch (error) {
      rollBack(database);
      throw isLocked(error) ? error : asHistoryError(error, location);
    }
  };
}

/** Opens a file with the first work on it, and never after its end. */
function lazily(open: () => DatabaseSync, path: string): Opening {
  let opened: Opened | undefined;
  let isEnded = false;
  return {
    present: () => {
      if (isEnded) throw closed();
      if (opened === undefined) {
        const database = open();
        opened = { database, sql: sqlOf(database), file: openedFile(path) };
      }
      return opened;
    },
    end: () => {
      isEnded = true;
      opened?.database.close();
      opened = undefined;
    },
  };
}

/** Does one work after the other, in the order in which they were added. */
function inOrder(): {
  readonly add: <Result>(work: () => Promise<Result>) => Promise<Result>;
  readonly done: () => Promise<unknown>;
} {
  let last: Promise<unknown> = Promise.resolve();
  return {
    add: async (work) => {
      const done = last.then(work);
      last = done.catch(() => undefined);
      return done;
    },
    done: async () => last,
  };
}

/**
 * Does work, and writes a page whatever it wrote: an "already there" may stand in the log unsynchronized, left by a process that was killed, and a
 * commit with a changed page synchronizes all of the log (L18). Work that changed rows may have changed no page: SQLite leaves a page alone if an
 * UPDATE sets what stands there.
 */
function writing<Result>(sql: Sql, work: Work<Result>): Result {
  const result = work(sql);
  const version = numberOf(sql.get("PRAGMA user_version"), "user_version");
  sql.get(`PRAGMA user_version = ${version}`);
  return result;
}

/** Tries until no other process holds the lock. */
async function untilUnlocked<Result>(
  attempt: () => Result,
  busyTimeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Result> {
  let waitedMs = 0;
  for (let tries = 0; ; tries++) {
    throwIfAborted(signal);
    try {
      return attempt();
    } catch (error) {
      if (!isLocked(error)) throw error;
      if (waitedMs >= busyTimeoutMs) throw lockedFor(waitedMs, error);
      const delay = DELAYS_MS[Math.min(tries, DELAYS_MS.length - 1)] ?? 0;
      waitedMs += SQLITE_WAIT_MS + delay;
      countRetry();
      await wait(delay);
    }
  }
}

function closed(): HistoryError {
  return new HistoryError("The store is closed. Nothing was done; open another.", {
    code: "STORE_UNAVAILABLE",
    details: { outcome: "not-sent", reason: "closed" },
  });
}
