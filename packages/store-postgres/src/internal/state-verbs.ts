import { countOption } from "@agent-history/core";
import type { HistoryStore, StateItem } from "@agent-history/core";
import { requireName } from "@agent-history/core/schema";
import { decodeState, encodeState } from "@agent-history/store-kit/indexed";

import type { PostgresRow } from "../postgres-client.ts";
import type { Connection } from "./connection.ts";
import { pageOfKeys } from "./page-of-keys.ts";
import { fullIdOf, rowKey } from "./row-key.ts";
import { numberOf, textOf } from "./row-values.ts";
import { conflict, threadDeleted } from "./thread-errors.ts";
import { traceVerb } from "./trace-verb.ts";
import type { WriteQueue } from "./write-queue.ts";

/** The verbs about small state beside a log. */
export type StateVerbs = Pick<HistoryStore, "getState" | "setState" | "listState">;

/** Makes the verbs about small state. */
export function stateVerbs(connection: Connection, queue: WriteQueue): StateVerbs {
  return {
    getState: getStateVerb(connection),
    setState: setStateVerb(connection, queue),
    listState: listStateVerb(connection),
  };
}

function getStateVerb({ schema, enter, read }: Connection): HistoryStore["getState"] {
  const sql = `SELECT t.deleted::text AS deleted, s.revision, s.value::text AS value FROM ${schema}.threads t LEFT JOIN ${schema}.state s ON s.thread = t.id AND s.key = $2::text WHERE t.id = $1::text`;
  return async (threadId, key, { signal } = {}) =>
    traceVerb("getState", {}, async () => {
      enter(signal);
      requireName("threadId", threadId);
      requireName("key", key);
      const [row] = await read(sql, [rowKey(threadId), rowKey(key)], signal);
      requireLiving(row);
      return row === undefined ? undefined : stateOf(row);
    });
}

/** More than four bytes are no revision. */
const MOST = 2 ** 31;

function setStateVerb(connection: Connection, queue: WriteQueue): HistoryStore["setState"] {
  const sql = `SELECT * FROM ${connection.schema}.set_state($1::text, $2::text, $3::text, $4::text, $5::text, $6::text::int)`;
  return async (threadId, key, value, { expectedRevision, signal }) =>
    traceVerb("setState", {}, async () => {
      connection.enter(signal);
      requireName("threadId", threadId);
      requireName("key", key);
      const json = value === undefined ? null : encodeState(value);
      const names = [rowKey(threadId), fullIdOf(threadId), rowKey(key), fullIdOf(key)];
      const isRevision =
        Number.isSafeInteger(expectedRevision) && Math.abs(expectedRevision) < MOST;
      const revision = isRevision ? expectedRevision : -1;
      const [row] = await queue.run(threadId, signal, () =>
        connection.write(sql, [...names, json, revision], signal),
      );
      const [kind, actual] = [textOf(row, "kind"), numberOf(row, "n")];
      if (kind === "deleted") throw threadDeleted();
      if (kind !== "written") throw conflict("revision", expectedRevision, actual);
      return { revision: actual };
    });
}

function listStateVerb({ schema, enter, read }: Connection): HistoryStore["listState"] {
  const sql = `SELECT t.deleted::text AS deleted, s.key, s.full_key, s.value, s.revision FROM ${schema}.threads t
LEFT JOIN LATERAL (
  SELECT x.key, x.full_key, x.value::text AS value, x.revision FROM ${schema}.state x
  WHERE x.thread = t.id AND ($2::text IS NULL OR x.key > $2::text) AND x.key >= $3::text ORDER BY x.key LIMIT $4::text::int
) s ON true
WHERE t.id = $1::text ORDER BY s.key`;
  return async (threadId, { prefix = "", cursor, limit = 100, signal } = {}) =>
    traceVerb("listState", {}, async () => {
      enter(signal);
      requireName("threadId", threadId);
      const page = { prefix, cursor, limit: countOption("limit", limit) };
      const { rows, ...end } = await pageOfKeys(page, async ({ after, beginning, count }) => {
        const found = await read(sql, [rowKey(threadId), after, beginning, count], signal);
        requireLiving(found[0]);
        return found.filter((row) => textOf(row, "key") !== undefined);
      });
      const items = rows.flatMap(({ name: key, row }): readonly StateItem[] => {
        const state = stateOf(row);
        return state === undefined ? [] : [{ key, ...state }];
      });
      return { items, ...end };
    });
}

function stateOf(row: PostgresRow): Omit<StateItem, "key"> | undefined {
  const value = textOf(row, "value");
  if (value === undefined) return undefined;
  return { value: decodeState(value), revision: numberOf(row, "revision") };
}

function requireLiving(row: PostgresRow | undefined): void {
  if (textOf(row, "deleted") === "true") throw threadDeleted();
}
