import type { ExpectedVersion } from "@agent-history/core";
import { MAX_OPERATIONS, replaceProgram, runProgramAsync } from "@agent-history/store-kit/indexed";
import type { PreparedReplacement, SuffixChange } from "@agent-history/store-kit/indexed";

import type { PostgresRow } from "../postgres-client.ts";
import { confirmThread } from "./change-view.ts";
import { checksumOf } from "./checksum.ts";
import type { Connection } from "./connection.ts";
import { indexArguments, rowArguments } from "./index-arguments.ts";
import { rowKey } from "./row-key.ts";
import { numberOf, textOf } from "./row-values.ts";
import { busy, rewound, threadCorrupt, threadDeleted, threadMissing } from "./thread-errors.ts";
import { threadReader } from "./thread-reader.ts";

/** How often another process may write to the thread first. */
const MOST_TRIES = 50;

/** A replacement on its way. */
export interface Replacement extends PreparedReplacement {
  readonly threadId: string;
  readonly expectedVersion: ExpectedVersion;
  /** The version that the handle has seen. */
  readonly seen: number;
  readonly signal: AbortSignal | undefined;
}

/** Works a replacement out and writes it, where the thread is still as it was read; else once more. */
export async function replaceSuffix(
  connection: Connection,
  options: Replacement,
): Promise<{ readonly version: number }> {
  const { threadId, seen, signal } = options;
  const isLate = connection.deadline();
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const reader = threadReader(connection, threadId, { isRequired: true, signal });
    const change = await runProgramAsync(replaceProgram(options), reader.answer);
    const row =
      change.kind === "known"
        ? await confirmThread(connection, threadId, signal)
        : await writeSuffix(connection, options, change);
    const kind = textOf(row, "kind");
    if (kind === "written") return { version: change.version };
    if (kind === "missing") throw threadMissing();
    if (kind === "deleted") throw threadDeleted();
    if (kind === "rewound") throw rewound(seen, numberOf(row, "n"));
    if (kind !== "moved") throw threadCorrupt("answer");
    if (isLate()) break;
  }
  throw busy();
}

async function writeSuffix(
  { schema, write }: Connection,
  { threadId, batch, seen, signal }: Replacement,
  change: SuffixChange,
): Promise<PostgresRow | undefined> {
  const sql = `SELECT * FROM ${schema}.replace_suffix($1::text, $2::text::int, $3::text, $4::text, $5::text::json, $6::text::json, $7::text::json)`;
  const { base, position, references } = change;
  const overlays = base.overlays.map(({ id, json }) => `${checksumOf(json)} ${rowKey(id)}`);
  const rows = JSON.stringify(rowArguments(batch, { references, position }));
  const entries = `[${batch.entries.map(({ json }) => json).join(",")}]`;
  const values = [rowKey(threadId), seen, base.head ?? null, overlays.join("\n")];
  const [row] = await write(sql, [...values, suffixArguments(change), rows, entries], signal);
  return row;
}

/** Writes a change as the function takes it. */
function suffixArguments(change: SuffixChange): string {
  const { position, nth, head, facts, references, removed, states, operation } = change;
  const written = new Map<string, string>();
  for (const [key, fact] of facts) if (fact !== undefined) written.set(key, fact);
  const gone = [...facts.keys()].filter((key) => !written.has(key));
  return JSON.stringify({
    ...indexArguments({ version: change.entryCount, head, facts: written, references }),
    position,
    nth,
    newVersion: change.version,
    streams: change.streams.map(rowKey),
    gone: gone.map(rowKey),
    removed: removed.map(({ id }) => rowKey(id)),
    views: [...states].map(([view, state]) => ({ view: rowKey(view), state })),
    operation: rowKey(operation.id),
    hash: operation.hash,
    most: MAX_OPERATIONS,
  });
}
