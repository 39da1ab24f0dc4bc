import type { Content } from "./content.ts";
import type { EntryBase } from "./entry-base.ts";
import { stamp } from "./entry-sources.ts";
import type { EntrySources } from "./entry-sources.ts";
import type { JsonValue } from "./json.ts";

/** JSON that a program keeps in the thread, for example a session item that is no message. It has no role and is never shown to a model. */
export interface OpaqueEntry extends EntryBase {
  readonly type: "opaque";
  /** Any JSON, returned as it came. */
  readonly data: JsonValue;
  /** A line for user interfaces; never shown to a model. */
  readonly content?: Content;
}

/**
 * Builds an `opaque` entry. Every store keeps it whole; reads return it, formats leave it out, counters count nothing.
 *
 * @example
 * ```ts
 * import { isRendered, opaque } from "@agent-history/core";
 *
 * const mark = opaque({ data: { step: 3 } }, { newId: () => "o1", now: () => 0 });
 * // => { type: "opaque", id: "o1", createdAtMs: 0, data: { step: 3 } }
 * isRendered(mark);
 * // => false
 * ```
 */
export function opaque(
  fields: Omit<OpaqueEntry, "type" | "id" | "createdAtMs"> & {
    readonly id?: string;
    readonly createdAtMs?: number;
  },
  sources?: EntrySources,
): OpaqueEntry {
  return { ...fields, ...stamp(fields, sources), type: "opaque" };
}
