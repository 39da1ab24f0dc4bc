import type { SessionFacts, SessionItem } from "../transcript-item.ts";

/** Notes facts of a session, and returns an item for those that differ from what was known, if there are any. */
export function changedFacts(
  state: { facts: SessionFacts },
  found: { readonly [Key in keyof SessionFacts]: SessionFacts[Key] | undefined },
): readonly SessionItem[] {
  const known = new Map(Object.entries(state.facts));
  const changed = Object.entries(found).filter(
    ([key, value]) => value !== undefined && value !== known.get(key),
  );
  if (changed.length === 0) return [];
  const facts: SessionFacts = Object.fromEntries(changed);
  state.facts = { ...state.facts, ...facts };
  return [{ kind: "session", facts }];
}
