import { HistoryError, throwIfAborted } from "@agent-history/core";

import type { PostgresClient, PostgresRow } from "../postgres-client.ts";
import {
  asHistoryError,
  classifyFailure,
  isMadeByAnother,
  outcomeUnknown,
} from "./postgres-failure.ts";
import { migration } from "./sql/migrations.ts";
import { countRetry } from "./trace-verb.ts";

/** What a function of the schema is called with; a number goes as text, which every client sends alike. */
export type Argument = string | number | null;

/** One handle on the functions of a schema. */
export interface Connection {
  readonly schema: string;
  /** Refuses a caller that has gone, and any once it is closed. */
  readonly enter: (signal: AbortSignal | undefined) => void;
  /** Runs a statement that changes nothing. */
  readonly read: (sql: string, values: readonly Argument[], signal?: AbortSignal) => Rows;
  /** Runs one that does. A failure says whether it may have been carried out. */
  readonly write: (sql: string, values: readonly Argument[], signal?: AbortSignal) => Rows;
  /** Begins a call; tells from then on whether its time is over, so that what others moved is not tried again without a limit. */
  readonly deadline: () => () => boolean;
  /** Refuses what comes from now on. */
  readonly close: () => void;
}

/** How a handle works. */
interface ConnectOptions {
  readonly schema: string;
  readonly migrates: boolean;
  readonly timeoutMs: number;
}

type Rows = Promise<readonly PostgresRow[]>;

/** How many times a statement is sent that the server undid for the sake of another. */
const MOST_TRIES = 20;
/** How many times the tables are looked for that another makes: each time one of them is ready. */
const MOST_MIGRATIONS = 5;
/** A timer of more would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Makes a handle; its first statement makes or upgrades the tables. */
export function connect(
  client: PostgresClient,
  { schema, migrates, timeoutMs }: ConnectOptions,
): Connection {
  const ready = migrates ? migrator(client, schema) : async () => {};
  let isClosed = false;

  function enter(signal: AbortSignal | undefined): void {
    throwIfAborted(signal);
    if (isClosed) throw closed();
  }

  async function run(
    isWrite: boolean,
    sql: string,
    values: readonly Argument[],
    signal: AbortSignal | undefined,
  ): Rows {
    throwIfAborted(signal);
    let isSent = false;
    let isOver = false;
    const work = async (): Rows => {
      await ready();
      if (isOver) throw timedOut();
      isSent = true;
      return send(client, { sql, values, isOver: () => isOver });
    };
    try {
      return await untilOver(work(), { timeoutMs, signal });
    } catch (error) {
      isOver = true;
      if (error !== TIMED_OUT && error !== GONE) throw asHistoryError(error, isWrite);
      if (isWrite && isSent) throw outcomeUnknown(error === GONE ? "aborted" : "timeout");
      throwIfAborted(signal);
      throw timedOut();
    }
  }

  return {
    schema,
    enter,
    read: (sql, values, signal) => run(false, sql, values, signal),
    write: (sql, values, signal) => run(true, sql, values, signal),
    deadline: () => {
      const begunAt = performance.now();
      return () => performance.now() - begunAt >= timeoutMs;
    },
    close: () => {
      isClosed = true;
    },
  };
}

/** Makes or upgrades the tables, once; after a failure once more. */
function migrator(client: PostgresClient, schema: string): () => Promise<void> {
  let migrated: Promise<unknown> | undefined;
  return async () => {
    migrated ??= migrate(client, schema);
    try {
      await migrated;
    } catch (error) {
      migrated = undefined;
      throw asHistoryError(error, false);
    }
  };
}

/** Where another made the tables at once, what a snapshot did not show is seen the next time. */
async function migrate(client: PostgresClient, schema: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await client.query(migration(schema), []);
      return;
    } catch (error) {
      if (tries === MOST_MIGRATIONS || !isMadeByAnother(error)) throw error;
    }
  }
}

/** A statement on its way. */
interface Sending {
  readonly sql: string;
  readonly values: readonly Argument[];
  /** Whether its caller was answered: then it is not sent again, or it would be carried out when nobody expects it. */
  readonly isOver: () => boolean;
}

async function send(client: PostgresClient, { sql, values, isOver }: Sending): Rows {
  const texts = values.map((value) => (value === null ? null : String(value)));
  for (let tries = 1; ; tries += 1) {
    try {
      const { rows } = await client.query(sql, texts);
      return rows;
    } catch (error) {
      if (isOver() || tries === MOST_TRIES || !classifyFailure(error).isPassing) throw error;
      countRetry();
    }
  }
}

const TIMED_OUT: Error = new Error("The call took too long.");
const GONE: Error = new Error("The caller has gone.");

/** Waits for work until a deadline or the caller's signal. A statement that was sent goes on by itself. */
async function untilOver<Result>(
  work: Promise<Result>,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal | undefined },
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  let abort = (): void => {};
  const over = new Promise<never>((_resolve, reject) => {
    abort = () => reject(GONE);
    if (timeoutMs <= LONGEST_TIMER_MS) timer = setTimeout(() => reject(TIMED_OUT), timeoutMs);
  });
  signal?.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

function timedOut(): HistoryError {
  return new HistoryError("The server did not answer in time. Nothing was written. Try again.", {
    code: "STORE_UNAVAILABLE",
    details: { outcome: "not-sent", reason: "timeout" },
  });
}

function closed(): HistoryError {
  return new HistoryError("The store is closed. Nothing was done; make another.", {
    code: "STORE_UNAVAILABLE",
    details: { outcome: "not-sent", reason: "closed" },
  });
}
