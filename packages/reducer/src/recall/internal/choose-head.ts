import type { HistoryEntry } from "@agent-history/core";

import type { Block } from "../../internal/seal-plan.ts";
import type { Task } from "../../internal/task.ts";
import type { Planned } from "../../recall.ts";
import { shownTest } from "./block-lists.ts";
import type { Recalling } from "./block-lists.ts";
import { candidatesOf, lengthOf, orderByWorth } from "./candidates.ts";
import type { Candidate } from "./candidates.ts";
import { chooseQuotes, quoteTokens } from "./choose-quotes.ts";
import { keptWhole } from "./kept-whole.ts";
import { saidBy } from "./quote-entry.ts";
import { WISH_TOKENS } from "./recall-settings.ts";

/**
 * Chooses what is quoted at the beginning of the prompt after a cut: the user's standing wishes, newest first, then what says most for its length,
 * whatever the question.
 *
 * @param blocks - What is quoted all the same.
 */
export function* chooseHead(
  { plan, entries }: Planned,
  budget: number,
  { fit, planner, settings }: Recalling,
  blocks: readonly Block[] = [],
): Task<Block | undefined> {
  const { request } = fit;
  const question = planner.findQuestion(entries, request.options.viewer);
  const kept = keptWhole(entries, plan.decisions);
  const before = firstRequest(entries, plan.decisions, question);
  if (before === undefined || question === undefined || budget <= 0) return undefined;
  const isShown = shownTest(kept, { head: undefined, blocks });
  const at = entries.lastIndexOf(question);
  const candidates = candidatesOf(entries, at, settings.quotesTools);
  const wishes: Candidate[] = [];
  for (const candidate of candidates.toReversed()) {
    if (isShown(candidate.entry) || !isWish(candidate.entry, settings.wishes)) continue;
    if ((yield* quoteTokens(candidate.entry, request)) <= WISH_TOKENS) wishes.push(candidate);
  }
  const known = new Set(wishes);
  const isOther = (one: Candidate): boolean => !known.has(one) && !isShown(one.entry);
  // All of the view, as for a question: a scorer that remembers it indexes nothing anew.
  const others = (yield* orderByWorth(candidates, "", fit, planner)).filter(isOther);
  const order = [...wishes, ...others];
  const id = `recall-head:${before.entry.id}`;
  return yield* chooseQuotes(order, isShown, { id, before, budget }, request);
}

/** Finds the first request that is kept and is the question or does not stay wherever it stands: the head stands before it, never between a call and its result. */
function firstRequest(
  entries: readonly HistoryEntry[],
  decisions: Planned["plan"]["decisions"],
  question: HistoryEntry | undefined,
): Candidate | undefined {
  let place = 0;
  for (const { action, entryCount } of decisions) {
    const end = place + entryCount;
    const isKept = action.kind === "keep" || action.kind === "edit";
    for (place = isKept ? place : end; place < end; place++) {
      const entry = entries[place];
      const asks = entry?.type === "user_message" || entry?.type === "task";
      if (asks && (entry.pinned !== true || entry === question)) return { entry, place };
    }
  }
  return undefined;
}

/** Returns whether the user said how things are to be from now on. */
function isWish(entry: HistoryEntry, pattern: RegExp | undefined): boolean {
  // What is longer by far is no wish.
  const isLong = lengthOf(entry) > 2 * WISH_TOKENS;
  if (pattern === undefined || entry.type !== "user_message" || isLong) return false;
  return saidBy(entry).search(pattern) >= 0;
}
