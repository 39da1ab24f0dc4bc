import { messageRole } from "@agent-history/core";
import type { HistoryEntry, TokenCounter } from "@agent-history/core";

import { escapeData, textOfEntry } from "./data-text.ts";

/**
 * Writes each non-empty entry as a line of data, numbered from 1, and packs the lines into pieces of at most `budget` tokens each,
 * in order. A line that is larger than a piece is halved until its parts fit.
 */
export function cutPieces(
  entries: readonly HistoryEntry[],
  budget: number,
  counter: Pick<TokenCounter, "countText">,
): readonly (readonly string[])[] {
  const pieces: string[][] = [];
  let left = 0;
  for (const [index, entry] of entries.entries()) {
    const text = textOfEntry(entry);
    if (text !== "") add({ n: index + 1, from: speakerOf(entry), text });
  }
  return pieces;

  function add(line: { readonly n: number; readonly from: string; readonly text: string }): void {
    const written = escapeData(line);
    // One more for the end of the line.
    const tokens = counter.countText(written) + 1;
    if (tokens > budget && line.text.length > 2) {
      const middle = middleOf(line.text);
      const from = line.from.endsWith(PART) ? line.from : `${line.from}${PART}`;
      add({ ...line, from, text: line.text.slice(0, middle) });
      add({ ...line, from, text: line.text.slice(middle) });
      return;
    }
    if (tokens > left) {
      pieces.push([]);
      left = budget;
    }
    pieces.at(-1)?.push(written);
    left -= tokens;
  }
}

const PART = ", in parts";

/** The place of a line end or space before the middle of a text if one is near, never within a character. */
function middleOf(text: string): number {
  const middle = text.length >> 1;
  const near = Math.max(0, middle - 200);
  const space = text.slice(near, middle).search(/\s\S*$/);
  if (space >= 0) return near + space + 1;
  const isWithin = /^[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(text.slice(middle - 1, middle + 1));
  return isWithin ? middle + 1 : middle;
}

function speakerOf(entry: HistoryEntry): string {
  const who = entry.agent === undefined ? "" : ` ${entry.agent.id}`;
  switch (entry.type) {
    case "observation":
      return `tool ${entry.toolName} (${entry.outcome})`;
    case "user_message":
    case "assistant_message":
      return messageRole(entry);
    case "action":
      return `assistant${who}`;
    default:
      return `${entry.type}${who}`;
  }
}
