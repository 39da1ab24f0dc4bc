import type { Token } from "./find-pairs.ts";

/** Finds every opening and closing in a text, in order. Linear. */
export function findTokens(text: string, open: string, close: string): readonly Token[] {
  const tokens: Token[] = [];
  let opening = text.indexOf(open);
  let closing = text.indexOf(close);
  while (opening !== -1 || closing !== -1) {
    const opens = closing === -1 || (opening !== -1 && opening < closing);
    const start = opens ? opening : closing;
    const end = start + (opens ? open : close).length;
    tokens.push({ start, end, opens });
    if (opens) opening = text.indexOf(open, end);
    else closing = text.indexOf(close, end);
  }
  return tokens;
}
