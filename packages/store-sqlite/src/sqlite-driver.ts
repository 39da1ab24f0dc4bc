import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";
import { setImmediate } from "node:timers/promises";

import { HistoryError } from "@agent-history/core";
import { keyText, textKey } from "@agent-history/store-kit";
import type {
  Answer,
  Ask,
  Change,
  DriverList,
  DriverPage,
  ItemKey,
  Lane,
  Row,
  ThreadDriver,
} from "@agent-history/store-kit";

import type { SqliteFile } from "./sqlite-file.ts";

/** Rows of all threads lie in one table in the order of `thread * ROWS + position`. */
const ROWS = 2 ** 28;
const MOST_THREADS = 2 ** 25;
/** A caller that awaits one call after another gives other work its turn after this long, in milliseconds. */
const TURN_MS = 20;

/** The tables of a file. Names and keys are written as JSON writes them: SQLite's text ends at a NUL and has no halves of pairs. */
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

/** What SQL is run on, within one transaction. */
export interface Sql {
  get(sql: string, ...values: SQLInputValue[]): SqlRow | undefined;
  all(sql: string, ...values: SQLInputValue[]): readonly SqlRow[];
  run(sql: string, ...values: SQLInputValue[]): void;
}

export type SqlRow = Readonly<Record<string, SQLOutputValue>>;

/** Prepares each statement once. */
export function sqlOf(database: DatabaseSync): Sql {
  const statements = new Map<string, ReturnType<DatabaseSync["prepare"]>>();
  const prepare = (sql: string): ReturnType<DatabaseSync["prepare"]> => {
    const statement = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  return {
    get: (sql, ...values) => prepare(sql).get(...values),
    all: (sql, ...values) => prepare(sql).all(...values),
    run: (sql, ...values) => void prepare(sql).run(...values),
  };
}

/** Keeps threads in a SQLite file. Each verb is one transaction. */
export function sqliteDriver(file: SqliteFile): ThreadDriver {
  let turnMs = performance.now();

  /** Calls to SQLite are synchronous: without this a loop that awaits them would let no timer run. */
  async function turn(): Promise<void> {
    if (performance.now() - turnMs < TURN_MS) return;
    await setImmediate();
    turnMs = performance.now();
  }

  return {
    read: async (name, asks) => {
      await turn();
      return file.read((sql) => {
        const thread = findThread(sql, name);
        return {
          stamp: thread?.stamp ?? 0,
          ...(thread && { head: thread.head }),
          answers: asks.map((ask) => answer(sql, thread?.no ?? 0, ask)),
        };
      });
    },
    commit: async (name, change) => {
      await turn();
      return file.write((sql) => commit(sql, name, change));
    },
    list: async (options) => {
      await turn();
      return file.read((sql) => listThreads(sql, options));
    },
    ping: async () => file.read((sql) => void sql.get("SELECT 1")),
    close: async () => file.close(),
  };
}

interface FoundThread {
  readonly no: number;
  readonly stamp: number;
  readonly head: string;
}

function findThread(sql: Sql, name: string): FoundThread | undefined {
  const row = sql.get("SELECT thread, stamp, head FROM threads WHERE name = ?", textKey(name));
  if (row === undefined) return undefined;
  return {
    no: numberIn(row, "thread"),
    stamp: numberIn(row, "stamp"),
    head: String(row["head"]),
  };
}

function valueOf(sql: Sql, thread: number, [kind, key]: ItemKey): string | undefined {
  const row = sql.get(
    "SELECT value FROM items WHERE thread = ? AND kind = ? AND key = ?",
    thread,
    kind,
    textKey(key),
  );
  return row === undefined ? undefined : String(row["value"]);
}

function answer(sql: Sql, thread: number, ask: Ask): Answer {
  if (ask.kind === "rows") return { rows: rowsOf(sql, thread, ask), items: new Map() };
  const kind = ask.kind === "named" ? "i" : ask.of;
  const keys = ask.kind === "named" ? ask.ids : ask.kind === "items" ? ask.keys : undefined;
  const items = new Map<string, string>();
  if (keys === undefined) {
    const value = ask.kind === "keys" ? "''" : "value";
    const found = sql.all(
      `SELECT key, ${value} AS value FROM items WHERE thread = ? AND kind = ?`,
      thread,
      kind,
    );
    for (const row of found) items.set(keyText(String(row["key"])), String(row["value"]));
  }
  for (const key of keys ?? []) {
    const value = valueOf(sql, thread, [kind, key]);
    if (value !== undefined) items.set(key, value);
  }
  if (ask.kind !== "named") return { rows: [], items };
  const positions = new Set<number>();
  for (const value of items.values()) {
    const position = Number.parseInt(value, 10);
    if (position >= 0 && position < ROWS) positions.add(position);
  }
  const rows = [...positions].flatMap((position) => {
    const place = thread * ROWS + position;
    return rowsIn(sql.all("SELECT place, lane, text FROM rows WHERE place = ?", place), thread);
  });
  return { rows, items };
}

function rowsOf(
  sql: Sql,
  thread: number,
  { from, to, limit, lane, forward = false }: Extract<Ask, { kind: "rows" }>,
): readonly Row[] {
  if (limit === 0) return [];
  const base = thread * ROWS;
  const found = sql.all(
    `SELECT place, lane, text FROM rows WHERE place >= ? AND place < ?${
      lane === undefined ? "" : ` AND lane = '${lane}'`
    } ORDER BY place ${forward ? "" : "DESC"} LIMIT ?`,
    base + Math.min(from, ROWS),
    base + Math.min(to, ROWS),
    limit === Infinity ? -1 : limit,
  );
  const rows = rowsIn(found, thread);
  return forward ? rows : rows.toReversed();
}

function rowsIn(found: readonly SqlRow[], thread: number): readonly Row[] {
  return found.map((row) => ({
    position: numberIn(row, "place") - thread * ROWS,
    lane: laneIn(row),
    text: String(row["text"]),
  }));
}

function laneIn(row: SqlRow): Lane {
  const { lane } = row;
  return lane === "m" || lane === "c" || lane === "l" ? lane : "h";
}

function commit(sql: Sql, name: string, change: Change): boolean {
  const { stamp, head, absent = [], listed } = change;
  const found = findThread(sql, name);
  if ((found?.stamp ?? 0) !== stamp) return false;
  if (found !== undefined && absent.some((key) => valueOf(sql, found.no, key) !== undefined))
    return false;
  const user = listed?.user === undefined ? null : textKey(listed.user);
  const updated = listed?.updatedAtMs ?? null;
  const row = sql.get(
    "INSERT INTO threads (name, stamp, head, user, updated) VALUES (?, ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET stamp = excluded.stamp, head = excluded.head, user = excluded.user, updated = excluded.updated RETURNING thread",
    textKey(name),
    stamp + 1,
    head,
    user,
    updated,
  );
  const no = numberIn(row, "thread");
  if (no >= MOST_THREADS) throw tooManyThreads();
  writeContent(sql, no, change);
  if (change.gone === true) sql.run("DELETE FROM threads WHERE thread = ?", no);
  return true;
}

function writeContent(
  sql: Sql,
  thread: number,
  { wipe, gone, keep, rewrite = [], rows = [], drop = [], put = [] }: Change,
): void {
  const base = thread * ROWS;
  const isEmptied = wipe === true || gone === true;
  if (isEmptied) sql.run("DELETE FROM items WHERE thread = ?", thread);
  const from = isEmptied ? 0 : keep;
  if (from !== undefined)
    sql.run("DELETE FROM rows WHERE place >= ? AND place < ?", base + from, base + ROWS);
  for (const { position, text } of rewrite)
    sql.run("UPDATE rows SET text = ? WHERE place = ?", text, base + position);
  for (const { position, lane, text } of rows)
    sql.run(
      "INSERT INTO rows (place, lane, text) VALUES (?, ?, ?)",
      base + position,
      lane === "h" ? null : lane,
      text,
    );
  for (const [kind, key] of drop)
    sql.run(
      "DELETE FROM items WHERE thread = ? AND kind = ? AND key = ?",
      thread,
      kind,
      textKey(key),
    );
  for (const [kind, key, value] of put)
    sql.run(
      "INSERT INTO items (thread, kind, key, value) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
      thread,
      kind,
      textKey(key),
      value,
    );
}

function listThreads(sql: Sql, { user, byTime, prefix, after, limit }: DriverList): DriverPage {
  const where = ["updated IS NOT NULL"];
  const values: SQLInputValue[] = [];
  const add = (condition: string, ...given: readonly SQLInputValue[]): void => {
    where.push(condition);
    values.push(...given);
  };
  if (user !== undefined) add("user = ?", textKey(user));
  const begin = textKey(prefix);
  if (begin !== "") add("name >= ? AND name < ?", begin, `${begin}\u{10FFFF}`);
  if (after !== undefined) {
    const [updated, name] = [after[0], textKey(after[1])];
    if (byTime) add("(updated < ? OR (updated = ? AND name > ?))", updated, updated, name);
    else add("name > ?", name);
  }
  const order = byTime ? "updated DESC, name" : "name";
  const found = sql.all(
    `SELECT name, head, updated FROM threads WHERE ${where.join(" AND ")} ORDER BY ${order} LIMIT ?`,
    // oxlint-disable-next-line house/no-argument-spread -- six at most
    ...values,
    limit + 1,
  );
  const nameOf = (row: SqlRow): string => keyText(String(row["name"]));
  const last = found.length > limit ? found[limit - 1] : undefined;
  return {
    threads: found.slice(0, limit).map((row) => [nameOf(row), String(row["head"])] as const),
    end: last && [numberIn(last, "updated"), nameOf(last)],
  };
}

function numberIn(row: SqlRow | undefined, column: string): number {
  const value = row?.[column];
  if (typeof value === "number" && Number.isSafeInteger(value)) return value;
  throw new HistoryError(
    "Expected the numbers of the file to be what this package writes. Restore a backup, or read what is left.",
    { code: "THREAD_CORRUPT", details: { reason: "number" } },
  );
}

function tooManyThreads(): HistoryError {
  return new HistoryError(
    `A file keeps at most ${MOST_THREADS} threads. Nothing was written. Begin another file.`,
    { code: "STORE_UNAVAILABLE", details: { outcome: "rejected", reason: "full" } },
  );
}
