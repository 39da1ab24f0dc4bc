import { isOverlay } from "../apply-compactions.ts";
import { findNonJson } from "../find-non-json.ts";
import type { HistoryEntry } from "../history-entry.ts";
import { HistoryError } from "../history-error.ts";
import { sameJson } from "../same-json.ts";
import { MAX_BATCH_ENTRIES } from "../store-limits.ts";
import { refusalOfSize } from "./memory-limits.ts";
import { asJson, duplicateId, entryOf } from "./memory-thread.ts";
import type { MemoryThread } from "./memory-thread.ts";

/**
 * Checks a batch by itself: its size, its ids, that it is JSON, and that no summary comes in by append that stands in a view.
 *
 * @returns The batch as JSON gives it back: what is read later throws nothing.
 */
export function soundBatch(
  batch: readonly HistoryEntry[],
  tokens: ReadonlyMap<string, readonly number[]>,
): readonly HistoryEntry[] {
  const read = readBatch(batch);
  if (read.refused !== undefined) throw read.refused;
  for (const counts of tokens.values()) requireCounts(counts, read.entries.length);
  return read.entries;
}

/** Our own refusal is returned: whatever is thrown is the data's, a `HistoryError` too, and its message may hold content. */
function readBatch(
  batch: readonly HistoryEntry[],
):
  | { readonly refused: HistoryError }
  | { readonly refused?: never; readonly entries: readonly HistoryEntry[] } {
  try {
    const refused = refusalOf(batch);
    return refused === undefined ? { entries: asJson(batch) } : { refused };
  } catch {
    return { refused: notAnEntry() };
  }
}

function refusalOf(batch: readonly HistoryEntry[]): HistoryError | undefined {
  // Before the sizes: what cannot be written has none.
  if (batch.length <= MAX_BATCH_ENTRIES) {
    for (const entry of batch) {
      const refused = refusalOfEntry(entry);
      if (refused !== undefined) return refused;
    }
  }
  return refusalOfSize(batch) ?? refusalOfIds(batch);
}

/** What every store refuses, whatever the type: other stores check the fields of a built-in type besides. */
function refusalOfEntry(entry: HistoryEntry): HistoryError | undefined {
  // JSON leaves out a field that is `undefined`.
  for (const [field, value] of Object.entries(entry)) {
    if (value === undefined) continue;
    const found = findNonJson(value);
    if (found === undefined) continue;
    const path = [field, ...(found.path === "" ? [] : [found.path])].join(".");
    return invalidEntry(entry, path, `JSON; got ${found.kind}`);
  }
  const { id, type, createdAtMs } = entry;
  if (typeof id !== "string" || id === "") return invalidEntry(entry, "id", "a non-empty string");
  if (typeof type !== "string") return invalidEntry(entry, "type", "a non-empty string");
  if (!Number.isInteger(createdAtMs) || createdAtMs < 0) {
    return invalidEntry(entry, "createdAtMs", "an integer of 0 or more");
  }
  return Object.hasOwn(entry, "v") ? invalidEntry(entry, "v", "no field of this name") : undefined;
}

function invalidEntry({ id, type }: HistoryEntry, path: string, expected: string): HistoryError {
  return new HistoryError(`Expected ${expected} at \`${path}\`. Nothing was written.`, {
    code: "INVALID_ENTRY",
    details: {
      path,
      entryId: typeof id === "string" && id !== "" ? id : undefined,
      entryType: typeof type === "string" ? type : undefined,
    },
  });
}

function refusalOfIds(batch: readonly HistoryEntry[]): HistoryError | undefined {
  const seen = new Set<string>();
  for (const entry of batch) {
    if (typeof entry !== "object" || typeof entry.id !== "string") return notAnEntry();
    if (isOverlay(entry)) return standsInView(entry.id);
    if (seen.has(entry.id)) return duplicateId(entry.id, "stands twice in the batch");
    seen.add(entry.id);
  }
  return undefined;
}

/**
 * Checks a checked batch against the thread. All or nothing: a batch is new, or is known whole.
 *
 * @returns Whether it is known.
 */
export function isKnownBatch(
  thread: MemoryThread | undefined,
  batch: readonly HistoryEntry[],
): boolean {
  let firstKnown: string | undefined;
  let knownCount = 0;
  for (const entry of batch) {
    const isTaken = thread?.overlays.some(({ id }) => id === entry.id) === true;
    const earlier = thread === undefined ? [] : everUnder(thread, entry.id);
    const isKnown = earlier.length > 0;
    if (isTaken || (isKnown && !earlier.some((one) => sameJson(one, entry)))) {
      throw duplicateId(entry.id, "stands for another entry of the thread");
    }
    if (!isKnown) continue;
    firstKnown ??= entry.id;
    knownCount += 1;
  }
  if (firstKnown === undefined) return false;
  if (knownCount === batch.length) return true;
  throw duplicateId(
    firstKnown,
    "is known, others of the batch are not: send each batch again as it was",
  );
}

/** What stands and stood under an id. */
function everUnder(thread: MemoryThread, id: string): readonly HistoryEntry[] {
  const earlier = thread.replaced.get(id)?.map((one) => one.entry) ?? [];
  return [...earlier, entryOf(thread, id) ?? []].flat();
}

function notAnEntry(): HistoryError {
  return new HistoryError(
    "Expected entries: JSON objects with an id; got another value. Nothing was written.",
    { code: "INVALID_ENTRY", details: { path: "" } },
  );
}

function standsInView(entryId: string): HistoryError {
  return new HistoryError(
    "Expected entries other than summaries of a view: add those with commitCompaction. Nothing was written.",
    { code: "INVALID_ENTRY", details: { path: "view", entryId } },
  );
}

function requireCounts(counts: readonly number[], length: number): void {
  if (counts.length === length && counts.every((count) => count >= 0 && count < Infinity)) return;
  throw new HistoryError(
    `Expected \`tokens\` to have one count for each of the ${length} entries. Nothing was written.`,
    { code: "INVALID_OPTION", details: { option: "tokens" } },
  );
}
