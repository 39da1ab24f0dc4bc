import type { HistoryEntry } from "@agent-history/core";

const encoder = new TextEncoder();

/** The JSON of entries, so that an entry that is asked for again is not written again (L13). */
const remembered = new WeakMap<HistoryEntry, string>();

/** Gives a fingerprint of entries: SHA-256 of their JSON, in hexadecimal. The order of keys says nothing: stores may change it. */
export async function digestEntries(entries: readonly HistoryEntry[]): Promise<string> {
  const bytes = encoder.encode(entries.map(jsonOf).join("\n"));
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function jsonOf(entry: HistoryEntry): string {
  const json = remembered.get(entry) ?? JSON.stringify(entry, sortKeys);
  remembered.set(entry, json);
  return json;
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const keys = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(keys);
}
