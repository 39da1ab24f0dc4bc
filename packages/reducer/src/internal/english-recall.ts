import type { RecallBlocksOptions } from "../recall/recall-blocks.ts";

/** Matches lasting wishes. */
const standingWishes =
  /^\s*(?:please\s+)?(?:always|never)\b|\bfrom now on\b|\b(?:please|you should|make sure (?:to|you)|be sure to)\s+(?:always|never)\b|\bi(?:'d| would| really| always| generally| usually| strongly)?\s+prefer\b|\bmy preference\b|\bi(?:'d| would)\s+rather\b|\bcall me\b|\bremember (?:that|to|this|my)\b|\bdon['’]t ever\b|\bevery time (?:i|you)\b|\bwhenever (?:i|you)\b|\bi (?:hate|can['’]t stand|dislike|avoid)\b|\bin (?:the )?future,? (?:please|always|never)\b|\bgoing forward\b/iu;

/** Matches questions about order, a summary, or the whole conversation. */
const wholeQuestions =
  /\b(?:throughout|across|over the course of) (?:our|all|the|my)\b|\bin (?:what|which) order\b|\bthe order in which\b|\bsummar(?:y|i[sz]e)\b|\brecap\b|\btimeline\b|\boverview\b|\bhow (?:has|have) .{1,200} (?:progressed|evolved|developed|changed)\b|\bso far\b|\bhow many (?:different|total|times)\b|\bin total\b|\blist (?:all|every|the)\b|\bwalk me through\b/iu;

/** Matches a sentence that asks: by a question mark, or by its beginning. */
const questions =
  /[?？؟]|^\s*(?:(?:and|so|but|ok(?:ay)?|well|also|please|now|then|hi|hey|hello|thanks)[,!\s]+){0,3}(?:who|whom|whose|what|which|when|where|why|how|(?:can|could|would|will) you|(?:do|did|does|is|are|was|were|have|has) (?:i|we|you|he|she|it|they|there|the|my|our)|i(?:'d| would) like (?:you )?to|i (?:need|want) (?:you )?to know|i(?:'m| am) wondering|tell|remind|list|summari[sz]e|recap|give|show|describe|explain|compare|name|find|look up|recall|walk|outline|enumerate|identify|check|help|suggest|recommend|write|draft|create|make|build|add|fix|implement|update|change|plan|review|translate|calculate)\b/iu;

/** A period ends a sentence only after at least three characters: not in `Dr. Ray`. */
const sentenceEnd = /(?<=[!?。？！؟]|[^\s.]{3}\. )/u;

/** Returns how much of a message asks: the highest share of any line, or 1 if at least half of a line asks. Linear. */
function asks(text: string): number {
  let most = 0;
  for (const line of text.split("\n")) {
    const asking = line.split(sentenceEnd).filter((sentence) => questions.test(sentence));
    const part = asking.join("").length / line.length;
    if (part > most) most = part < 0.5 ? part : 1;
  }
  return most;
}

/** Options of `recallBlocks` for English. */
export const ENGLISH_RECALL: RecallBlocksOptions = { standingWishes, wholeQuestions, asks };
