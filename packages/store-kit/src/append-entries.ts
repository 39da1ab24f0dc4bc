import type { ExpectedVersion } from "@agent-history/core";
import { HistoryError, sameJson } from "@agent-history/core";

import type { Ask, Item, ItemKey, Row } from "./driver.ts";
import { duplicateId, isVersionMet, requireVersion, versionOf } from "./head.ts";
import type { Head } from "./head.ts";
import { keyedHash } from "./keyed-hash.ts";
import type { PreparedBatch, PreparedEntry } from "./prepare-batch.ts";
import {
  contentOf,
  laneOf,
  positionIn,
  replacedUnder,
  rowOf,
  standingAt,
  storedEntry,
  takeEntry,
  turnIdOf,
} from "./stored-log.ts";
import type { LogState } from "./stored-log.ts";
import { summaryJson } from "./summaries.ts";
import { beginHead, lookAt, writeThread } from "./thread-access.ts";
import type { HeadChange, Known, ThreadAccess } from "./thread-access.ts";

/** The answer to an append. */
export interface Appended {
  readonly version: number;
  readonly duplicate: boolean;
}

/** After how many rows a row carries the state of the log. */
const STATE_EVERY = 64;
/** Within how many rows before a position there is such a row: a batch has at most 500. */
export const STATE_WITHIN: number = STATE_EVERY + 500;

/** Appends one batch. */
export async function appendBatch(
  access: ThreadAccess,
  threadId: string,
  batch: PreparedBatch,
  options: { readonly expectedVersion: ExpectedVersion; readonly signal?: AbortSignal | undefined },
): Promise<Appended> {
  const { expectedVersion, signal } = options;
  const asks = asksOf(batch);
  const isEmpty = batch.entries.length === 0;
  return writeThread<Appended>(
    access,
    threadId,
    {
      asks,
      isRecognized: true,
      decide: async (known) => {
        const version = versionOf(known.head);
        await requireNotErased(access, threadId, known.head, batch, signal);
        if (await isKnownBatch(batch, known))
          return { result: { version: version ?? 0, duplicate: true }, isKnown: true };
        requireVersion(expectedVersion, version);
        if (isEmpty) return { result: { version: version ?? 0, duplicate: false } };
        const now = access.now();
        return appended(known.head ?? beginHead(access), batch, now, lookedUp(known));
      },
      guess: (head) =>
        isEmpty || head.erased !== undefined || !isVersionMet(expectedVersion, versionOf(head))
          ? undefined
          : appended(head, batch, access.now(), undefined),
    },
    signal,
  );
}

/**
 * Refuses entries that were erased.
 *
 * @throws `HistoryError` with code `ENTRY_ERASED`.
 */
export async function requireNotErased(
  access: ThreadAccess,
  threadId: string,
  head: Head | undefined,
  batch: PreparedBatch,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (head?.erased === undefined) return;
  const hash = await keyedHash(head.key);
  const hashes = new Map(
    await Promise.all(
      batch.entries.map(async ({ entry: { id } }) => [await hash(id), id] as const),
    ),
  );
  const ask: Ask = { kind: "items", of: "e", keys: [...hashes.keys()] };
  const { answers } = await lookAt(access, threadId, [ask], signal);
  const [found] = answers[0]?.items.keys() ?? [];
  if (found === undefined) return;
  throw new HistoryError(
    "An entry of this id was erased. Nothing was written. Do not send it again.",
    {
      code: "ENTRY_ERASED",
      details: { entryId: hashes.get(found) },
    },
  );
}

/** What an append looks up: the ids of the batch, and the turns that it names. */
export function asksOf({ entries }: PreparedBatch): readonly Ask[] {
  const ids = entries.map(({ entry }) => entry.id);
  // An entry that begins a turn gives it its id.
  const turns = new Set(entries.map(({ entry: { id, turnId = id } }) => turnId));
  return [
    { kind: "named", ids },
    { kind: "items", of: "o", keys: ids },
    { kind: "items", of: "t", keys: [...turns] },
  ];
}

/** What is known of the turns that a batch names. */
export interface LookedUp {
  readonly turns: ReadonlyMap<string, string>;
  /** The items of the batch's own ids, to carry on what stood under them. */
  readonly ids: ReadonlyMap<string, string>;
}

function lookedUp({ answers: [named, , turns] }: Known): LookedUp {
  return { turns: turns?.items ?? new Map(), ids: named?.items ?? new Map() };
}

/**
 * Puts a batch behind a log.
 *
 * @param known - What was looked up. Without it, its turns are taken to be new: conditions of the change make that safe.
 */
export function appended(
  head: Head,
  batch: PreparedBatch,
  now: number,
  known: LookedUp | undefined,
): { readonly result: Appended; readonly change: HeadChange } {
  const log: LogState = { ...head.log };
  const numbers = new Map(
    [...(known?.turns ?? [])].map(([turn, value]) => [turn, Number(value.split(" ")[1])]),
  );
  const messages = new Set<string>();
  const rows: Row[] = [];
  const put: Item[] = [];
  const absent: ItemKey[] = [];
  for (const [nth, prepared] of batch.entries.entries()) {
    const { json, tokens } = prepared;
    const position = head.entryCount + nth;
    const turnId = turnIdOf(log, prepared.entry);
    const isStamped = turnId !== undefined && prepared.entry.turnId === undefined;
    const entry = isStamped ? { ...prepared.entry, turnId } : prepared.entry;
    const { id } = entry;
    const before = turnId === undefined || turnId === log.id ? undefined : numbers.get(turnId);
    const isNewTurn = turnId !== undefined && turnId !== log.id && before === undefined;
    const facts = takeEntry(log, entry, position, before);
    if (isNewTurn) {
      absent.push(["t", turnId]);
      put.push(["t", turnId, `${position} ${facts.turn} ${log.start}`]);
      numbers.set(turnId, facts.turn);
    }
    if (entry.type === "task")
      for (const agent of ["*", `=${entry.agent.id}`]) put.push(["a", agent, String(position)]);
    if (entry.type === "user_message") messages.add(id);
    absent.push(["i", id]);
    put.push(["i", id, standingAt(position, known?.ids.get(id))]);
    const keepsState = nth === batch.entries.length - 1 && position - log.saved >= STATE_EVERY;
    if (keepsState) log.saved = position;
    const stamp = isStamped ? { turnId } : {};
    const beside = { json, tokens, ...stamp, ...(keepsState && { state: { ...log } }) };
    rows.push(rowOf(position, laneOf(entry, messages), facts, beside));
  }
  const next: Head = {
    ...head,
    entryCount: head.entryCount + rows.length,
    log,
    updatedAtMs: Math.max(head.updatedAtMs, now),
  };
  return {
    result: { version: versionOf(next) ?? 0, duplicate: false },
    change: { head: next, rows, absent, put },
  };
}

/**
 * Returns whether a batch is in the thread already: all of it or nothing.
 *
 * @throws `HistoryError` with code `DUPLICATE_ID` if only a part is known, or an id stands for another entry.
 */
async function isKnownBatch(
  { entries }: PreparedBatch,
  { head, answers: [named, summaries] }: Known,
): Promise<boolean> {
  if (head === undefined || named === undefined || named.items.size === 0) return false;
  const rows = new Map(named.rows.map((row) => [row.position, row]));
  for (const prepared of entries) {
    const { id } = prepared.entry;
    const value = named.items.get(id);
    if (value === undefined || (await isSame(prepared, value))) continue;
    throw duplicateId(id, "stands for another entry of the thread");
  }
  const first = entries.find(({ entry }) => named.items.has(entry.id));
  if (entries.every(({ entry }) => named.items.has(entry.id))) return first !== undefined;
  if (first === undefined) return false;
  throw duplicateId(
    first.entry.id,
    "is known, others of the batch are not: send each batch again as it was",
  );

  async function isSame({ entry: { id }, json }: PreparedEntry, value: string): Promise<boolean> {
    const row = rows.get(positionIn(named, id) ?? -1);
    const stored =
      summaryJson(summaries?.items.get(id)) ?? row?.text.slice(row.text.indexOf("\n") + 1);
    if (stored === json || (stored !== undefined && isSameJson(stored, json))) return true;
    // An entry that was read has the id of its turn.
    if (row !== undefined && isSameJson(JSON.stringify(storedEntry(row)), json)) return true;
    const replaced = replacedUnder(value);
    if (replaced.length === 0 || head === undefined) return false;
    const hash = await (await keyedHash(head.key))(contentOf(json));
    return replaced.some((one) => one.hash === hash);
  }
}

function isSameJson(stored: string, given: string): boolean {
  try {
    const [one, other]: readonly unknown[] = [JSON.parse(stored), JSON.parse(given)];
    return sameJson(one, other);
  } catch {
    throw new HistoryError(
      "Expected the row of a known entry to be JSON. Nothing was written. Restore it from a backup.",
      { code: "THREAD_CORRUPT", details: { reason: "row" } },
    );
  }
}
