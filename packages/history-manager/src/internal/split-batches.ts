import { HistoryError } from "@agent-history/core";

import type { UnnumberedEntry } from "./unnumbered-entry.ts";

/** What a store takes at once; bytes are of JSON in UTF-8. */
const MAX_ENTRIES = 500;
const MAX_BYTES = 4_000_000;

/** What the stored form adds at most to an entry, and a number to a source. */
const ENTRY_BYTES = 16;
const NUMBER_BYTES = 32;

const encoder = new TextEncoder();

/** Splits drafts into batches that a store takes, in order. A draft that alone is too large is a batch, for the store to refuse. */
export function splitBatches(
  drafts: readonly UnnumberedEntry[],
): readonly (readonly UnnumberedEntry[])[] {
  const batches: UnnumberedEntry[][] = [];
  let bytes = 0;
  for (const draft of drafts) {
    const size = bytesOf(draft);
    const last = batches.at(-1);
    if (last === undefined || last.length >= MAX_ENTRIES || bytes + size > MAX_BYTES) {
      batches.push([draft]);
      bytes = size;
      continue;
    }
    last.push(draft);
    bytes += size;
  }
  return batches;
}

/** Refuses what must be kept in one write and is too large for one. */
export function requireOneBatch(drafts: readonly UnnumberedEntry[]): void {
  if (splitBatches(drafts).length <= 1) return;
  throw new HistoryError(
    `Expected one write to have at most ${MAX_ENTRIES} entries and ${MAX_BYTES} bytes; got ${drafts.length} entries that are more. Nothing was written. Keep large files elsewhere, and attach where they are.`,
    { code: "TOO_LARGE", details: { limit: MAX_ENTRIES, actual: drafts.length } },
  );
}

function bytesOf({ entry, sources = [] }: UnnumberedEntry): number {
  const json = jsonOf([entry, sources]);
  return encoder.encode(json).length + ENTRY_BYTES + sources.length * NUMBER_BYTES;
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    throw new HistoryError(
      "Expected entries to be JSON; got one that cannot be written: cyclic, too deep, or with a field that throws. Nothing was written.",
      { code: "INVALID_ENTRY", details: { path: "" } },
    );
  }
}
