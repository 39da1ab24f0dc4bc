import type { SummaryPart } from "@agent-history/core";

import { cleanText, oneLine, overlapOf, wordsOf } from "./text.ts";

/** What a model is asked for, by the words that begin a part of its answer. */
const HEADINGS: readonly (readonly [kind: string, words: RegExp])[] = [
  ["rule", /^(?:(?:standing )?instructions?|rules?|constraints?)$/i],
  ["state", /^(?:(?:current )?state|status|where it stands|at the end|in progress)$/i],
  ["decision", /^(?:decisions?|decided|findings?|reasons?)$/i],
  ["open", /^(?:open|next(?: steps?)?|pending|todo|remaining)$/i],
  ["file", /^(?:files?(?: changed)?|changed files)$/i],
  ["other", /^(?:other|summary|notes?|context|task|user|goal|course)$/i],
];

/** Reads the parts of a model's answer, and checks them: instructions that no user gave lose their place, files that no call changed are left out. */
export function readAnswer(answer: string, record: readonly SummaryPart[]): readonly SummaryPart[] {
  const at = record.reduce((most, part) => Math.max(most, part.at), 0);
  const said = record
    .filter(({ kind }) => ["rule", "first", "task", "turn", "brief"].includes(kind))
    .map(({ text }) => wordsOf(text));
  const parts: SummaryPart[] = [];
  let kind = "other";
  for (const raw of cleanText(answer).split("\n")) {
    const { heading, rest } = headingOf(raw);
    if (heading !== undefined) kind = heading;
    const text = oneLine(heading === undefined ? raw : rest);
    if (text !== "") add(kind, text);
  }
  return parts;

  function add(to: string, line: string): void {
    const text = line.replace(/^(?:[-*•]|\d{1,3}[.)])\s+/, "");
    if (to === "open") parts.push({ kind: "open", key: text.toLowerCase(), text, at });
    else if (to === "file") addFile(text);
    else if (to === "rule" && isSaid(text)) note("rule", text);
    else note("note", line);
  }

  function note(as: string, text: string): void {
    const isKnown =
      as === "rule" &&
      record.some(
        (part) => part.kind === "rule" && overlapOf(wordsOf(part.text), wordsOf(text)) > 0.6,
      );
    if (!isKnown)
      parts.push({
        kind: as,
        key: as === "rule" ? text.toLowerCase() : `${parts.length}`,
        text,
        at,
      });
  }

  /** Most of its words must come from one message of the user. */
  function isSaid(text: string): boolean {
    const words = wordsOf(text);
    return said.some(
      (own) =>
        words.size > 0 && [...words].filter((word) => own.has(word)).length >= 0.6 * words.size,
    );
  }

  /** What a model says of a file that calls changed is the clause of that file. */
  function addFile(text: string): void {
    const file = record.find(({ kind: of, key }) => of === "file" && namesFile(text, key));
    if (file === undefined) return;
    const clause = text.replace(/^[`*]*[\w./@~-]+[`*]*\s*(?:\([^)]{0,80}\))?\s*[:—–-]?\s*/, "");
    if (clause.length > 8) parts.push({ ...file, text: clause, note: "0" });
  }
}

function namesFile(text: string, key: string): boolean {
  const name = key.split("/").at(-1) ?? key;
  return text
    .split(/[\s`*(),:;]+/)
    .some((word) => word === key || key.endsWith(`/${word}`) || word === name);
}

function headingOf(line: string): { readonly heading?: string; readonly rest: string } {
  const found =
    /^\s*(?:#{1,4}\s*)?[*_]{0,2}([A-Za-z][A-Za-z ]{1,24}?)[*_]{0,2}\s*(?::[*_]{0,2}\s*(.*))?$/.exec(
      line,
    );
  const words = found?.[1]?.trim();
  const isMarked = found?.[2] !== undefined || /^\s*[#*]/.test(line);
  const heading =
    words === undefined || !isMarked
      ? undefined
      : HEADINGS.find(([, pattern]) => pattern.test(words))?.[0];
  return heading === undefined ? { rest: line } : { heading, rest: found?.[2] ?? "" };
}
