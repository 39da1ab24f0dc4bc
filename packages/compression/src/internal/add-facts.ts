import type { Concept } from "@agent-history/core";

/** Adds what was found later to what is known. Where one answer holds, it is the newest. */
export function addFacts(
  all: Map<string, readonly string[]>,
  { keyword, factType }: Concept,
  facts: readonly string[],
): void {
  if (facts.length === 0) return;
  const known = all.get(keyword) ?? [];
  all.set(keyword, factType === "single" ? facts.slice(0, 1) : [...new Set([...known, ...facts])]);
}
