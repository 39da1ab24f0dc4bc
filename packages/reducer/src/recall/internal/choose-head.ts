import type { HistoryEntry } from "@agent-history/core";

import type { MaybeAsync } from "../../internal/maybe-async.ts";
import type { Block } from "../../internal/seal-plan.ts";
import type { Planned } from "../../recall.ts";
import { shownTest } from "./block-lists.ts";
import type { Recalling } from "./block-lists.ts";
import { candidatesOf, lengthOf, orderByWorth } from "./candidates.ts";
import type { Candidate } from "./candidates.ts";
import { chooseQuotes, quoteTokens } from "./choose-quotes.ts";
import { keptWhole } from "./kept-whole.ts";
import { saidBy } from "./quote-entry.ts";
import { WISH_TOKENS } from "./recall-settings.ts";
import type { RecallSettings } from "./recall-settings.ts";

/**
 * Chooses what is quoted at the beginning of the prompt after a cut: the user's standing wishes, newest first, then what says most for its length,
 * whatever the question.
 *
 * @param blocks - What is quoted all the same.
 */
export function* chooseHead(
  planned: Planned,
  budget: number,
  { fit, planner, settings }: Recalling,
  blocks: readonly Block[] = [],
): MaybeAsync<Block | undefined> {
  const { context } = fit;
  const { entries } = planned;
  const question = planner.findQuestion(entries, context.options.viewer);
  const before = firstRequest(planned, question);
  if (before === undefined || question === undefined || budget <= 0) return undefined;
  const isShown = shownTest(keptWhole(planned), { head: undefined, blocks });
  const at = entries.lastIndexOf(question);
  const candidates = candidatesOf(entries, at, settings.quotesTools);
  const wishes: Candidate[] = [];
  for (const candidate of candidates.toReversed()) {
    if (isShown(candidate.entry) || !isWish(candidate.entry, settings)) continue;
    if ((yield* quoteTokens(candidate.entry, context)) <= WISH_TOKENS) wishes.push(candidate);
  }
  const known = new Set(wishes.map(({ entry }) => entry));
  const isOther = ({ entry }: Candidate): boolean => !known.has(entry) && !isShown(entry);
  // All of the view, as for a question: a scorer that remembers it indexes nothing anew.
  const others = (yield* orderByWorth(candidates, "", fit, planner)).filter(isOther);
  const id = `recall-head:${before.entry.id}`;
  return yield* chooseQuotes([...wishes, ...others], isShown, { id, before, budget }, context);
}

/** Finds the first request that is kept and is the question or does not stay wherever it stands: the head stands before it, never between a call and its result. */
function firstRequest(planned: Planned, question: HistoryEntry | undefined): Candidate | undefined {
  const kept = keptWhole(planned, "edit");
  const index = planned.entries.findIndex((entry) => {
    const asks = entry.type === "user_message" || entry.type === "task";
    return asks && kept.has(entry) && (entry.pinned !== true || entry === question);
  });
  const entry = planned.entries[index];
  return entry && { entry, index };
}

/** Returns whether the user said how things are to be from now on. */
function isWish(entry: HistoryEntry, settings: RecallSettings): boolean {
  // What is longer by far is no wish.
  const isShort = lengthOf(entry) <= 2 * WISH_TOKENS;
  return entry.type === "user_message" && isShort && settings.isWish(saidBy(entry)) > 0;
}
