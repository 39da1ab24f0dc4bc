import type { Content } from "./content.ts";
import type { EntryBase } from "./entry-base.ts";
import { stamp } from "./entry-sources.ts";
import type { EntrySources } from "./entry-sources.ts";
import { isEntryType } from "./entry-types.ts";
import type { HistoryEntry } from "./history-entry.ts";
import { HistoryError } from "./history-error.ts";

/** The fields of a custom entry. */
export interface CustomEntryFields extends Omit<EntryBase, "id" | "createdAtMs"> {
  /** Any text but the name of a built-in type. */
  readonly type: string;
  readonly id?: string;
  readonly createdAtMs?: number;
  /** Shown to a model as a user message. Without it the entry is stored but never sent. */
  readonly content?: Content;
  /** Any JSON. */
  readonly [field: string]: unknown;
}

/**
 * Builds a custom entry. Every store keeps it unchanged; the default filter shows it, and so do clauses that name its type.
 *
 * @throws `HistoryError` with code `INVALID_ENTRY` if the type is a built-in one or empty.
 *
 * @example
 * ```ts
 * import { customEntry } from "@agent-history/core";
 *
 * customEntry({ type: "feedback", stars: 5 }, { newId: () => "f1", now: () => 0 });
 * // => { type: "feedback", id: "f1", createdAtMs: 0, stars: 5 }
 * ```
 */
export function customEntry(fields: CustomEntryFields, sources?: EntrySources): HistoryEntry {
  if (fields.type === "" || isEntryType(fields.type)) {
    throw new HistoryError("Expected `type` to be a name of your own, not a built-in type.", {
      code: "INVALID_ENTRY",
      details: { path: "type" },
    });
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the union names the built-in types, so that a switch over them narrows
  return { ...fields, ...stamp(fields, sources) } as HistoryEntry;
}
