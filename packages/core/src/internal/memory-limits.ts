import { findNonJson } from "../find-non-json.ts";
import type { HistoryEntry } from "../history-entry.ts";
import { HistoryError } from "../history-error.ts";
import { MAX_BATCH_BYTES, MAX_BATCH_ENTRIES, MAX_ENTRY_BYTES } from "../store-limits.ts";

/** Refuses a batch of more entries or bytes than a store takes, before anything is written. */
export function requireLimits(batch: readonly HistoryEntry[]): void {
  const refused = refusalOfSize(batch);
  if (refused !== undefined) throw refused;
}

/** Returns the error of a batch of more entries or bytes than a store takes. */
export function refusalOfSize(batch: readonly HistoryEntry[]): HistoryError | undefined {
  if (batch.length > MAX_BATCH_ENTRIES) {
    return tooLarge("entries a batch", MAX_BATCH_ENTRIES, batch.length);
  }
  let total = 0;
  for (const entry of batch) {
    const bytes = bytesOf(entry) + VERSION_BYTES;
    if (bytes > MAX_ENTRY_BYTES) {
      return tooLarge("bytes an entry", MAX_ENTRY_BYTES, bytes, entry.id);
    }
    total += bytes;
  }
  return total > MAX_BATCH_BYTES ? tooLarge("bytes a batch", MAX_BATCH_BYTES, total) : undefined;
}

/** Refuses a value of state that is not JSON, or larger than an entry may be. */
export function requireSmallState(value: unknown): void {
  const found = findNonJson(value);
  if (found !== undefined) {
    throw new HistoryError(
      `Expected a value of state to be JSON; got ${found.kind}. Nothing was written.`,
      { code: "INVALID_OPTION", details: { option: "value", path: found.path } },
    );
  }
  const bytes = bytesOf(value);
  if (bytes > MAX_ENTRY_BYTES) throw tooLarge("bytes of state", MAX_ENTRY_BYTES, bytes);
}

/** The stored form carries `"v":1,` besides. */
const VERSION_BYTES = '"v":1,'.length;

function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

function tooLarge(what: string, limit: number, actual: number, entryId?: string): HistoryError {
  return new HistoryError(
    `Expected at most ${limit} ${what}, got ${actual}. Keep large files outside and refer to them; send long batches in parts.`,
    { code: "TOO_LARGE", details: { limit, actual, entryId } },
  );
}
