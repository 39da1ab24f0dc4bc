import { currentEntry, itemsByEntry } from "./draft.ts";
import type { Draft } from "./draft.ts";
import type { Request } from "./request.ts";
import { takeEdit } from "./run-steps.ts";
import type { Task } from "./task.ts";

const BECAUSE = { step: "cap-results", reason: "is larger than one result may be" };

/** Shrinks every result that alone has more than its share of the window, before it is first sent. */
export function* capResults(draft: Draft, request: Request): Task<void> {
  if (request.maxResultTokens === Infinity) return;
  const itemOf = itemsByEntry(draft);
  for (const item of draft.items) {
    if (item.isDropped || item.tokens <= request.maxResultTokens) continue;
    for (const entry of item.entries) {
      if (entry.type !== "observation") continue;
      let room = request.maxResultTokens * 4;
      while (
        room > 16 &&
        (yield* request.count(currentEntry(item, entry))) > request.maxResultTokens
      ) {
        room = Math.floor(room / 2);
        const edit = { text: { head: Math.ceil(room * 0.7), tail: Math.floor(room * 0.3) } };
        yield* takeEdit({ entry, edit }, BECAUSE, { draft, request, itemOf });
      }
    }
  }
}
