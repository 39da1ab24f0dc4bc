import type { ItemTurns } from "./item-turns.ts";
import { clash } from "./roles.ts";
import type { WorkingItem, Unit } from "./working-plan.ts";

/** Marks what goes last of a unit: its requests, the last answer to each, and what keeps their roles apart. */
export function markCore({ items, holdsQuestion }: Unit, { turn, named }: ItemTurns): void {
  const asked = new Set<number>();
  // A turn that is joined with another bears the other's number.
  const keysOf = (item: WorkingItem): readonly number[] => [turn(item), named(item) + 0.5];
  /** By turn; and, below 0, by the request that stands before: a turn may be named otherwise. */
  const answers = new Map<number, WorkingItem>();
  let request = 0;
  let isInRow = false;
  for (const item of items) {
    if (item.opens === undefined) continue;
    if (isTold(item)) item.mayGoFirst = !item.isRequest;
    if (item.isRequest) {
      for (const key of keysOf(item)) asked.add(key);
      if (!isInRow) request -= 1;
    }
    isInRow = item.isRequest;
    if (item.opens !== "assistant") continue;
    for (const key of [...keysOf(item), request]) {
      const known = answers.get(key);
      const isAsked = key < 0 || asked.has(key);
      // An exchange stands for an answer where there is none.
      if (isAsked && (known === undefined || isAnswer(item) || !isAnswer(known))) {
        answers.set(key, item);
      }
    }
  }
  for (const answer of answers.values()) answer.mayGoFirst = false;
  let last: WorkingItem | undefined;
  let bridge: WorkingItem | undefined;
  for (const item of items) {
    if (item.opens === undefined || item.isSilent === true) continue;
    if (!item.mayGoFirst || item.protectedAs !== undefined) {
      if (bridge !== undefined && isTold(item) && clash(last, item)) bridge.mayGoFirst = false;
      [last, bridge] = [item, undefined];
    } else if (item.closes !== last?.closes && !clash(last, item)) bridge = item;
  }
  // The next request may follow.
  if (bridge !== undefined && last?.closes === "user" && !holdsQuestion) bridge.mayGoFirst = false;
}

/** Returns whether an item is what an agent says at the end of its work. */
export function isAnswer({ entries: [first] }: WorkingItem): boolean {
  return (
    first?.type === "assistant_message" || first?.type === "final" || first?.type === "synthesis"
  );
}

/** Returns whether an item counts for its turn: what stands for itself does not. */
export function isTold({ opens, protectedAs }: WorkingItem): boolean {
  return opens !== undefined && protectedAs !== "pinned";
}
