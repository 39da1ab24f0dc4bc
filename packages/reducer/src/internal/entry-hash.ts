import type { HistoryEntry } from "@agent-history/core";
import { contentHash } from "@agent-history/core/kit";

/** Entries do not change: each object is hashed once. */
const remembered = new WeakMap<HistoryEntry, string>();

/**
 * Hashes what an entry says and how it is rendered: all its fields but `createdAtMs` and `metadata`, which no model is shown. The same object is
 * hashed once; an equal one has the same hash.
 */
export function entryHash(entry: HistoryEntry): string {
  const known = remembered.get(entry);
  if (known !== undefined) return known;
  const { createdAtMs, metadata, ...shown } = entry;
  const hash = contentHash(shown);
  remembered.set(entry, hash);
  return hash;
}
