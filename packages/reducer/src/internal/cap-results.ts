import type { EntryEdit, HistoryEntry } from "@agent-history/core";

import { editEntry } from "../edit-entry.ts";
import type { FitContext } from "./fit-context.ts";
import type { MaybeAsync } from "./maybe-async.ts";
import { headAndTail } from "./propose-results.ts";
import { isEditable, takeEdit } from "./run-steps.ts";
import { roomOf } from "./shorten-to-fit.ts";
import { textOfEntry } from "./text-of-entry.ts";
import { currentEntry, isOpen, sizeOf } from "./working-plan.ts";
import type { Because, Guess, WorkingItem, WorkingPlan } from "./working-plan.ts";

const BECAUSE = { step: "cap-results", reason: "larger than one result may be" };
/** Shares of the guessed room that are tried, until a cut is small enough. */
const LEAST = 0.01;
const SHARES = [0.98, 0.9, 0.8, 0.5, 0.25, 0.1, LEAST];

/**
 * Shortens the text of every result that alone has more than its share of the window, before it is first sent. A result that no cut of its text
 * brings below its share stays as it is.
 */
export function* capResults(draft: WorkingPlan, context: FitContext): MaybeAsync<void> {
  for (const item of draft.items) {
    // Nearly all are smaller: each cut asks this four times of each item, and makes nothing for the answer.
    if (item.tokens <= context.maxResultTokens) continue;
    for (const entry of item.entries) {
      if (!isOpen(item, entry)) yield* capResult(item, entry, { draft, context });
    }
  }
}

/** Shortens a result of known size. */
export function* capResult(
  item: WorkingItem,
  entry: HistoryEntry,
  { draft, context }: { readonly draft: WorkingPlan; readonly context: FitContext },
): MaybeAsync<void> {
  const most = context.maxResultTokens;
  const tokens = sizeOf(item, entry);
  if (entry.type !== "observation" || tokens <= most || !isEditable(item, entry)) return;
  const current = currentEntry(item, entry);
  const before = item.edits?.get(entry)?.edit;
  const editTo = (share: number): EntryEdit => {
    return { ...before, ...capEdit(current, most / tokens, share).edit };
  };
  const isHopeless = (yield* context.count(editEntry(entry, editTo(LEAST)))) > most;
  for (const share of isHopeless ? [] : SHARES) {
    const edit = editTo(share);
    if ((yield* context.count(editEntry(entry, edit))) > most) continue;
    yield* takeEdit({ entry, edit }, BECAUSE, { draft, context });
    return;
  }
}

/** Shortens a result to a share of its text. */
export function capEdit(
  entry: HistoryEntry,
  share: number,
  least = 1,
): { readonly edit: EntryEdit; readonly because: Because } {
  const characters = Math.max(8, Math.floor(roomOf(entry, share) * least));
  return { edit: headAndTail(characters), because: BECAUSE };
}

/** Returns the tokens of a text by a part of it that has more than `most`; `undefined` where a part that is large enough by what is guessed has not. */
export function* tokensIfOver(
  entry: HistoryEntry,
  { tokens }: Guess,
  most: number,
  { count }: FitContext,
): MaybeAsync<number | undefined> {
  const part = editEntry(entry, capEdit(entry, (most / tokens) * 1.1).edit);
  const counted = yield* count(part);
  if (counted <= most) return undefined;
  return Math.ceil((counted * textOfEntry(entry).length) / textOfEntry(part).length);
}
