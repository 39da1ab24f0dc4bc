import type { HistoryEntry } from "../history-entry.ts";
import { parseEntry } from "./parse-entry.ts";

/** The version of the stored form that {@link encodeEntry} writes. */
export const STORED_VERSION = 1;

/** An entry as a store keeps it: itself, and the version `v` of its form. Plain JSON. */
export type StoredEntry = HistoryEntry & { readonly v: typeof STORED_VERSION };

/**
 * Gives the form of an entry that a store keeps as JSON. Checks it first, so that nothing is written that
 * `decodeEntry` could not read.
 *
 * @throws `HistoryError` with code `INVALID_ENTRY` where the entry breaks its type.
 */
export function encodeEntry(entry: HistoryEntry): StoredEntry {
  return { v: STORED_VERSION, ...parseEntry(entry) };
}
