import type { TokenCounter } from "@agent-history/core";

import { renderLine } from "./render-history.ts";
import type { DataLine } from "./render-history.ts";

/**
 * Packs lines into pieces of at most `budget` tokens each, in order. A line that is larger than a piece is cut into parts.
 * Counts each text a bounded number of times.
 */
export function cutPieces(
  lines: readonly DataLine[],
  budget: number,
  counter: Pick<TokenCounter, "countText">,
): readonly (readonly string[])[] {
  const pieces: string[][] = [];
  let piece: string[] = [];
  let left = budget;
  for (const text of lines.flatMap((line) => partsOf(line, budget, counter))) {
    // One more for the end of the line.
    const tokens = counter.countText(text) + 1;
    if (tokens > left && piece.length > 0) {
      pieces.push(piece);
      piece = [];
      left = budget;
    }
    piece.push(text);
    left -= tokens;
  }
  if (piece.length > 0) pieces.push(piece);
  return pieces;
}

function partsOf(
  line: DataLine,
  budget: number,
  counter: Pick<TokenCounter, "countText">,
): readonly string[] {
  const whole = renderLine(line);
  const tokens = counter.countText(whole) + 1;
  if (tokens <= budget || line.text.length < 2) return [whole];
  const count = Math.min(line.text.length, Math.ceil((tokens / budget) * 1.25));
  const texts = cutText(line.text, Math.ceil(line.text.length / count));
  // Where a part is still too large its text is denser than the rest: it is cut again.
  return texts.flatMap((text) =>
    partsOf({ ...line, from: markPart(line.from), text }, budget, counter),
  );
}

/** Cuts at an end of a line or a space near by, where there is one, and never within a character. */
function cutText(text: string, length: number): readonly string[] {
  const texts: string[] = [];
  let start = 0;
  while (start < text.length) {
    const wanted = start + length;
    let end = wanted;
    const near = Math.max(start + 1, wanted - Math.min(200, Math.floor(length / 4)));
    const space = text.slice(near, wanted).search(/\s\S*$/);
    if (wanted < text.length && space >= 0) end = near + space + 1;
    else if (
      /^[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(text.slice(end - 1, end + 1)) &&
      end > start + 1
    ) {
      end -= 1;
    }
    texts.push(text.slice(start, end));
    start = end;
  }
  return texts;
}

function markPart(from: string): string {
  return from.endsWith(PART) ? from : `${from}${PART}`;
}

const PART = ", in parts";
