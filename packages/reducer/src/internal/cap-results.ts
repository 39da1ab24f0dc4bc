import type { EntryEdit } from "@agent-history/core";

import { editEntry } from "../edit-entry.ts";
import type { FitContext } from "./fit-context.ts";
import type { MaybeAsync } from "./maybe-async.ts";
import { headAndTail } from "./propose-results.ts";
import { isEditable, takeEdit } from "./run-steps.ts";
import { roomOf } from "./shorten-to-fit.ts";
import { currentEntry } from "./working-plan.ts";
import type { WorkingPlan } from "./working-plan.ts";

const BECAUSE = { step: "cap-results", reason: "larger than one result may be" };
/** Shares of the guessed room that are tried, until a cut is small enough. */
const LEAST = 0.01;
const SHARES = [1, 0.9, 0.8, 0.5, 0.25, 0.1, LEAST];

/**
 * Shortens the text of every result that alone has more than its share of the window, before it is first sent. A result that no cut of its text
 * brings below its share stays as it is.
 */
export function* capResults(draft: WorkingPlan, context: FitContext): MaybeAsync<void> {
  const most = context.maxResultTokens;
  if (most === Infinity) return;
  for (const [entry, item] of draft.itemOf) {
    if (entry.type !== "observation" || item.tokens <= most || !isEditable(item, entry)) continue;
    const current = currentEntry(item, entry);
    const tokens = yield* context.count(current);
    if (tokens <= most) continue;
    const room = roomOf(current, most / tokens);
    const before = item.edits.get(entry)?.edit;
    const editTo = (share: number): EntryEdit => {
      return { ...before, ...headAndTail(Math.max(8, Math.floor(room * share))) };
    };
    const isHopeless = (yield* context.count(editEntry(entry, editTo(LEAST)))) > most;
    for (const share of isHopeless ? [] : SHARES) {
      const edit = editTo(share);
      if ((yield* context.count(editEntry(entry, edit))) > most) continue;
      yield* takeEdit({ entry, edit }, BECAUSE, { draft, context });
      break;
    }
  }
}
