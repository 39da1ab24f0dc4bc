import { keyText, laneOfText, textKey } from "@agent-history/store-kit";
import type {
  Answer,
  Ask,
  Change,
  DriverList,
  DriverPage,
  DriverRead,
  ItemKey,
  Row,
  ThreadDriver,
} from "@agent-history/store-kit";

import type { PostgresClient, PostgresRow } from "./postgres-client.ts";
import { asHistoryError, isMadeByAnother } from "./postgres-failure.ts";
import { migration } from "./postgres-schema.ts";
import { escaped, fullIdOf, rowKey } from "./row-key.ts";

/** Most attempts of a migration while another process runs it too: after each, more of its tables are visible. */
const MOST_MIGRATIONS = 5;
/** Yields to other work after this long, in milliseconds. */
const TURN_MS = 20;

/** Runs a statement after the migration. */
export type Query = (
  what: "read" | "write",
  text: string,
  values: readonly (string | null)[],
) => Promise<readonly PostgresRow[]>;

/** Makes a `Query` on a client. Its first call creates or upgrades the tables, if `migrates`. */
export function queryOn(
  client: PostgresClient,
  { schema, migrates }: { readonly schema: string; readonly migrates: boolean },
): Query {
  let migrated: Promise<void> | undefined;
  let turnMs = performance.now();
  return async (what, text, values) => {
    // PGlite answers in the same turn of the event loop: a loop of awaited calls would block timers and other writers.
    if (performance.now() - turnMs >= TURN_MS) {
      await nextTurn();
      turnMs = performance.now();
    }
    try {
      if (migrates) await (migrated ??= migrate(client, schema));
    } catch (error) {
      migrated = undefined;
      throw asHistoryError(error, "read");
    }
    try {
      return (await client.query(text, [...values])).rows;
    } catch (error) {
      throw asHistoryError(error, what);
    }
  };
}

async function nextTurn(): Promise<void> {
  await new Promise<void>((resolve) => void (globalThis.setImmediate ?? setTimeout)(resolve));
}

/** Runs the migration. Retries if another process creates the tables at the same time: the next snapshot shows them. */
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

/** Makes a driver for a schema in Postgres. Each method is one statement and its own transaction. */
export function postgresDriver(query: Query, schema: string): ThreadDriver {
  return {
    read: async (name, asks) => readThread(query, schema, name, asks),
    commit: async (name, change) => {
      const { head, rows = [], put = [] } = change;
      const [row] = await query(
        "write",
        `SELECT ${schema}.commit_thread($1, $2, $3::jsonb, $4, ARRAY(SELECT json_array_elements_text($5::json)), ARRAY(SELECT json_array_elements_text($6::json))) AS done`,
        [
          rowKey(name),
          fullIdOf(name),
          JSON.stringify(describedOf(change)),
          head,
          JSON.stringify(rows.map(({ text }) => text)),
          JSON.stringify(put.map(([, , value]) => value)),
        ],
      );
      return row?.["done"] === true;
    },
    list: async (options) => listThreads(query, schema, options),
    ping: async () => {
      await query("read", "SELECT 1 AS one", []);
    },
    close: async () => {},
  };
}

/** A change without its texts, in the form that `commit_thread` expects. */
function describedOf(change: Change): object {
  const { stamp, absent, wipe, keep, drop, gone, listed } = change;
  const { rows = [], put = [], rewrite = [] } = change;
  return {
    stamp,
    ...(gone === true && { gone }),
    rewrite: rewrite.map(({ position, text }) => [position, text]),
    absent: keysOf(absent),
    ...(wipe === true && { wipe }),
    keep,
    rows: rows.map(({ position, lane }) => [position, lane]),
    drop: keysOf(drop),
    put: put.map(([kind, key]) => [kind, rowKey(key), fullIdOf(key)]),
    updated: listed?.updatedAtMs,
    ...(listed?.user !== undefined && { owner: escaped(listed.user) }),
  };
}

function keysOf(items: readonly ItemKey[] = []): readonly (readonly string[])[] {
  return items.map(([kind, key]) => [kind, rowKey(key)]);
}

/** Reads with one statement, which returns a row for the thread, and the rows and items of each ask with the ask's number. */
async function readThread(
  query: Query,
  schema: string,
  name: string,
  asks: readonly Ask[],
): Promise<DriverRead> {
  const values: string[] = [rowKey(name)];
  const given = (value: string): string => `$${values.push(value)}`;
  const parts = asks.map((ask, nth) => partOf(schema, ask, nth, given));
  const text = `WITH t AS (SELECT no, stamp, head FROM ${schema}.threads WHERE name = $1) SELECT -1 AS nth, stamp AS position, NULL::text AS lane, head AS text, NULL::text AS key FROM t${parts.join("")}`;
  const answers = asks.map(() => ({ rows: [] as Row[], items: new Map<string, string>() }));
  let found: { readonly stamp: number; readonly head?: string } = { stamp: 0 };
  for (const row of await query("read", text, values)) {
    const answer = answers[Number(row["nth"])];
    const content = String(row["text"]);
    if (answer === undefined) found = { stamp: Number(row["position"]), head: content };
    else if (typeof row["key"] === "string") answer.items.set(keyText(row["key"]), content);
    else
      answer.rows.push({
        position: Number(row["position"]),
        lane: laneOfText(row["lane"]),
        text: content,
      });
  }
  const ordered = answers.map(({ rows, items }): Answer => ({
    rows: rows.toSorted((one, other) => one.position - other.position),
    items,
  }));
  return { ...found, answers: ordered };
}

function partOf(schema: string, ask: Ask, nth: number, given: (value: string) => string): string {
  const thread = "thread = (SELECT no FROM t)";
  if (ask.kind === "rows") {
    const { from, to, limit, lane, forward = false } = ask;
    if (limit === 0) return "";
    const only = lane === undefined ? "" : ` AND lane = '${lane}'`;
    const most = limit === Infinity ? "" : ` LIMIT ${limit}`;
    return ` UNION ALL (SELECT ${nth}, position, lane::text, text, NULL FROM ${schema}.rows WHERE ${thread} AND position >= ${from} AND position < ${to}${only} ORDER BY position ${forward ? "" : "DESC"}${most})`;
  }
  const keys = ask.kind === "items" ? ask.keys : undefined;
  if (keys?.length === 0) return "";
  const among =
    keys === undefined
      ? ""
      : ` AND i.key = ANY(ARRAY(SELECT json_array_elements_text(${given(JSON.stringify(keys.map(rowKey)))}::json)))`;
  const value = ask.kind === "keys" ? "''" : "i.value";
  const items = ` UNION ALL SELECT ${nth}, NULL, NULL, ${value}, coalesce(i.full_key, i.key) FROM ${schema}.items i WHERE i.${thread} AND i.kind = '${ask.of}'${among}`;
  if (ask.kind === "keys" || ask.withRows !== true) return items;
  return `${items} UNION ALL SELECT ${nth}, l.position, l.lane::text, l.text, NULL FROM ${schema}.items i JOIN ${schema}.rows l ON l.thread = i.thread AND l.position = substring(i.value FROM '^[0-9]{1,15}')::bigint WHERE i.${thread} AND i.kind = '${ask.of}'${among}`;
}

async function listThreads(
  query: Query,
  schema: string,
  { user, byTime, prefix, after, limit }: DriverList,
): Promise<DriverPage> {
  const where = ["updated IS NOT NULL"];
  const values: string[] = [];
  const given = (value: string): string => `$${values.push(value)}`;
  if (user !== undefined) where.push(`owner = ${given(escaped(user))}`);
  // The key of a long name contains only its first characters, so the filter uses the first characters of the prefix.
  const begin = textKey(prefix)
    .slice(0, 100)
    .replace(/[\uD800-\uDBFF]$/u, "");
  if (begin !== "") where.push(`starts_with(name, ${given(begin)}) AND name >= ${given(begin)}`);
  if (after !== undefined) {
    const name = given(rowKey(after[1]));
    const time = byTime ? `${given(String(after[0]))}::bigint` : "";
    where.push(
      byTime ? `(updated < ${time} OR (updated = ${time} AND name > ${name}))` : `name > ${name}`,
    );
  }
  const found = await query(
    "read",
    `SELECT name, coalesce(full_name, name) AS full, head, updated FROM ${schema}.threads WHERE ${where.join(" AND ")} ORDER BY ${byTime ? "updated DESC, name" : "name"} LIMIT ${limit + 1}`,
    values,
  );
  const nameOf = (row: PostgresRow): string => keyText(String(row["full"]));
  const last = found.length > limit ? found[limit - 1] : undefined;
  return {
    threads: found.slice(0, limit).map((row) => [nameOf(row), String(row["head"])] as const),
    end: last && [Number(last["updated"]), nameOf(last)],
  };
}
