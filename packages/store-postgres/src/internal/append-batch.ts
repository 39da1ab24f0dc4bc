import type { ExpectedVersion } from "@agent-history/core";
import { factKeys, indexBatch, isKnownBatch, versionOf } from "@agent-history/store-kit/indexed";
import type {
  BoundedMap,
  IndexedBatch,
  PreparedBatch,
  ReplacedEntry,
} from "@agent-history/store-kit/indexed";

import type { PostgresRow } from "../postgres-client.ts";
import type { Connection } from "./connection.ts";
import { rowArguments, indexArguments } from "./index-arguments.ts";
import { keyedNames } from "./keyed-names.ts";
import type { KnownThread } from "./known-threads.ts";
import { unknownThread } from "./known-threads.ts";
import { fullIdOf, rowKey } from "./row-key.ts";
import { numberOf, textOf } from "./row-values.ts";
import { busy, conflict, rewound, threadCorrupt, threadDeleted } from "./thread-errors.ts";
import { soundText } from "./thread-reader.ts";
import { countRetry } from "./trace-verb.ts";

/** A batch on its way to the end of a thread. */
export interface Append {
  readonly threadId: string;
  readonly batch: PreparedBatch;
  readonly expectedVersion: ExpectedVersion;
  /** The version that the handle has seen. */
  readonly seen: number;
  readonly signal: AbortSignal | undefined;
}

type Appended = { readonly version: number; readonly duplicate: boolean };

/** How often another process may come first. Each time, one of them has written. */
const MOST_TRIES = 200;

/**
 * Writes a batch to the end of a thread's log. One round trip where nobody else has written since, two where somebody has.
 */
export async function appendBatch(
  { schema, write, deadline }: Connection,
  known: BoundedMap<KnownThread>,
  { threadId, batch, expectedVersion, seen, signal }: Append,
): Promise<Appended> {
  const sql = `SELECT * FROM ${schema}.append($1::text, $2::text, $3::text, $4::text::int, $5::text, $6::text::json, $7::text::json, $8::text::json)`;
  const ids = batch.entries.map(({ entry }) => entry.id);
  const fixed = [rowKey(threadId), fullIdOf(threadId), String(expectedVersion), seen];
  const entries = `[${batch.entries.map(({ json }) => json).join(",")}]`;
  let thread = known.get(threadId) ?? unknownThread();
  const isLate = deadline();
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const { indexed, index, placed } = argumentsOf(thread, batch);
    const rows = await write(sql, [...fixed, thread.head ?? null, index, placed, entries], signal);
    const kind = textOf(rows[0], "kind");
    if (kind === "moved") {
      // Nothing was known of it before the first time.
      if (tries > 0 || thread.head !== undefined) countRetry();
      thread = movedThread(rows, batch);
      known.set(threadId, thread);
      if (isLate()) break;
      continue;
    }
    if (kind === "written") remember(known, threadId, thread, indexed);
    else if (kind !== "known" && kind !== "replaced" && kind !== "empty") known.delete(threadId);
    return outcomeOf(rows, { batch, ids, expectedVersion, seen });
  }
  throw busy();
}

function argumentsOf(
  thread: KnownThread,
  batch: PreparedBatch,
): { readonly indexed: IndexedBatch; readonly index: string; readonly placed: string } {
  const needed = factKeys(batch);
  const facts = new Map<string, string>();
  for (const key of needed) {
    const value = thread.facts.get(key);
    if (value !== undefined) facts.set(key, value);
  }
  const indexed = indexBatch({ head: thread.head, facts, batch });
  const absent = needed.filter((key) => !facts.has(key)).map(rowKey);
  const ids = batch.entries.map(({ entry }) => rowKey(entry.id));
  const index = { ...indexArguments(indexed), ids, absent, needed: needed.map(rowKey) };
  return {
    indexed,
    index: JSON.stringify(index),
    placed: JSON.stringify(rowArguments(batch, indexed)),
  };
}

function remember(
  known: BoundedMap<KnownThread>,
  threadId: string,
  { facts }: KnownThread,
  { head, facts: changed }: IndexedBatch,
): void {
  for (const [key, value] of changed) facts.set(key, value);
  known.set(threadId, { head, facts });
}

/** What another writer left, of that which the batch needs. */
function movedThread(rows: readonly PostgresRow[], batch: PreparedBatch): KnownThread {
  const { facts } = unknownThread();
  const names = keyedNames(factKeys(batch));
  for (const row of rows.slice(1)) facts.set(names(textOf(row, "k")), textOf(row, "v") ?? "");
  const head = textOf(rows[0], "v");
  if (versionOf(head) !== numberOf(rows[0], "n")) throw threadCorrupt("head");
  return { head, facts };
}

function outcomeOf(
  rows: readonly PostgresRow[],
  {
    batch,
    ids,
    expectedVersion,
    seen,
  }: {
    readonly batch: PreparedBatch;
    readonly ids: readonly string[];
    readonly expectedVersion: ExpectedVersion;
    readonly seen: number;
  },
): Appended {
  const kind = textOf(rows[0], "kind");
  switch (kind) {
    case "written":
    case "empty":
      return { version: numberOf(rows[0], "n"), duplicate: false };
    case "known":
    case "replaced": {
      const names = keyedNames(ids);
      const stored = new Map<string, string>();
      const replaced = new Map<string, readonly ReplacedEntry[]>();
      for (const row of rows.slice(0, -1)) {
        const id = names(textOf(row, "k"));
        const json = soundText({ ...row, c: row["n"] });
        if (textOf(row, "kind") === "known") stored.set(id, json);
        else replaced.set(id, [...(replaced.get(id) ?? []), { nth: 0, json }]);
      }
      isKnownBatch(batch, stored, replaced);
      return { version: numberOf(rows.at(-1), "n"), duplicate: true };
    }
    case "conflict":
      throw conflict("thread's version", expectedVersion, numberOf(rows[0], "n"));
    case "deleted":
      throw threadDeleted();
    case "rewound":
      throw rewound(seen, numberOf(rows[0], "n"));
    default:
      throw threadCorrupt(kind === "corrupt" ? "last" : "answer");
  }
}
