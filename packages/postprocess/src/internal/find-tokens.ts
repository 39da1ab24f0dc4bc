import type { Token } from "./find-pairs.ts";

/** Finds every opening and closing in a text, in order. Linear. */
export function findTokens(text: string, open: string, close: string): readonly Token[] {
  const tokens: Token[] = [];
  for (const marker of [open, close]) {
    for (
      let end = 0, start = text.indexOf(marker);
      start !== -1;
      start = text.indexOf(marker, end)
    ) {
      end = start + marker.length;
      tokens.push({ start, end, opens: marker === open });
    }
  }
  return tokens.toSorted((a, b) => a.start - b.start);
}
