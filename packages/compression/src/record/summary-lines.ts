import type { SummaryPart } from "@agent-history/core";

import { isCorrection, worthOf } from "./markers.ts";
import { valuesIn } from "./statements.ts";
import { clip, clipMiddle, cutMiddle, plainText, quoteLine, quoteLines } from "./text.ts";

/** A candidate line of a summary. */
export interface Line {
  readonly section: string;
  readonly text: string;
  /** Position within its section. */
  readonly order: number;
  /** Higher is chosen first. */
  readonly value: number;
  readonly parts: readonly SummaryPart[];
  readonly id?: string;
  /** The id of a line that it depends on. */
  readonly needs?: string;
}

/** Input of the lines, and their length limits. */
export interface Page {
  readonly parts: readonly SummaryPart[];
  /** Characters of a share of the cap. */
  readonly chars: (share: number) => number;
  /** Multiplies the length of cuts: 1 for a summary of 2,400 tokens. */
  readonly scale: number;
}

/** Writes each part as a line, cut to its limit. Parts are quoted as data. */
export function summaryLines(page: Page): readonly Line[] {
  const root = of(page, "root")[0]?.text ?? "";
  const relative = (text: string): string =>
    root === "" ? text : text.replaceAll(`${quoteLine(root)}/`, "");
  return [
    ...requestLines(page),
    ...nowLines(page),
    ...todoLines(page),
    ...callLines(page),
    ...resultLines(page),
    ...fileLines(page),
    ...turnLines(page),
    ...findingLines(page),
    ...factLines(page),
  ].flatMap((one) => (one.text === "" ? [] : [{ ...one, text: relative(one.text) }]));
}

function of({ parts }: Page, kind: string): readonly SummaryPart[] {
  return parts.filter((part) => part.kind === kind);
}

function newest(page: Page, kind: string): readonly SummaryPart[] {
  return of(page, kind).toReversed();
}

function line(
  section: string,
  text: string,
  [order, value]: readonly [order: number, value: number],
  parts: SummaryPart | readonly SummaryPart[],
): Line {
  return { section, text, order, value, parts: [parts].flat() };
}

/** The first request, the user's statements, the task, and what led to it. */
function requestLines(page: Page): readonly Line[] {
  const { chars } = page;
  const tasks = of(page, "task");
  const longest = tasks.reduce((most, { text }) => Math.max(most, text.length), 0);
  const rest = tasks.reduce((sum, { text }) => sum + text.length, 0) - longest;
  const room = Math.max(chars(0.31) - rest, chars(0.15));
  const task = tasks.map((part, index) => {
    const isMain = part.text.length === longest;
    const text = quoteLines(cutMiddle(part.text, isMain ? room : chars(0.1)));
    return line("task", `- ${text}`, [index, isMain ? 101 : 100], part);
  });
  const firsts = of(page, "first").filter(({ text }) => !isAmong(tasks, text));
  const first = firsts.map((part) => {
    const text = quoteLine(clipMiddle(part.text, Math.max(70, Math.min(600, chars(0.1)))));
    return line("rule", `- First request: "${text}"`, [-1, 98], part);
  });
  const isInTask = ({ text }: SummaryPart): boolean =>
    tasks.some((one) => one.text.length <= chars(0.1) && one.text.includes(text));
  const said = newest(page, "rule").filter((part) => !isInTask(part));
  const statements = said.map((part, index) => {
    const section = part.state === "fact" ? "value" : "rule";
    const usual = section === "value" ? 88 : 97;
    const value = usual - 0.1 * index;
    return line(section, `- ${quoteLine(clip(part.text, 240))}`, [part.at, value], part);
  });
  const last = of(page, "now").find(({ key }) => key === "said")?.text;
  const offers = of(page, "offer")
    .filter(({ text }) => text !== last)
    .map((part) => {
      const plain = plainText(part.text, 500)
        .replace(/\n\s*\n+/g, "\n")
        .trim();
      const text = plain.length <= chars(0.13) ? plain : clipMiddle(plain, chars(0.13));
      return line("offer", `- ${quoteLines(text)}`, [0, 78], part);
    });
  const earlier = of(page, "earlier").map((part) =>
    line("earlier", `- ${quoteLines(cutMiddle(part.text, chars(0.24)))}`, [part.at, 70], part),
  );
  return [...task, ...first, ...statements, ...offers, ...earlier];
}

function isAmong(parts: readonly SummaryPart[], text: string): boolean {
  return parts.some((part) => part.text.startsWith(text.slice(0, 200)));
}

/** How the history ends. */
function nowLines(page: Page): readonly Line[] {
  const { scale } = page;
  let calls = 0;
  const lines = newest(page, "now").map((part): Line => {
    if (part.key === "state") {
      return line("now", quoteLine(part.text), [-2, part.state === "ended" ? 40 : 99], part);
    }
    if (part.key === "plan") {
      const text = quoteLine(clipMiddle(plainText(part.text), Math.max(300, 800 * scale)));
      return line("now", `Said earlier in this turn: ${text}`, [part.at, 86], part);
    }
    if (part.key === "said") {
      const after = Number(part.note ?? 0);
      // Longer ones would not fit under a small cap.
      const most = Math.max(80, page.chars(0.34) - 150);
      const whole = plainText(part.text, 500).replace(/\n\s*\n/g, "\n");
      const text =
        after > 0
          ? quoteLine(clipMiddle(whole, Math.min(most, Math.max(320, 500 * scale))))
          : quoteLines(cutMiddle(whole, Math.min(most, 1500 * scale)));
      const then = after > 0 ? ` (then ${after} call${after > 1 ? "s" : ""})` : "";
      return line("now", `Last words${then}: ${text}`, [part.at, 95], part);
    }
    const order = part.at + 0.5 + Number(part.key.slice(5)) / 100;
    const value = 85 - 4 * calls++ - (part.state === "look" ? 12 : 0);
    return line("now", `- ${quoteLine(part.text)}`, [order, value], part);
  });
  const doing = of(page, "todo").filter(({ state }) => state === "doing");
  if (doing.length === 0) return lines;
  const text = quoteLine(doing.map((part) => clip(part.text, 140)).join("; "));
  return [...lines, line("now", `Working on: ${text}`, [-1, 98], [])];
}

const STATUSES = [
  ["in progress", "doing", 900, 80],
  ["open", "open", 900, 74],
  ["done", "done", 500, 45],
] as const;

function todoLines(page: Page): readonly Line[] {
  const lists = STATUSES.flatMap(([label, status, most, value], index) => {
    const items = of(page, "todo").filter(({ state }) => state === status);
    const text = items.map((item) => clip(item.text, status === "done" ? 90 : 140)).join("; ");
    const list = `- [${label}] ${quoteLine(clip(text, most * page.scale))}`;
    return items.length === 0 ? [] : [line("todo", list, [index, value], items)];
  });
  const said = newest(page, "open").map((part, index) =>
    line("todo", `- [said] ${quoteLine(part.text)}`, [10 + index, 62 - 6 * index], part),
  );
  return [...lists, ...said];
}

/** Checks, relative to the last edit; commits and the like; other commands. */
function callLines(page: Page): readonly Line[] {
  const lastEdit = of(page, "file").reduce((most, { at }) => Math.max(most, at), -1);
  const checks = newest(page, "check").map((part, index) => {
    const place = part.at > lastEdit ? " (after the last edit)" : " (BEFORE the last edit)";
    const text = `- ${quoteLine(part.text)}${lastEdit < 0 || part.at === lastEdit ? "" : place}`;
    return line("check", text, [-part.at, 80 - 10 * index], part);
  });
  let [landings, others] = [0, 0];
  const landed = newest(page, "landed").map((part) => {
    const text = `- ${quoteLine(clip(part.text, 240))}`;
    if (part.state === "failed") return line("check", text, [-part.at, 70], part);
    const value = part.state === "other" ? 45 - 4 * others++ : 66 - 4 * landings++;
    return line("landed", text, [part.at, value], part);
  });
  return [...checks, ...landed];
}

/** Records with their fields, results, notes of a model. */
function resultLines(page: Page): readonly Line[] {
  const records = newest(page, "case").map((part, index) => {
    const text = part.text.includes(part.key) ? part.text : `${part.key}: ${part.text}`;
    const short = clip(text, Math.max(200, page.chars(0.14)));
    return line("case", `- ${quoteLine(short)}`, [part.at, 70 - 4 * index], part);
  });
  const found = newest(page, "found").map((part, index) => {
    const text = `- ${quoteLine(clip(part.text, 420 * page.scale))}`;
    return line("found", text, [part.at, 40 - 2 * index], part);
  });
  const notes = of(page, "note").map((part, index) =>
    line("note", quoteLine(part.text), [index, 88 - 0.5 * index], part),
  );
  return [...records, ...found, ...notes];
}

/** Changed files, newest first. */
function fileLines(page: Page): readonly Line[] {
  return newest(page, "file").map((part, index) => {
    const { key, note = "1", state, text } = part;
    const unknown = state === "unknown" ? ", outcome of the last one unknown" : "";
    const what = clip(text, Math.max(90, (index < 4 ? 330 : 190) * page.scale));
    const name = `- ${quoteLine(key)} (${note} edit${note === "1" ? "" : "s"}${unknown})`;
    const whole = what === "" ? name : `${name}: ${quoteLine(what)}`;
    return line("file", whole, [index, 72 - 3.5 * index], part);
  });
}

/** Each request in the user's words, with the agent's last text of its turn. */
function turnLines(page: Page): readonly Line[] {
  const { scale } = page;
  const said = of(page, "now").find(({ key }) => key === "said")?.text;
  const offered = of(page, "offer")[0]?.text;
  const shown = [...of(page, "task"), ...of(page, "first")];
  return newest(page, "turn").flatMap((part, index) => {
    const { text, note, at } = part;
    const near = (index < 3 ? 1.4 : index < 7 ? 0.9 : 0.45) * (scale < 0.5 ? 0.75 : 1);
    const isShown = part.state === "in task" || isAmong(shown, text);
    const most = isShown ? 70 : Math.max(scale < 0.8 ? 170 : 250, 330 * scale * near);
    const words = clipMiddle(text, most);
    const isRepeated = note === undefined || note === said || note === offered;
    const reply = isRepeated
      ? ""
      : quoteLine(clipMiddle(plainText(note), Math.max(80, 420 * scale * near)));
    const asked = `- ${part.state === "task" ? "Task" : "User"}: ${quoteLine(words)}`;
    const answer = `  Agent: ${reply}`;
    const answerValue = 75 - 2.6 * index;
    if ((isShown || words === "") && reply === "") return [];
    // Requests shown elsewhere appear here only for their answer.
    if (isShown) return [line("turn", `${asked}\n${answer}`, [at, answerValue], part)];
    // Corrections stay useful longer than requests, and both longer than answers.
    const hasValue = text.length < 240 && valuesIn(text).size > 0;
    const wanted = isCorrection(text) && text.length < 300 ? 12 : hasValue ? 9 : 0;
    const own = {
      ...line("turn", asked, [at, 78 - Math.min(index, 30) + wanted], part),
      id: part.key,
    };
    const other = { ...line("turn", answer, [at + 0.5, answerValue], part), needs: part.key };
    return reply === "" ? [own] : [own, other];
  });
}

function findingLines(page: Page): readonly Line[] {
  const last = page.parts.reduce((most, { at }) => Math.max(most, at), 0);
  const first = page.parts.reduce((least, { at }) => Math.min(least, at), last);
  return of(page, "why").map((part) => {
    const age = 1 - (part.at - first) / Math.max(1, last - first);
    const text = `- ${quoteLine(clip(part.text, Math.max(160, 320 * page.scale)))}`;
    return line("why", text, [-part.at, 32 + 6 * worthOf(part.text) - 26 * age], part);
  });
}

/** Facts by concept; the first of each concept comes before the second of any. */
function factLines(page: Page): readonly Line[] {
  const counts = new Map<string, number>();
  return of(page, "fact").map((part) => {
    const { text, note: keyword = "" } = part;
    const nth = counts.get(keyword) ?? 0;
    counts.set(keyword, nth + 1);
    const order = [...counts.keys()].indexOf(keyword);
    return line("fact", `- ${quoteLine(`${keyword}: ${text}`)}`, [order, 90 - nth / 10], part);
  });
}
