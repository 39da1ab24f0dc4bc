import type { SQLInputValue } from "node:sqlite";
import { setImmediate } from "node:timers/promises";

import { driverFailure, keyText, laneOfText, textKey } from "@agent-history/store-kit";
import type {
  Answer,
  Ask,
  Change,
  DriverList,
  DriverPage,
  ItemKey,
  Row,
  ThreadDriver,
} from "@agent-history/store-kit";

import { strangeNumber } from "./sqlite-failure.ts";
import type { Sql, SqliteFile, SqlRow } from "./sqlite-file.ts";

/** A row's key is `thread * ROWS + position`. */
const ROWS = 2 ** 28;
/** With more threads, keys would exceed 2^53 and lose precision. */
const MOST_THREADS = 2 ** 25;
/** Yields to other work after this long, in milliseconds. */
const TURN_MS = 20;

/** Makes a driver for a SQLite file. Each method is one transaction. */
export function sqliteDriver(file: SqliteFile): ThreadDriver {
  let turnMs = performance.now();

  /** Yields to the event loop: calls to SQLite are synchronous, so a loop of awaited calls would block timers. */
  async function turn(): Promise<void> {
    if (performance.now() - turnMs < TURN_MS) return;
    await setImmediate();
    turnMs = performance.now();
  }

  return {
    read: async (name, asks) => {
      await turn();
      return file.read((sql) => {
        const found = findThread(sql, name);
        const thread = found === undefined ? 0 : numberIn(found, "thread");
        const answers = asks.map((ask) => answerOf(sql, thread, ask));
        if (found === undefined) return { stamp: 0, answers };
        return { stamp: numberIn(found, "stamp"), head: String(found["head"]), answers };
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
    ping: async () => file.read((sql) => void sql("SELECT 1")),
    close: async () => file.close(),
  };
}

function findThread(sql: Sql, name: string): SqlRow | undefined {
  return sql("SELECT thread, stamp, head FROM threads WHERE name = ?", textKey(name))[0];
}

function valueOf(sql: Sql, thread: number, [kind, key]: ItemKey): string | undefined {
  const text = "SELECT value FROM items WHERE thread = ? AND kind = ? AND key = ?";
  const [row] = sql(text, thread, kind, textKey(key));
  return row && String(row["value"]);
}

function answerOf(sql: Sql, thread: number, ask: Ask): Answer {
  const items = new Map<string, string>();
  if (ask.kind === "rows") return { rows: rowsOf(sql, thread, ask), items };
  const keys = ask.kind === "items" ? ask.keys : undefined;
  for (const key of keys ?? []) {
    const value = valueOf(sql, thread, [ask.of, key]);
    if (value !== undefined) items.set(key, value);
  }
  if (keys === undefined) {
    const value = ask.kind === "keys" ? "''" : "value";
    const text = `SELECT key, ${value} AS value FROM items WHERE thread = ? AND kind = ?`;
    for (const row of sql(text, thread, ask.of))
      items.set(keyText(String(row["key"])), String(row["value"]));
  }
  const rows = new Map<number, Row>();
  for (const value of ask.kind === "items" && ask.withRows === true ? items.values() : []) {
    const place = thread * ROWS + Number.parseInt(value, 10);
    if (!(place >= thread * ROWS && place < (thread + 1) * ROWS)) continue;
    for (const row of sql("SELECT place, lane, text FROM rows WHERE place = ?", place))
      rows.set(place, rowIn(row, thread));
  }
  return { rows: [...rows.values()], items };
}

function rowsOf(
  sql: Sql,
  thread: number,
  { from, to, limit, lane, forward = false }: Extract<Ask, { kind: "rows" }>,
): readonly Row[] {
  if (limit === 0) return [];
  const only = lane === undefined ? "" : ` AND lane = '${lane}'`;
  const found = sql(
    `SELECT place, lane, text FROM rows WHERE place >= ? AND place < ?${only} ORDER BY place ${forward ? "" : "DESC"} LIMIT ?`,
    thread * ROWS + Math.min(from, ROWS),
    thread * ROWS + Math.min(to, ROWS),
    limit === Infinity ? -1 : limit,
  );
  const rows = found.map((row) => rowIn(row, thread));
  return forward ? rows : rows.toReversed();
}

function rowIn(row: SqlRow, thread: number): Row {
  const position = numberIn(row, "place") - thread * ROWS;
  return { position, lane: laneOfText(row["lane"]), text: String(row["text"]) };
}

function commit(sql: Sql, name: string, change: Change): boolean {
  const { stamp, head, absent = [], listed } = change;
  const found = findThread(sql, name);
  if ((found === undefined ? 0 : numberIn(found, "stamp")) !== stamp) return false;
  const known = found === undefined ? 0 : numberIn(found, "thread");
  if (absent.some((key) => valueOf(sql, known, key) !== undefined)) return false;
  const [row] = sql(
    "INSERT INTO threads (name, stamp, head, user, updated) VALUES (?, ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET stamp = excluded.stamp, head = excluded.head, user = excluded.user, updated = excluded.updated RETURNING thread",
    textKey(name),
    stamp + 1,
    head,
    listed?.user === undefined ? null : textKey(listed.user),
    listed?.updatedAtMs ?? null,
  );
  const thread = numberIn(row, "thread");
  if (thread >= MOST_THREADS)
    throw driverFailure("read", {
      outcome: "rejected",
      reason: "full",
      advice: `A file keeps at most ${MOST_THREADS} threads. Begin another.`,
    });
  writeContent(sql, thread, change);
  if (change.gone === true) sql("DELETE FROM threads WHERE thread = ?", thread);
  return true;
}

function writeContent(
  sql: Sql,
  thread: number,
  { wipe, gone, keep, rewrite = [], rows = [], drop = [], put = [] }: Change,
): void {
  const base = thread * ROWS;
  const isEmptied = wipe === true || gone === true;
  if (isEmptied) sql("DELETE FROM items WHERE thread = ?", thread);
  const from = isEmptied ? 0 : keep;
  if (from !== undefined)
    sql("DELETE FROM rows WHERE place >= ? AND place < ?", base + from, base + ROWS);
  for (const { position, text } of rewrite)
    sql("UPDATE rows SET text = ? WHERE place = ?", text, base + position);
  const inserted = "INSERT INTO rows (place, lane, text) VALUES (?, ?, ?)";
  for (const { position, lane, text } of rows)
    sql(inserted, base + position, lane === "h" ? null : lane, text);
  const dropped = "DELETE FROM items WHERE thread = ? AND kind = ? AND key = ?";
  for (const [kind, key] of drop) sql(dropped, thread, kind, textKey(key));
  const written =
    "INSERT INTO items (thread, kind, key, value) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value";
  for (const [kind, key, value] of put) sql(written, thread, kind, textKey(key), value);
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
    if (byTime) add("updated <= ? AND (updated < ? OR name > ?)", updated, updated, name);
    else add("name > ?", name);
  }
  const found = sql(
    `SELECT name, head, updated FROM threads WHERE ${where.join(" AND ")} ORDER BY ${byTime ? "updated DESC, name" : "name"} LIMIT ?`,
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
  throw strangeNumber();
}
