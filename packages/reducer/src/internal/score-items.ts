import type { HistoryEntry } from "@agent-history/core";

import type { DraftItem } from "./draft.ts";
import type { Request } from "./request.ts";
import { stepFailed } from "./step-failed.ts";
import { settle } from "./task.ts";
import type { Task } from "./task.ts";
import { textOfEntry } from "./text-of-entry.ts";

/** Asks the scorer what each old item that may be dropped is worth; an item is worth its best entry. */
export function* scoreItems(
  items: readonly DraftItem[],
  question: HistoryEntry | undefined,
  { options }: Request,
): Task<void> {
  const { scorer, signal } = options;
  if (scorer === undefined) return;
  const scored = items.filter(({ isProtected, isOfThisTurn }) => !isProtected && !isOfThisTurn);
  const entries = scored.flatMap((item) => item.entries);
  const scores = yield* settle(
    scorer.score(question === undefined ? "" : textOfEntry(question), entries, signal),
  );
  if (scores.length !== entries.length || !scores.every((score) => Number.isFinite(score))) {
    throw stepFailed(scorer.name, `gave no finite score for each of ${entries.length} entries`);
  }
  let next = 0;
  for (const item of scored) {
    item.score = Math.max(...scores.slice(next, (next += item.entries.length)));
  }
}

/** Items with the highest score first; those without one before all. */
export function byWorth(items: readonly DraftItem[]): readonly DraftItem[] {
  return items
    .toReversed()
    .toSorted((one, other) => (other.score ?? Infinity) - (one.score ?? Infinity));
}
