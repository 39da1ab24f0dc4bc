import type { HistoryEntry } from "@agent-history/core";

import { wordsOfText } from "../facts/internal/words-of-text.ts";
import { textOf, textOfEntry } from "../internal/text-of-entry.ts";
import { labelledLines, withoutLabels } from "./labelled-lines.ts";
import type { LabelledLine, PartLabel } from "./labelled-lines.ts";
import { flat } from "./missing-lines.ts";

/** What stands between two things of a part; each has a line of its own where there is none. */
const JOINTS: Readonly<Partial<Record<PartLabel, string>>> = {
  Decided: " ",
  Open: "; ",
  "Files changed": ", ",
  "Files read": ", ",
  "Commands run": "; ",
};

/** Each is looked for in the whole history: what is said beyond this number has no label. */
const MOST_CHECKED = 100;

/**
 * Reads the parts in a model's answer and checks them: words that no user said and commands that nobody ran lose their label, files that
 * the history does not name are left out. Everything else stays as it is.
 */
export function modelParts(
  answer: string,
  covered: readonly HistoryEntry[],
  previous: string,
): string {
  const lines = labelledLines(answer);
  if (lines.every(({ label }) => label === undefined)) return answer;
  const check = partCheck(covered, previous);
  const checked = lines.flatMap((line) => checkedLines(line, check));
  const text = checked.filter((line) => line !== "").join("\n");
  return text.trim() === "" ? answer : text;
}

interface PartCheck {
  readonly isSaid: (body: string) => boolean;
  readonly isRun: (body: string) => boolean;
  readonly isFile: (body: string) => boolean;
}

function checkedLines({ label, bodies }: LabelledLine, check: PartCheck): readonly string[] {
  const { isSaid, isRun, isFile } = check;
  switch (label) {
    case undefined:
      return bodies;
    case "User":
      return bodies.map((body) => (isSaid(body) ? `User: ${body}` : withoutLabels(body)));
    case "Commands run": {
      const run = bodies.map((body) => ({ body, isKnown: isRun(body) }));
      const known = run.filter(({ isKnown }) => isKnown).map(({ body }) => body);
      const others = run.filter(({ isKnown }) => !isKnown).map(({ body }) => withoutLabels(body));
      return [...labelled(label, known), ...others];
    }
    case "Files changed":
    case "Files read":
      return labelled(label, bodies.filter(isFile));
    default:
      return labelled(label, bodies);
  }
}

function labelled(label: PartLabel, bodies: readonly string[]): readonly string[] {
  const joint = JOINTS[label];
  if (joint === undefined) return bodies.map((body) => `${label}: ${body}`);
  return bodies.length === 0 ? [] : [`${label}: ${bodies.join(joint)}`];
}

function partCheck(covered: readonly HistoryEntry[], previous: string): PartCheck {
  const asked = covered.filter(({ type }) => type === "user_message" || type === "task");
  const earlier = covered.filter(({ type }) => type === "summary").map(textOfEntry);
  const calls = covered.flatMap((entry) => (entry.type === "action" ? entry.toolCalls : []));
  const inCalls = calls.map(({ name, arguments: text }) => `${name} ${unescaped(text)}`);
  const said = [previous, ...earlier, ...asked.map((entry) => textOf(entry.content))].map(flat);
  const run = [previous, ...earlier, ...inCalls].map(flat);
  const words = wordsOfText([previous, ...covered.map(textOfEntry)].join("\n"));
  let left = MOST_CHECKED;
  const isIn = (texts: readonly string[], body: string): boolean => {
    const wanted = flat(body);
    return wanted !== "" && (left -= 1) >= 0 && texts.some((text) => text.includes(wanted));
  };
  return {
    isSaid: (body) => isIn(said, body.replace(CUT, "")),
    isRun: (body) => isIn(run, body.replace(OUTCOME, "").replace(CUT, "")),
    isFile: (body) => {
      const named = [...wordsOfText(body)];
      return named.length === 0 || named.some((word) => words.has(word));
    },
  };
}

const CUT = /\s?(?:\[…\]|…|\.{3})$/;
const OUTCOME = /\s?[([][^()[\]]{1,100}[)\]]\.?$|\.$/;

/** The breaks of lines in arguments are escaped. */
function unescaped(text: string): string {
  return text.replace(/\\[nrt]/g, " ");
}
