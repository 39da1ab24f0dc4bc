import type { SessionFacts, SessionItem } from "../transcript-item.ts";

/** Returns an item for the facts that differ from what is known, if there are any. */
export function changedFacts(
  known: SessionFacts,
  found: { readonly [Key in keyof SessionFacts]: SessionFacts[Key] | undefined },
): SessionItem | undefined {
  const keys: readonly (keyof SessionFacts)[] = [
    "sessionId",
    "cwd",
    "title",
    "version",
    "gitBranch",
  ];
  const changed = keys.flatMap((key) =>
    found[key] !== undefined && found[key] !== known[key] ? [[key, found[key]] as const] : [],
  );
  return changed.length === 0 ? undefined : { kind: "session", facts: Object.fromEntries(changed) };
}
