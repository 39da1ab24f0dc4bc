import { HistoryError } from "@agent-history/core";
import { runProgramAsync } from "@agent-history/store-kit/indexed";
import type {
  CompactionChange,
  CompactionKnown,
  StoreProgram,
} from "@agent-history/store-kit/indexed";

import type { PostgresRow } from "../postgres-client.ts";
import { checksumOf } from "./checksum.ts";
import type { Connection } from "./connection.ts";
import { rowKey } from "./row-key.ts";
import { numberOf, textOf } from "./row-values.ts";
import { busy, threadCorrupt, threadDeleted, threadMissing } from "./thread-errors.ts";
import { threadReader } from "./thread-reader.ts";

/** How often another process may change the same view first. */
const MOST_TRIES = 50;

/** Works a change out and writes it, where the view is still as it was read; else once more. */
export async function changeView(
  connection: Connection,
  { threadId, signal }: { readonly threadId: string; readonly signal: AbortSignal | undefined },
  program: () => StoreProgram<CompactionChange | CompactionKnown>,
): Promise<{ readonly viewRevision: number }> {
  const isLate = connection.deadline();
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const reader = threadReader(connection, threadId, { isRequired: true, signal });
    const change = await runProgramAsync(program(), reader.answer);
    const row = await writeChange(connection, threadId, change, signal);
    const kind = textOf(row, "kind");
    if (kind === "moved" && isLate()) break;
    if (kind === "moved") continue;
    if (kind === "written") {
      const { viewRevision } = change;
      return { viewRevision: change.kind === "known" ? viewRevision : numberOf(row, "n") };
    }
    throw refusal(kind, change);
  }
  throw busy();
}

/** Writes that a thread was asked, so that an answer of what is there is as durable as the first one. */
export async function confirmThread(
  { schema, write }: Connection,
  threadId: string,
  signal: AbortSignal | undefined,
): Promise<PostgresRow | undefined> {
  const sql = `SELECT * FROM ${schema}.change_view($1::text, NULL, NULL, NULL, NULL, NULL, NULL, NULL)`;
  const [row] = await write(sql, [rowKey(threadId)], signal);
  return row;
}

/** Nothing is changed where the summary is known; a commit makes the answer as durable as the first one. */
async function writeChange(
  connection: Connection,
  threadId: string,
  change: CompactionChange | CompactionKnown,
  signal: AbortSignal | undefined,
): Promise<PostgresRow | undefined> {
  const { schema, write } = connection;
  const sql = `SELECT * FROM ${schema}.change_view($1::text, $2::text, $3::text::int, $4::text, $5::text, $6::text::int, $7::text, $8::text)`;
  const key = rowKey(threadId);
  if (change.kind === "known") return confirmThread(connection, threadId, signal);
  const { view, viewRevision, state, add, remove } = change;
  const added =
    add === undefined ? [null, null, null] : [rowKey(add.id), checksumOf(add.json), add.json];
  const removed = remove === undefined ? null : rowKey(remove);
  const values = [key, rowKey(view), viewRevision, state, ...added, removed];
  const [row] = await write(sql, values, signal);
  return row;
}

function refusal(
  kind: string | undefined,
  change: CompactionChange | CompactionKnown,
): HistoryError {
  if (kind === "missing") return threadMissing();
  if (kind === "deleted") return threadDeleted();
  if (kind !== "taken" || change.kind === "known") return threadCorrupt("answer");
  const entryId = change.add?.id ?? "";
  return new HistoryError(
    `The entry id ${JSON.stringify(entryId)} belongs to another entry of the thread. Nothing was written.`,
    { code: "DUPLICATE_ID", details: { entryId } },
  );
}
