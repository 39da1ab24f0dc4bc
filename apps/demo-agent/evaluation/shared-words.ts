import { terms } from "@agent-history/offline-model";

/**
 * Tells which share of the content words of a question stand in a text, from 0 to 1. A content word is a stem that is no stop word,
 * counted once.
 */
export function sharedWords(question: string, text: string): number {
  const wanted = new Set(terms(question));
  const found = new Set(terms(text));
  const shared = [...wanted].filter((term) => found.has(term)).length;
  return wanted.size === 0 ? 0 : shared / wanted.size;
}
