import type { HistoryEntry } from "@agent-history/core";
import { contentHash } from "@agent-history/core/kit";

/** Entries are immutable, so each object is hashed once. */
const remembered = new WeakMap<HistoryEntry, string>();

/**
 * Hashes the content of an entry and how it is rendered: all fields except `createdAtMs` and `metadata`, which no model sees. The same object is
 * hashed once; equal entries have equal hashes.
 */
export function entryHash(entry: HistoryEntry): string {
  const known = remembered.get(entry);
  if (known !== undefined) return known;
  const { createdAtMs, metadata, ...shown } = entry;
  const hash = contentHash(shown);
  remembered.set(entry, hash);
  return hash;
}
