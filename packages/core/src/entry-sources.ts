import { uuidV7 } from "./uuid-v7.ts";

/** Where ids and times come from; pass your own to make them repeatable (L8). */
export interface EntrySources {
  /** Returns a new unique id. Default: UUIDv7, which sorts by time. */
  readonly newId?: () => string;
  /** Returns the time in epoch milliseconds. Default: the clock. */
  readonly now?: () => number;
}

/** Returns `fields` the id and time they lack. */
export function stamp(
  fields: { readonly id?: string; readonly createdAtMs?: number },
  sources: EntrySources = {},
): { readonly id: string; readonly createdAtMs: number } {
  const { newId = uuidV7, now = Date.now } = sources;
  return { id: fields.id ?? newId(), createdAtMs: fields.createdAtMs ?? now() };
}
