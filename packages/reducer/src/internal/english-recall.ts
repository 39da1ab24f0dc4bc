import type { RecallBlocksOptions } from "../recall/recall-blocks.ts";

/** What says how things are to be from now on. */
const standingWishes =
  /^\s*(?:please\s+)?(?:always|never)\b|\bfrom now on\b|\b(?:please|you should|make sure (?:to|you)|be sure to)\s+(?:always|never)\b|\bi(?:'d| would| really| always| generally| usually| strongly)?\s+prefer\b|\bmy preference\b|\bi(?:'d| would)\s+rather\b|\bcall me\b|\bremember (?:that|to|this|my)\b|\bdon['’]t ever\b|\bevery time (?:i|you)\b|\bwhenever (?:i|you)\b|\bi (?:hate|can['’]t stand|dislike|avoid)\b|\bin (?:the )?future,? (?:please|always|never)\b|\bgoing forward\b/iu;

/** What asks about order, a summary, or the whole. */
const wholeQuestions =
  /\b(?:throughout|across|over the course of) (?:our|all|the|my)\b|\bin (?:what|which) order\b|\bthe order in which\b|\bsummar(?:y|i[sz]e)\b|\brecap\b|\btimeline\b|\boverview\b|\bhow (?:has|have) .{1,200} (?:progressed|evolved|developed|changed)\b|\bso far\b|\bhow many (?:different|total|times)\b|\bin total\b|\blist (?:all|every|the)\b|\bwalk me through\b/iu;

/** How wishes and questions about the whole read in English: options of `recallBlocks`. */
export const ENGLISH_RECALL: Pick<RecallBlocksOptions, "standingWishes" | "wholeQuestions"> = {
  standingWishes,
  wholeQuestions,
};
