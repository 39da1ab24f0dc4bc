import type { SummaryPart } from "@agent-history/core";

import { cleanText, oneLine, overlapOf, wordsOf } from "./text.ts";

/** Headings that a model is asked for, with their kinds of parts. */
const HEADINGS: readonly (readonly [kind: string, words: RegExp])[] = [
  ["rule", /^(?:(?:standing )?instructions?|rules?|constraints?)$/i],
  ["open", /^(?:open|next(?: steps?)?|pending|todo|remaining)$/i],
  ["file", /^(?:files?(?: changed)?|changed files)$/i],
  [
    "note",
    /^(?:(?:current )?state|status|where it stands|at the end|in progress|decisions?|decided|findings?|reasons?|other|summary|notes?|context|task|user|goal|course)$/i,
  ],
];
const HEADING =
  /^\s*(#{0,4}\s*[*_]{0,2})([A-Za-z][A-Za-z ]{1,24}?)[*_]{0,2}\s*(?:(:)[*_]{0,2}\s*(.*))?$/;
/** Kinds that quote a user. */
const SAID: ReadonlySet<string> = new Set(["rule", "first", "task", "turn"]);

/** Reads and checks the parts of a model's answer: instructions that no user gave are demoted, files that no call changed are left out. */
export function readAnswer(answer: string, record: readonly SummaryPart[]): readonly SummaryPart[] {
  const at = record.reduce((most, part) => Math.max(most, part.at), 0);
  const said = record.filter((part) => SAID.has(part.kind)).map(({ text }) => wordsOf(text));
  let kind = "note";
  return cleanText(answer)
    .split("\n")
    .flatMap((raw, index): readonly SummaryPart[] => {
      const [, mark = "", words = "", colon, rest = ""] = HEADING.exec(raw) ?? [];
      const isMarked = colon !== undefined || /[#*]/.test(mark);
      const heading = isMarked
        ? HEADINGS.find(([, pattern]) => pattern.test(words.trim()))
        : undefined;
      kind = heading?.[0] ?? kind;
      const line = oneLine(heading === undefined ? raw : rest);
      const text = line.replace(/^(?:[-*•]|\d{1,3}[.)])\s+/, "");
      if (text === "") return [];
      if (kind === "open") return [{ kind, key: text.toLowerCase(), text, at }];
      if (kind === "file") return clauseOf(text, record);
      const own = wordsOf(text);
      // Most of its words must come from one message of the user.
      if (kind !== "rule" || !said.some((message) => shareOf(own, message) >= 0.6))
        return [{ kind: "note", key: String(index), text: line, at }];
      const isKnown = record.some(
        (part) => part.kind === "rule" && overlapOf(wordsOf(part.text), own) > 0.6,
      );
      return isKnown ? [] : [{ kind, key: text.toLowerCase(), text, at }];
    });
}

function shareOf(own: ReadonlySet<string>, words: ReadonlySet<string>): number {
  return own.size === 0 ? 0 : [...own].filter((word) => words.has(word)).length / own.size;
}

/** Uses the model's text about a changed file as that file's note. */
function clauseOf(text: string, record: readonly SummaryPart[]): readonly SummaryPart[] {
  const words = text.split(/[\s`*(),:;]+/);
  const file = record.find(
    ({ kind, key }) =>
      kind === "file" && words.some((word) => word !== "" && `/${key}`.endsWith(`/${word}`)),
  );
  const clause = text.replace(/^[`*]*[\w./@~-]+[`*]*\s*(?:\([^)]{0,80}\))?\s*[:—–-]?\s*/, "");
  return file === undefined || clause.length <= 8 ? [] : [{ ...file, text: clause, note: "0" }];
}
