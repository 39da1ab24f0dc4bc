import type { Draft } from "./draft.ts";
import { dropItem, dropWhole } from "./drop-items.ts";
import type { Request } from "./request.ts";
import { shortenItems } from "./shorten-items.ts";
import type { Task } from "./task.ts";

const BECAUSE = { step: "fit", reason: "nothing else is left to give" };

/** Drops the opening, where more is used than there is. */
export function dropOpening(draft: Draft, { budget }: Request): void {
  for (const item of draft.items) {
    if (draft.total <= budget) return;
    if (item.held !== "opening") continue;
    for (const mate of item.unit.items) delete mate.held;
    dropWhole(draft, item, BECAUSE);
  }
}

/** Shortens what belongs to something protected, where more is used than there is. Of a request of many messages the first go in the end. */
export function* shortenHeld(draft: Draft, request: Request): Task<void> {
  let items = draft.items.filter(({ held, isDropped }) => held === "start" && !isDropped);
  while (draft.total > request.budget && items.length > 0) {
    const room = items.reduce((sum, { tokens }) => sum + tokens, request.budget - draft.total);
    if (yield* shortenItems({ draft, request }, items, { room, because: BECAUSE })) return;
    const asked = items.filter(
      ({ entries, unit }) => unit.holdsQuestion && entries[0]?.type === "user_message",
    );
    const going = new Set(asked.slice(0, Math.ceil(asked.length / 2)));
    if (going.size === 0) return;
    for (const item of going) {
      dropItem(draft, item, BECAUSE);
      // What they led to may have no place then.
      for (const mate of item.unit.items) delete mate.held;
    }
    items = items.filter((item) => !item.isDropped);
  }
}
