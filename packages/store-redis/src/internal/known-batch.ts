import { countsOf, isKnownBatch } from "@agent-history/store-kit/indexed";
import type { PreparedBatch, ReplacedEntry } from "@agent-history/store-kit/indexed";

import { lookUpReplaced } from "./answer-fetch.ts";
import { confirmWrite } from "./confirm-write.ts";
import { encodeField } from "./encode-key-part.ts";
import type { Operation } from "./operation.ts";
import { listOf, textOf } from "./reply.ts";
import { positionOf } from "./short-thread.ts";
import type { StoreContext } from "./store-context.ts";
import { threadReader } from "./thread-reader.ts";
import type { ThreadLocation } from "./tree-keys.ts";

/** What stood under the ids of a batch and was replaced. Nothing is asked where nothing was. */
export async function replacedOf(
  { link }: StoreContext,
  operation: Operation,
  {
    location,
    head,
    batch,
  }: {
    readonly location: ThreadLocation;
    readonly head: string | undefined;
    readonly batch: PreparedBatch;
  },
): Promise<ReadonlyMap<string, readonly ReplacedEntry[]>> {
  if (countsOf(head).replacements === 0) return new Map();
  const ids = batch.entries.map(({ entry }) => entry.id);
  const { commands, read } = lookUpReplaced(location, { kind: "replaced", ids });
  const replies = await operation.read((signal) =>
    Promise.all(commands.map((command) => link.send(location.replaced, command, signal))),
  );
  return read(replies).replaced;
}

/** Compares a batch of which something was replaced with what it stood for; gives the version, or nothing where the thread moved on meanwhile. */
export async function knownVersion(
  context: StoreContext,
  operation: Operation,
  given: {
    readonly location: ThreadLocation;
    readonly batch: PreparedBatch;
    readonly replaced: ReadonlyMap<string, readonly ReplacedEntry[]>;
  },
): Promise<number | undefined> {
  const { location, batch } = given;
  const reader = threadReader(context, operation, location);
  await reader.answer([{ kind: "thread" }]);
  const thread = reader.found();
  if (thread === undefined) return undefined;
  const key = thread.short === undefined ? location.ids : location.short;
  const fields = batch.entries.map(({ entry }) => encodeField(entry.id));
  const found = await operation.read((signal) =>
    context.link.send(key, ["HMGET", key, ...fields], signal),
  );
  const isKnown = await isDuplicate(context, operation, { ...given, found: listOf(found) });
  return isKnown ? thread.version : undefined;
}

/**
 * Compares a batch with what its ids stand for already. False where that is gone meanwhile.
 *
 * @throws `HistoryError` with code `DUPLICATE_ID` if an id stands for another entry.
 */
export async function isDuplicate(
  context: StoreContext,
  operation: Operation,
  {
    location,
    batch,
    found,
    replaced,
  }: {
    readonly location: ThreadLocation;
    readonly batch: PreparedBatch;
    readonly found: readonly unknown[];
    readonly replaced?: ReadonlyMap<string, readonly ReplacedEntry[]>;
  },
): Promise<boolean> {
  const summaries: string[] = [];
  const idsByPosition = new Map<number, string>();
  const values = new Map<string, string>();
  for (const [index, { entry }] of batch.entries.entries()) {
    const value = textOf(found[index]);
    const position = positionOf(value);
    if (value === "s") summaries.push(entry.id);
    else if (value !== undefined && position !== undefined) {
      idsByPosition.set(position, entry.id);
      values.set(entry.id, value);
    }
  }
  const positions = [...idsByPosition.keys()].toSorted((one, other) => one - other);
  const reader = threadReader(context, operation, location);
  const [, rows, taken] = await reader.answer([
    { kind: "thread" },
    { kind: "entries", positions },
    { kind: "summaries", ids: summaries },
  ]);
  const stored = new Map<string, string>();
  for (const { position, json } of rows?.kind === "entries" ? rows.rows : []) {
    stored.set(idsByPosition.get(position) ?? "", json);
  }
  for (const { id, json } of taken?.kind === "summaries" ? taken.summaries : [])
    stored.set(id, json);
  // A row that is gone or broken still takes its id.
  for (const id of [...idsByPosition.values(), ...summaries]) {
    if (!stored.has(id)) stored.set(id, "null");
  }
  if (!isKnownBatch(batch, stored, replaced)) return false;
  const key = reader.found()?.short === undefined ? location.ids : location.short;
  const fields = [...values].map(([id, value]) => ({ key, field: encodeField(id), value }));
  return confirmWrite(context, operation, { location, found: fields });
}
