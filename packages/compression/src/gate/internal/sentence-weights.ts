import type { HistoryEntry } from "@agent-history/core";

import type { FactTally } from "../../facts/internal/tally-facts.ts";

/** Weighs what is a fact as a whole sentence or line: an agent needs what is still open. */
export function sentenceWeigher(
  covered: readonly HistoryEntry[],
  later: readonly HistoryEntry[],
  facts: readonly FactTally[],
): (fact: FactTally) => number {
  const answered = lastPositions(covered, later);
  const failed = new Set(facts.flatMap(({ kind, entries }) => (kind === "error" ? entries : [])));
  const worked = lastSuccesses(covered, later, failed);
  return ({ kind, entries, origins }) => {
    const position = entries.at(-1) ?? 0;
    const entry = covered[position];
    const isOld = covered.length - position > Math.max(NEWEST, covered.length / 2);
    switch (kind) {
      case "question":
        return position >= answered[isFromUser(entry) ? "agent" : "user"] ? 0.9 : 0.1;
      case "decision":
        return (origins.has("user") ? 0.6 : 0.4) - (isOld ? 0.2 : 0);
      case "error": {
        const tool = entry?.type === "observation" ? entry.toolName : "";
        return position > (worked.get(tool) ?? -1) ? 0.7 : 0.1;
      }
      default:
        return position >= covered.length - NEWEST ? 0.55 : 0.2;
    }
  };
}

/** This many entries at the end are what an agent is doing. */
const NEWEST = 6;

function isFromUser(entry: HistoryEntry | undefined): boolean {
  return entry?.type === "user_message" || entry?.type === "task";
}

function isAnswer({ type }: HistoryEntry): boolean {
  return type === "assistant_message" || type === "final" || type === "synthesis";
}

/** Where user and agent last spoke; `Infinity` where they do so after what is covered. */
function lastPositions(
  covered: readonly HistoryEntry[],
  later: readonly HistoryEntry[],
): { readonly user: number; readonly agent: number } {
  return {
    user: later.some(isFromUser) ? Infinity : covered.findLastIndex(isFromUser),
    agent: later.some(isAnswer) ? Infinity : covered.findLastIndex(isAnswer),
  };
}

/** For each tool where it last gave a result without an error; what failed outside a call is over with the next answer. */
function lastSuccesses(
  covered: readonly HistoryEntry[],
  later: readonly HistoryEntry[],
  failed: ReadonlySet<number>,
): ReadonlyMap<string, number> {
  const last = new Map<string, number>();
  for (const [position, entry] of covered.entries()) {
    if (isAnswer(entry)) last.set("", position);
    if (entry.type !== "observation" || entry.outcome !== "success" || failed.has(position))
      continue;
    last.set(entry.toolName, position);
  }
  for (const entry of later) {
    if (isAnswer(entry)) last.set("", Infinity);
    if (entry.type === "observation" && entry.outcome === "success")
      last.set(entry.toolName, Infinity);
  }
  return last;
}
