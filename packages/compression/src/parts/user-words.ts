import type { HistoryEntry } from "@agent-history/core";

import { wordsOfText } from "../facts/internal/words-of-text.ts";
import { quoteData } from "../gate/internal/quote-data.ts";
import { textOf } from "../internal/text-of-entry.ts";
import type { SummaryItem, SummaryLine } from "./summary-line.ts";

/** What is quoted of a message before all others have as much, in characters; then what follows, piece by piece. */
const FIRST_PIECE = 180;
const NEXT_PIECE = 160;
const MOST_PIECES = 24;

/** What users asked, in their words: a line for each message, in pieces of which the first are wanted first. */
export function userWords(entries: readonly HistoryEntry[]): readonly SummaryLine[] {
  const lines = new Map<string, SummaryLine>();
  for (const [index, entry] of entries.entries()) {
    if (entry.type !== "user_message" && entry.type !== "task") continue;
    const said = quoteData(wordsOfPerson(textOf(entry.content))).trim();
    if (said === "") continue;
    const items = piecesOf(said).map((text): SummaryItem => {
      return { text, says: wordsOfText(text), worth: 1, index };
    });
    lines.delete(said);
    lines.set(said, { part: "user", head: "User: ", joint: "", end: "", items, isSequence: true });
  }
  return [...lines.values()];
}

/**
 * A message without what a program put into it: blocks in tags at its beginning or end (reminders, captured output, notes
 * of a client). A message that is nothing else has no words of a person.
 *
 * @internal Exported for its test.
 */
export function wordsOfPerson(text: string): string {
  let rest = text.trim();
  for (;;) {
    const name = /^<([a-z][\w-]{2,40})(?:\s[^<>\n]{0,200})?>/i.exec(rest)?.[1];
    const end = name === undefined ? -1 : rest.indexOf(`</${name}>`);
    if (name === undefined || end < 0) break;
    rest = rest.slice(end + name.length + 3).trim();
  }
  for (;;) {
    const name = /<\/([a-z][\w-]{2,40})>$/i.exec(rest.slice(-45))?.[1];
    const start = name === undefined ? -1 : rest.lastIndexOf(`<${name}`);
    if (start < 0) break;
    rest = rest.slice(0, start).trim();
  }
  return /^\[[^\]\n]{0,80}\]$/.test(rest) ? "" : rest;
}

/** Cuts a text before spaces, which stay with what follows them: together the pieces are the text again. */
function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length && pieces.length < MOST_PIECES;) {
    const size = from === 0 ? FIRST_PIECE : NEXT_PIECE;
    const end = from + size >= text.length ? text.length : cutAt(text, from, from + size);
    pieces.push(text.slice(from, end));
    from = end;
  }
  return pieces;
}

/** The last space before `end`, or the whole piece where there is none; never within a pair of surrogates. */
function cutAt(text: string, from: number, end: number): number {
  const space = text.lastIndexOf(" ", end);
  if (space > from + 20) return space;
  const isSplit = /[\uDC00-\uDFFF]/.test(text.charAt(end));
  return isSplit ? end - 1 : end;
}
