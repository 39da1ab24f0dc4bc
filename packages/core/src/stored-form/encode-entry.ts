import type { HistoryEntry } from "../history-entry.ts";
import { parseEntry } from "./parse-entry.ts";

/**
 * The version of the stored form that {@link encodeEntry} writes. A release that adds a built-in type, or a field, writes such entries with a
 * higher version: an older release then reports them, and takes no new type for one of the user's own.
 */
export const STORED_VERSION = 1;

/** An entry as a store keeps it: itself, and the version `v` of its form. Plain JSON. */
export type StoredEntry = HistoryEntry & { readonly v: typeof STORED_VERSION };

/**
 * Returns the form of an entry that a store keeps as JSON. Checks it first, so that nothing is written that
 * `decodeEntry` could not read.
 *
 * @throws `HistoryError` with code `INVALID_ENTRY` if the entry breaks its type.
 */
export function encodeEntry(entry: HistoryEntry): StoredEntry {
  return { v: STORED_VERSION, ...parseEntry(entry) };
}
