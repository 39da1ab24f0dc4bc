import type { TextSpan } from "@agent-history/core";

/**
 * Finds spans of `text` that leave `rest` when they are cut; where none do, `undefined`. It takes one span if one will
 * do; otherwise what matches first is left. No surrogate pair is split. Linear.
 */
export function findCuts(text: string, rest: string): readonly TextSpan[] | undefined {
  let left = 0;
  for (const character of rest) {
    if (!text.startsWith(character, left)) break;
    left += character.length;
  }
  let end = left;
  if (rest.length <= text.length && text.endsWith(rest.slice(left))) {
    return [{ start: left, end: text.length - rest.length + left }];
  }
  const spans: { start: number; end: number }[] = [];
  for (const character of text.slice(left)) {
    const start = end;
    end += character.length;
    const last = spans.at(-1);
    if (rest.startsWith(character, left)) left += character.length;
    else if (last?.end === start) last.end = end;
    else spans.push({ start, end });
  }
  return left === rest.length ? spans : undefined;
}
