import { messageRole } from "@agent-history/core";
import type { HistoryEntry, TokenCounter } from "@agent-history/core";

import { escapeData, textOfEntry } from "./data-text.ts";

type TextCounter = Pick<TokenCounter, "countText">;

/** One entry as the summarizer reads it. */
interface DataLine {
  readonly n: number;
  readonly from: string;
  readonly text: string;
}

/**
 * Writes each non-empty entry as a line of data, numbered from 1, and packs the lines into pieces of at most `budget` tokens each,
 * in order. A line that is larger than a piece is cut. Counts each text a bounded number of times.
 */
export function cutPieces(
  entries: readonly HistoryEntry[],
  budget: number,
  counter: TextCounter,
): readonly (readonly string[])[] {
  const pieces: string[][] = [];
  let left = 0;
  const lines = entries.flatMap((entry, index): readonly DataLine[] => {
    const text = textOfEntry(entry);
    return text === "" ? [] : [{ n: index + 1, from: speakerOf(entry), text }];
  });
  for (const text of lines.flatMap((line) => partsOf(line, budget, counter))) {
    // One more for the end of the line.
    const tokens = counter.countText(text) + 1;
    if (tokens > left) {
      pieces.push([]);
      left = budget;
    }
    pieces.at(-1)?.push(text);
    left -= tokens;
  }
  return pieces;
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

function partsOf(line: DataLine, budget: number, counter: TextCounter): readonly string[] {
  const whole = escapeData(line);
  const tokens = counter.countText(whole) + 1;
  if (tokens <= budget || line.text.length < 2) return [whole];
  const count = Math.min(line.text.length, Math.ceil((tokens / budget) * 1.25));
  const from = line.from.endsWith(PART) ? line.from : `${line.from}${PART}`;
  // A part that is still too large has denser text: cut it again.
  return cutText(line.text, Math.ceil(line.text.length / count)).flatMap((text) =>
    partsOf({ ...line, from, text }, budget, counter),
  );
}

const PART = ", in parts";

/** Cuts at a nearby line end or space if possible, and never within a character. */
function cutText(text: string, length: number): readonly string[] {
  const texts: string[] = [];
  let start = 0;
  while (start < text.length) {
    const wanted = start + length;
    let end = wanted;
    const near = Math.max(start + 1, wanted - Math.min(200, Math.floor(length / 4)));
    const space = text.slice(near, wanted).search(/\s\S*$/);
    const splitsCharacter = /^[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(text.slice(end - 1, end + 1));
    if (wanted < text.length && space >= 0) end = near + space + 1;
    else if (splitsCharacter && end > start + 1) end -= 1;
    texts.push(text.slice(start, end));
    start = end;
  }
  return texts;
}
