import { HistoryError } from "@agent-history/core";
import type { ExpectedVersion } from "@agent-history/core";
import {
  factKeys,
  indexBatch,
  isKnownBatch,
  requireVersion,
  textKey,
  versionOf,
} from "@agent-history/store-kit";
import type { IndexedBatch, PreparedBatch } from "@agent-history/store-kit";

import { factsOf, replacedOf, rowOfEntry, soundJson, summariesOf } from "./answer-fetch.ts";
import { entryChecksum } from "./checksum.ts";
import { addReferences } from "./reference-rows.ts";
import type { Sql } from "./sql.ts";
import { createThread } from "./thread-row.ts";
import type { ThreadRow } from "./thread-row.ts";

/** Writes a batch to the end of a thread's log, with its index. Within a transaction. */
export function appendBatch(
  sql: Sql,
  {
    threadId,
    thread,
    batch,
    expectedVersion,
  }: {
    readonly threadId: string;
    readonly thread: ThreadRow | undefined;
    readonly batch: PreparedBatch;
    readonly expectedVersion: ExpectedVersion;
  },
): { readonly version: number; readonly duplicate: boolean } {
  const version = thread?.version ?? 0;
  const replaced = replacedOf(
    sql,
    thread,
    batch.entries.map(({ entry }) => entry.id),
  );
  const isKnown = isKnownBatch(batch, knownOf(sql, thread, batch), replaced);
  if (isKnown) return { version, duplicate: true };
  requireVersion(expectedVersion, thread?.version);
  if (batch.entries.length === 0) return { version, duplicate: false };
  requireAgreement(sql, thread);
  const facts = factsOf(sql, thread, factKeys(batch));
  const indexed = indexBatch({ head: thread?.head, facts, batch });
  // A row that is created here already has the time of its first entries.
  const updatedAtMs = thread === undefined ? 0 : Date.now();
  const number = thread?.thread ?? createThread(sql, threadId, { version: 0 });
  writeEntries(sql, number, indexed.position, batch);
  writeIndex(sql, number, { ...indexed, updatedAtMs });
  return { version: version + batch.entries.length, duplicate: false };
}

/** The stored form of those ids of a batch that the thread has, as entries or as summaries. */
function knownOf(
  sql: Sql,
  thread: ThreadRow | undefined,
  batch: PreparedBatch,
): ReadonlyMap<string, string> {
  const known = new Map<string, string>();
  if (thread === undefined) return known;
  const ids = batch.entries.map(({ entry }) => entry.id);
  for (const id of ids) {
    const row = rowOfEntry(sql, thread, id);
    if (row !== undefined) known.set(id, soundJson(row));
  }
  for (const { id, json } of summariesOf(sql, thread, ids)) known.set(id, json);
  return known;
}

/** Refuses to write on to a thread whose log and head disagree: somebody else changed the file. */
function requireAgreement(sql: Sql, thread: ThreadRow | undefined): void {
  if (thread === undefined) return;
  const { entryCount, head } = thread;
  const last = thread.stretches.find(({ from, to }) => from < entryCount && entryCount <= to);
  const row = sql.get("SELECT max(position) AS last FROM entries WHERE thread = ?", thread.thread);
  const isOwn = last?.thread === thread.thread;
  const isWhole = row?.["last"] === (isOwn ? entryCount - 1 : null);
  if (isWhole && versionOf(head) === entryCount) return;
  throw new HistoryError(
    `The thread's log does not end where its head says (${entryCount} entries). Nothing was written; check it with verify, and read what is left.`,
    { code: "THREAD_CORRUPT", details: { entryCount } },
  );
}

/** Writes entries from a position on. */
export function writeEntries(
  sql: Sql,
  thread: number,
  position: number,
  batch: PreparedBatch,
): void {
  for (const [index, { entry, json, tokens = null }] of batch.entries.entries()) {
    sql.run(
      "INSERT INTO entries (thread, position, id, json, tokens, sum) VALUES (?, ?, ?, ?, ?, ?)",
      thread,
      position + index,
      textKey(entry.id),
      json,
      tokens,
      entryChecksum(position + index, json, tokens),
    );
  }
}

/** Writes what is kept beside the entries: head, facts and references. */
export function writeIndex(
  sql: Sql,
  thread: number,
  {
    version,
    head,
    facts,
    references,
    updatedAtMs = 0,
  }: Omit<IndexedBatch, "position"> & {
    /** Where the log changes with it. */
    readonly updatedAtMs?: number;
  },
): void {
  sql.run(
    "UPDATE threads SET version = ?, head = ?, updated_at_ms = max(updated_at_ms, ?) WHERE thread = ?",
    version,
    head,
    updatedAtMs,
    thread,
  );
  for (const [key, value] of facts) {
    sql.run(
      "INSERT INTO facts (thread, key, value) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
      thread,
      textKey(key),
      value,
    );
  }
  for (const [stream, rows] of references) addReferences(sql, thread, stream, rows);
}
