import { HistoryError, sameJson } from "@agent-history/core";
import type { EntrySources, HistoryEntry, JsonObject } from "@agent-history/core";
import { contentHash } from "@agent-history/core/kit";

import type { SessionMutation } from "../session-types.ts";
import { invalid, packItems } from "./read-transaction.ts";
import type { Transaction } from "./read-transaction.ts";
import { clearedEntry, isOperation, itemEntry, itemOf, operationEntry } from "./session-log.ts";
import type { LogChange, SessionLog } from "./session-log.ts";

/** Takes the newest item away. */
export function planPop({ items, entries }: SessionLog): LogChange | undefined {
  const from = items.at(-1)?.entry;
  return from && { from, replacement: operationsFrom(entries, from) };
}

/** Takes everything away, operations too. */
export function planClear(
  { entries: [from] }: SessionLog,
  sources: EntrySources,
): LogChange | undefined {
  return from && { from, replacement: [clearedEntry(sources)] };
}

/** Adds items or replaces the newest ones, and notes the operation beside them. */
export function planTransaction(
  log: SessionLog,
  { operationId, expected, items, said }: Transaction,
  sources: EntrySources,
): LogChange | undefined {
  const hash = contentHash(said);
  const known = log.operations.get(operationId);
  if (known === hash) return undefined;
  if (known !== undefined) {
    throw invalid("Session history operation was already applied with a different transaction.");
  }
  const suffix = suffixOf(log, expected);
  const added = [...entriesOf(items, sources), operationEntry(operationId, hash, sources)];
  return changeFrom(log, suffix, added);
}

/** Replaces calls; what stands before the first of them is not touched. */
export function planMutations(
  log: SessionLog,
  mutations: readonly SessionMutation[],
  sources: EntrySources,
): LogChange | undefined {
  const mutated = mutatedEntries(log, mutations, sources);
  const at = log.entries.findIndex((entry, index) => entry !== mutated[index]);
  const from = log.entries[at];
  return from && { from, replacement: mutated.slice(at) };
}

/** Replaces all items. */
export function planCompaction(
  log: SessionLog,
  items: readonly JsonObject[],
  sources: EntrySources,
): LogChange {
  return changeFrom(log, log.items[0]?.entry, entriesOf(items, sources));
}

/** Replaces what stands from an entry on; without one, adds: then the last entry stands again. */
function changeFrom(
  { entries }: SessionLog,
  suffix: HistoryEntry | undefined,
  added: readonly HistoryEntry[],
): LogChange {
  const from = suffix ?? entries.at(-1);
  if (from === undefined) {
    throw new HistoryError("Expected the thread of a session to have begun.", {
      code: "THREAD_CORRUPT",
    });
  }
  const kept = suffix === undefined ? [from] : operationsFrom(entries, from);
  return { from, replacement: [...kept, ...added] };
}

/** The first entry of the items that a session must end with. */
function suffixOf(
  { items }: SessionLog,
  expected: readonly JsonObject[],
): HistoryEntry | undefined {
  const suffix = expected.length === 0 ? [] : items.slice(-expected.length);
  const isSame =
    suffix.length === expected.length &&
    suffix.every(({ item }, at) => sameJson(item, expected[at] ?? null));
  if (isSame) return suffix[0]?.entry;
  throw invalid("Session history suffix no longer matches the transaction precondition.");
}

/** What was carried out behind an entry is not forgotten with it. */
function operationsFrom(
  entries: readonly HistoryEntry[],
  from: HistoryEntry,
): readonly HistoryEntry[] {
  return entries.slice(entries.indexOf(from)).filter(isOperation);
}

function entriesOf(items: readonly JsonObject[], sources: EntrySources): readonly HistoryEntry[] {
  return items.map((item) => itemEntry(item, sources));
}

/** The entries of a log after mutations: the first call of an id is replaced, others of this id go, the rest stays the same. */
function mutatedEntries(
  { entries }: SessionLog,
  mutations: readonly SessionMutation[],
  sources: EntrySources,
): readonly HistoryEntry[] {
  return mutations.reduce<readonly HistoryEntry[]>((before, { type, callId, replacement }) => {
    if (type !== "replace_function_call")
      throw invalid("Unsupported session history mutation type.");
    const [packed] = packItems([replacement]);
    let isReplaced = false;
    return before.flatMap((entry) => {
      const item = itemOf(entry);
      if (item?.["type"] !== "function_call" || item["callId"] !== callId) return [entry];
      if (isReplaced || packed === undefined) return [];
      isReplaced = true;
      return [itemEntry(packed, sources)];
    });
  }, entries);
}
