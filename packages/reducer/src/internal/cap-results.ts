import { currentEntry } from "./draft.ts";
import type { Draft } from "./draft.ts";
import { halvings, headAndTail } from "./propose-results.ts";
import type { Request } from "./request.ts";
import { takeEdit } from "./run-steps.ts";
import type { Task } from "./task.ts";

const BECAUSE = { step: "cap-results", reason: "larger than one result may be" };

/** Shrinks every result that alone has more than its share of the window, before it is first sent. */
export function* capResults(draft: Draft, request: Request): Task<void> {
  const most = request.maxResultTokens;
  if (most === Infinity) return;
  for (const [entry, item] of draft.itemOf) {
    if (entry.type !== "observation" || item.tokens <= most) continue;
    for (const room of halvings(most * 2, 8)) {
      if ((yield* request.count(currentEntry(item, entry))) <= most) break;
      yield* takeEdit({ entry, edit: headAndTail(room) }, BECAUSE, { draft, request });
    }
  }
}
