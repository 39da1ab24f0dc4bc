import type { Breach, Trial } from "./trial.ts";

/** L1: each id once, each result directly after its action, each call answered unless its agent still works. */
export function judgePairs({ fitted, after }: Trial): readonly Breach[] {
  const { actionOf, resultsOf, open, running } = after.pairs;
  const breaches: Breach[] = [];
  const found = (rule: string, at: string): void => {
    breaches.push({ law: "L1", rule, at });
  };
  const seen = new Set<string>();
  for (const [index, entry] of fitted.entries()) {
    const { id, type } = entry;
    if (seen.has(id)) found("id twice", id);
    seen.add(id);
    if (type === "observation" && !actionOf.has(entry)) found("orphan result", id);
    if (type !== "action") continue;
    if (open.has(entry) && !running.has(entry)) found("unanswered call", id);
    const results = resultsOf.get(entry) ?? [];
    const isTogether = results.every((result, nth) => fitted[index + 1 + nth] === result);
    if (!isTogether) found("scattered results", id);
  }
  return breaches;
}
