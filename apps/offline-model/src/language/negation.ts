import { terms } from "./terms.ts";

const QUESTION = /\b(?:not|never|cannot|no|none|nobody|nothing|without)\b|n['’]t\b/i;
const TEXT =
  /\b(?:not|never|cannot|no|none|nobody|nothing|without|neither|nor|only|un\w{3,}|dis\w{3,}|fail\w*|refus\w*|reject\w*)\b|n['’]t\b/i;

/** Returns whether a question asks for what is not so. */
export function asksForNegation(question: string): boolean {
  return QUESTION.test(question);
}

/** Returns whether a text says of something that it is not so. */
export function isNegated(text: string): boolean {
  return TEXT.test(text);
}

const EXCLUSION = /\b(?:without|except(?: for)?|excluding|other than)\s+((?:\S+\s+){0,2}\S+)/giu;

/** Returns whether a text says of one of some terms that it speaks of what is without it. */
export function excludes(text: string, wanted: readonly string[]): boolean {
  const found = [...text.matchAll(EXCLUSION)].flatMap(([, words = ""]) => terms(words));
  const excluded = new Set(found);
  return wanted.some((term) => excluded.has(term));
}
