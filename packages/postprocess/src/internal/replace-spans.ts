import type { TextSpan } from "@agent-history/core";

/** Puts `filling`, once for each character, instead of each span of a text. Linear. */
export function replaceSpans(text: string, spans: readonly TextSpan[], filling: string): string {
  let replaced = "";
  let at = 0;
  for (const { start, end } of spans) {
    replaced += text.slice(at, start);
    if (filling !== "") replaced += filling.repeat(end - start);
    at = end;
  }
  return replaced + text.slice(at);
}
