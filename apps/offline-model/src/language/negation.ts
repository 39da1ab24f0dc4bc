const QUESTION = /\b(?:not|never|cannot|no|none|nobody|nothing|without)\b|n['’]t\b/i;
const TEXT =
  /\b(?:not|never|cannot|no|none|nobody|nothing|without|neither|nor|only|un\w{3,}|dis\w{3,}|fail\w*|refus\w*|reject\w*)\b|n['’]t\b/i;

/** Tells whether a question asks for what is not so. */
export function asksForNegation(question: string): boolean {
  return QUESTION.test(question);
}

/** Tells whether a text says of something that it is not so. */
export function isNegated(text: string): boolean {
  return TEXT.test(text);
}
