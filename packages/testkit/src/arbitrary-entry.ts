import type { EntryOf, EntryType, HistoryEntry } from "@agent-history/core";
import { ENTRY_TYPES } from "@agent-history/core";
import * as fc from "fast-check";

import type { TextConstraints } from "./arbitrary-text.ts";
import { entryArbitraries } from "./internal/entry-arbitraries.ts";

/** What entries to generate. */
export interface EntryConstraints<Type extends EntryType = EntryType> {
  /** The one type. Default: every type, equally often. */
  readonly type?: Type;
  /** Which optional fields are set. Default `some`. */
  readonly optional?: "all" | "some" | "none";
  /** What texts are like. */
  readonly text?: TextConstraints;
}

/**
 * Generates single entries, well-typed and no more: ids repeat, and references have no target.
 *
 * @example
 * ```ts
 * import { arbitraryEntry } from "@agent-history/testkit";
 * import * as fc from "fast-check";
 *
 * const actions = fc.sample(arbitraryEntry({ type: "action", optional: "all" }), 100);
 * actions.every((action) => action.toolCalls.length > 0 && action.turnId !== undefined);
 * // => true
 * ```
 */
export function arbitraryEntry<Type extends EntryType = EntryType>(
  constraints?: EntryConstraints<Type>,
): fc.Arbitrary<EntryOf<Type>>;
export function arbitraryEntry(constraints: EntryConstraints = {}): fc.Arbitrary<HistoryEntry> {
  const { type, optional = "some", text = {} } = constraints;
  const arbitraries = entryArbitraries(optional, text);
  if (type !== undefined) return arbitraries[type];
  return fc.oneof(...ENTRY_TYPES.map((each) => arbitraries[each]));
}
