/**
 * Shortens a text to its head and tail around one marker that says how much is gone. A text that would not get shorter is returned as it is.
 *
 * No surrogate pair is split. A marker of an earlier cut is not cut again: what it said is added to the new one.
 *
 * @param limits - How many UTF-16 code units of head and tail to keep.
 *
 * @example
 * ```ts
 * import { shrinkText } from "@agent-history/reducer";
 *
 * shrinkText("a".repeat(30) + "z".repeat(70), { head: 3, tail: 2 });
 * // => "aaa\n[… 95 characters left out …]\nzz"
 * ```
 */
export function shrinkText(
  text: string,
  limits: { readonly head: number; readonly tail: number },
): string {
  const { start, end, leftOut } = cutOf(text, limits);
  const marker = `\n[… ${leftOut} characters left out …]\n`;
  const shrunk = text.slice(0, start) + marker + text.slice(end);
  return shrunk.length < text.length ? shrunk : text;
}

const MARKER = /\n\[… (\d{1,15}) characters left out …\]\n/gu;

/** The range to cut, widened to whole code points and whole earlier markers, and how many characters it stands for. */
function cutOf(
  text: string,
  { head, tail }: { readonly head: number; readonly tail: number },
): { readonly start: number; readonly end: number; readonly leftOut: number } {
  let start = Math.min(head, text.length);
  let end = Math.max(start, text.length - tail);
  if (isInsidePair(text, start)) start -= 1;
  if (isInsidePair(text, end)) end += 1;
  let leftOut = 0;
  let marked = 0;
  for (const { index, 0: marker, 1: count } of text.matchAll(MARKER)) {
    const markerEnd = index + marker.length;
    if (markerEnd <= start || index >= end) continue;
    start = Math.min(start, index);
    end = Math.max(end, markerEnd);
    leftOut += Number(count);
    marked += marker.length;
  }
  return { start, end, leftOut: leftOut + (end - start - marked) };
}

function isInsidePair(text: string, index: number): boolean {
  const before = text.charCodeAt(index - 1);
  const after = text.charCodeAt(index);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}
