import { findQuestion } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

import type { Block } from "../../internal/seal-plan.ts";
import type { Task } from "../../internal/task.ts";
import { textOfEntry } from "../../internal/text-of-entry.ts";
import type { ContinuedFit, Planned } from "../../recall.ts";
import { chooseQuotes, quoteTokens } from "./choose-quotes.ts";
import { keptWhole } from "./kept-whole.ts";
import { candidatesOf, lengthOf, orderByWorth } from "./open-choice.ts";
import type { Candidate } from "./open-choice.ts";
import { WISH_TOKENS } from "./recall-settings.ts";
import type { RecallSettings } from "./recall-settings.ts";

/**
 * Chooses what is quoted at the beginning of the prompt after a cut: the user's standing wishes, newest first, then what says most for its length,
 * whatever the question.
 */
export function* chooseHead(
  { plan, entries }: Planned,
  budget: number,
  { request, settings }: Pick<ContinuedFit, "request"> & { readonly settings: RecallSettings },
): Task<Block | undefined> {
  const { viewer } = request.options;
  const question = findQuestion(entries, viewer);
  const kept = keptWhole(entries, plan.decisions);
  const before = firstRequest(entries, plan.decisions);
  if (before === undefined || question === undefined || budget <= 0) return undefined;
  const shown = (entry: HistoryEntry): boolean => kept.has(entry);
  const at = entries.lastIndexOf(question);
  const candidates = candidatesOf(entries, at, settings.quotesTools).filter(
    ({ entry }) => !shown(entry),
  );
  const wishes: Candidate[] = [];
  for (const candidate of candidates.toReversed()) {
    if (!isWish(candidate.entry, settings.wishes)) continue;
    if ((yield* quoteTokens(candidate.entry, request)) <= WISH_TOKENS) wishes.push(candidate);
  }
  const known = new Set(wishes);
  const others = yield* orderByWorth(candidates, "", request);
  const order = [...wishes, ...others.filter((candidate) => !known.has(candidate))];
  const id = `recall-head:${before.entry.id}`;
  return yield* chooseQuotes(order, shown, { id, before, budget }, request);
}

/** Finds the first request that is kept and does not stay wherever it stands: the head stands before it, never between a call and its result. */
function firstRequest(
  entries: readonly HistoryEntry[],
  decisions: Planned["plan"]["decisions"],
): Candidate | undefined {
  let place = 0;
  for (const { action, entryCount } of decisions) {
    const end = place + entryCount;
    const isKept = action.kind === "keep" || action.kind === "edit";
    for (place = isKept ? place : end; place < end; place++) {
      const entry = entries[place];
      const asks = entry?.type === "user_message" || entry?.type === "task";
      if (asks && entry.pinned !== true) return { entry, place };
    }
  }
  return undefined;
}

/** Tells whether the user said how things are to be from now on. */
function isWish(entry: HistoryEntry, pattern: RegExp): boolean {
  // What is longer by far is no wish.
  if (entry.type !== "user_message" || lengthOf(entry) > 2 * WISH_TOKENS) return false;
  return textOfEntry(entry).search(pattern) >= 0;
}
