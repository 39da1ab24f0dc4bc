/** Words that are left out of a search and yet change what is asked: each line is one meaning. */
const LIMITS: readonly RegExp[] = [
  /\b(?:all|every|each|any|whole|entire|everything)\b/i,
  /\b(?:only|just|alone|solely)\b/i,
  /\b(?:before|prior|first|earlier|previous)\b/i,
  /\b(?:after|afterwards|then|last|later|next|once)\b/i,
  /\b(?:between|among)\b/i,
  /\b(?:both|either|neither)\b/i,
  /\b(?:during|while)\b/i,
  /\b(?:more|most|less|least|faster|slower|better|worse)\b/i,
  /\b(?:same|twice|again|several|multiple)\b/i,
];

/** Returns whether a text has each limit of a question: what deletes entries need not delete all of them. */
export function keepsLimits(question: string, text: string): boolean {
  return LIMITS.every((limit) => !limit.test(question) || limit.test(text));
}
