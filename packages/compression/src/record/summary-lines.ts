import type { SummaryPart } from "@agent-history/core";

import { condense } from "./condense.ts";
import { LONGEST_FINDING } from "./done-parts.ts";
import { isCorrection, worthOf } from "./markers.ts";
import { quoteLine, quoteLines } from "./quote.ts";
import { valuesIn } from "./statements.ts";
import { clip, clipMiddle, cutMiddle, namesOf, plainText, sentencesOf } from "./text.ts";

/** A line that may stand in a summary. */
export interface Line {
  readonly section: string;
  readonly text: string;
  /** Its place within its section. */
  readonly order: number;
  /** The larger, the sooner it is chosen. */
  readonly value: number;
  readonly parts: readonly SummaryPart[];
  /** Stands in its place where there is no room for all of it. */
  readonly short?: string;
  readonly id?: string;
  /** The id of the line without which it says nothing. */
  readonly needs?: string;
}

/** What the lines are written from, and how long they may be. */
export interface Page {
  readonly parts: readonly SummaryPart[];
  /** Characters of a share of the cap. */
  readonly chars: (share: number) => number;
  /** Multiplies the length of cuts: 1 for a summary of 2,400 tokens. */
  readonly scale: number;
}

/** Writes each part as a line, cut to what its place allows. What parts say is quoted as data. */
export function summaryLines(page: Page): readonly Line[] {
  const root = of(page, "root")[0]?.text ?? "";
  const relative = (text: string): string =>
    root === "" ? text : text.replaceAll(`${quoteLine(root)}/`, "");
  return [
    ...requestLines(page),
    ...nowLines(page),
    ...todoLines(page),
    ...checkLines(page),
    ...landedLines(page),
    ...recordLines(page),
    ...fileLines(page, root),
    ...nameLines(page, root),
    ...turnLines(page),
    ...findingLines(page),
  ].flatMap((one) => {
    const short = one.short === undefined ? {} : { short: relative(one.short) };
    return one.text === "" ? [] : [{ ...one, text: relative(one.text), ...short }];
  });
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
  place: readonly [order: number, value: number],
  parts: readonly SummaryPart[] = [],
): Line {
  const [order, value] = place;
  return { section, text, order, value, parts };
}

/** The first request and rules, the task, what led to it. */
function requestLines(page: Page): readonly Line[] {
  const { chars } = page;
  const tasks = of(page, "task");
  const longest = tasks.reduce((most, { text }) => Math.max(most, text.length), 0);
  const rest = tasks.reduce((sum, { text }) => sum + text.length, 0) - longest;
  const room = Math.max(chars(0.31) - rest, chars(0.15));
  const task = tasks.map((part, index) => {
    const isMain = part.text.length === longest;
    const text = quoteLines(cutMiddle(part.text, isMain ? room : chars(0.1)));
    return line("task", `- ${text}`, [index, isMain ? 101 : 100], [part]);
  });
  const briefs = of(page, "brief").flatMap((part) => {
    const most = chars(part.state === "old" ? 0.08 : 0.13);
    if (most < 350) return [];
    return [
      line(
        "brief",
        `- ${quoteLines(cutMiddle(part.text, most))}`,
        [0, part.state === "old" ? 44 : 60],
        [part],
      ),
    ];
  });
  // Where there is hardly room, what was said last comes before what was asked first.
  const firstValue = chars(1) < 800 ? 41 : 98;
  const first = of(page, "first")
    .filter(({ text }) => !isAmong([...tasks, ...briefs.flatMap(({ parts }) => parts)], text))
    .map((part) => {
      const text = quoteLine(clipMiddle(part.text, Math.max(70, Math.min(600, chars(0.1)))));
      return line("rule", `- First request: "${text}"`, [-1, firstValue], [part]);
    });
  const isInTask = ({ text }: SummaryPart): boolean =>
    tasks.some((one) => one.text.length <= chars(0.1) && one.text.includes(text));
  const rules = newest(page, "rule")
    .filter((part) => !isInTask(part))
    .map((part, index) => {
      const [section, value] = part.state === "fact" ? ["value", 88] : ["rule", 97];
      const text = `- ${quoteLine(clip(part.text, 240))}`;
      return line(section, text, [part.at, value - 0.1 * index], [part]);
    });
  const offers = of(page, "offer").map((part) =>
    line("offer", `- ${quoteLines(shorter(part.text, chars(0.13)))}`, [0, 78], [part]),
  );
  const earlier = of(page, "earlier").map((part) =>
    line("earlier", `- ${quoteLines(cutMiddle(part.text, chars(0.24)))}`, [part.at, 70], [part]),
  );
  return [...task, ...first, ...rules, ...offers, ...briefs, ...earlier];
}

function isAmong(parts: readonly SummaryPart[], text: string): boolean {
  const start = text.slice(0, 200);
  return parts.some((part) => part.text.startsWith(start));
}

/** A message by its lines, as long as it fits; else its best sentences. */
function shorter(text: string, most: number): string {
  const plain = plainText(text, 500)
    .replace(/\n\s*\n+/g, "\n")
    .trim();
  return plain.length <= most ? plain : condense(text, most);
}

/** How the history ends. */
function nowLines(page: Page): readonly Line[] {
  const { scale } = page;
  let calls = 0;
  const lines = newest(page, "now").map((part): Line => {
    if (part.key === "state") {
      const value = part.state === "ended" ? 40 : 99;
      return line("now", quoteLine(part.text), [-2, value], [part]);
    }
    if (part.key === "plan") {
      const text = quoteLine(condense(part.text, Math.max(300, 800 * scale)));
      return line("now", `Said earlier in this turn: ${text}`, [part.at, 86], [part]);
    }
    if (part.key === "said") {
      const after = Number(part.note ?? 0);
      // Longer ones would find no room at a small cap.
      const most = Math.max(80, page.chars(0.34) - 150);
      const whole = plainText(part.text, 500).replace(/\n\s*\n/g, "\n");
      const text =
        after > 0
          ? quoteLine(condense(part.text, Math.min(most, Math.max(320, 500 * scale))))
          : quoteLines(cutMiddle(whole, Math.min(most, 1500 * scale)));
      const then = after > 0 ? ` (then ${after} call${after > 1 ? "s" : ""})` : "";
      const value = isNod(part.text) ? 39 : 95;
      return line("now", `Last words${then}: ${text}`, [part.at, value], [part]);
    }
    const weak = part.state === "dull" ? 12 : part.state === "weak" ? 14 : 0;
    const order = part.at + 0.5 + Number(part.key.slice(5)) / 100;
    return line("now", `- ${quoteLine(part.text)}`, [order, 85 - 4 * calls++ - weak], [part]);
  });
  const doing = isListOld(page) ? [] : of(page, "todo").filter(({ state }) => state === "doing");
  if (doing.length === 0) return lines;
  const text = quoteLine(doing.map((part) => clip(part.text, 140)).join("; "));
  return [...lines, line("now", `Working on: ${text}`, [-1, 98])];
}

/** Whether the user asked for something else since the list was changed. */
function isListOld(page: Page): boolean {
  const changed = of(page, "todo")[0]?.at ?? 0;
  const tasks = of(page, "task");
  return tasks.length > 0 && tasks.every(({ at }) => at > changed);
}

const STATUSES = [
  ["in progress", "doing", 900],
  ["open", "open", 900],
  ["done", "done", 500],
] as const;

function todoLines(page: Page): readonly Line[] {
  const when = isListOld(page) ? ", before this task" : "";
  const lists = STATUSES.flatMap(([label, status, most], index) => {
    const items = of(page, "todo").filter(({ state }) => state === status);
    if (items.length === 0) return [];
    const text = items.map((item) => clip(item.text, status === "done" ? 90 : 140)).join("; ");
    const value = status === "done" ? 45 : 80 - 6 * index;
    return [
      line(
        "todo",
        `- [${label}${when}] ${quoteLine(clip(text, most * page.scale))}`,
        [index, value],
        items,
      ),
    ];
  });
  const said = newest(page, "open").map((part, index) =>
    line("todo", `- [said] ${quoteLine(part.text)}`, [10 + index, 62 - 6 * index], [part]),
  );
  return [...lists, ...said];
}

function checkLines(page: Page): readonly Line[] {
  const lastEdit = of(page, "file").reduce((most, { at }) => Math.max(most, at), -1);
  return newest(page, "check").map((part, index) => {
    const place = part.at > lastEdit ? " (after the last edit)" : " (BEFORE the last edit)";
    const failure =
      part.state === "ok" && part.note !== undefined
        ? ` (failed before: ${clip(part.note, 90)})`
        : "";
    const text = `- ${quoteLine(part.text)}${lastEdit < 0 || part.at === lastEdit ? "" : place}${quoteLine(failure) === "" ? "" : ` ${quoteLine(failure)}`}`;
    return line("check", text, [-part.at, 80 - 10 * index], [part]);
  });
}

/** Commits and the like first; of other commands a few of each kind. */
function landedLines(page: Page): readonly Line[] {
  const groups = new Map<string, number>();
  let landings = 0;
  return newest(page, "landed").flatMap((part) => {
    const text = `- ${quoteLine(clip(part.text, 240))}`;
    if (part.state !== "other")
      return [line("landed", text, [part.at, 66 - 4 * landings++], [part])];
    const count = (groups.get(part.note ?? "") ?? 0) + 1;
    groups.set(part.note ?? "", count);
    return count > 4
      ? []
      : [line("landed", text, [part.at, 48 - 5 * groups.size - 3 * count], [part])];
  });
}

/** Records with their fields, facts, results, notes of a model, names. */
function recordLines(page: Page): readonly Line[] {
  const records = newest(page, "case").map((part, index) => {
    const text = part.text.includes(part.key) ? part.text : `${part.key}: ${part.text}`;
    const short = clip(text, Math.max(200, page.chars(0.14)));
    return line("case", `- ${quoteLine(short)}`, [part.at, 70 - 4 * index], [part]);
  });
  const found = newest(page, "found").map((part, index) =>
    line(
      "found",
      `- ${quoteLine(clip(part.text, 420 * page.scale))}`,
      [part.at, 40 - 2 * index],
      [part],
    ),
  );
  const notes = of(page, "note").map((part, index) =>
    line("note", quoteLine(part.text), [index, 88 - 0.5 * index], [part]),
  );
  return [...records, ...found, ...notes];
}

/** Files that were read, then those that results name, by folder: `src/{cart.ts, tax.ts}`. The newest folder comes first. */
function nameLines(page: Page, root: string): readonly Line[] {
  const edited = new Set(of(page, "file").map(({ key }) => key));
  const names = newest(page, "name").filter(({ key }) => !edited.has(key));
  const folders = new Map<string, SummaryPart[]>();
  for (const isSeen of [false, true]) {
    for (const part of names.filter(({ state }) => (state === "seen") === isSeen)) {
      const folder = /^(?:.*\/)?/.exec(relativeTo(root, part.text))?.[0] ?? "";
      const key = `${isSeen} ${folder}`;
      folders.set(key, [...(folders.get(key) ?? []), part]);
    }
  }
  return [...folders].map(([key, parts], index) => {
    const folder = key.slice(key.indexOf(" ") + 1);
    const list = parts.map(({ text }) => text.slice(text.lastIndexOf("/") + 1)).join(", ");
    const text = folder === "" || parts.length === 1 ? folder + list : `${folder}{${list}}`;
    return line("name", `- ${quoteLine(text)}`, [index, 43 - index / 100], parts);
  });
}

function relativeTo(root: string, path: string): string {
  return root !== "" && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}

/** Files, newest first; those with the same change stand on one line. */
function fileLines(page: Page, root: string): readonly Line[] {
  const groups: { what: string; names: string[]; own: SummaryPart[] }[] = [];
  for (const part of newest(page, "file")) {
    const edits = Number(part.note ?? 1);
    const unknown = part.state === "unknown" ? ", outcome of the last one unknown" : "";
    const name = `${relativeTo(root, part.key)} (${edits} edit${edits > 1 ? "s" : ""}${unknown})`;
    const group = groups.find(
      ({ what, names }) => part.text !== "" && what === part.text && names.length < 8,
    );
    if (group === undefined) groups.push({ what: part.text, names: [name], own: [part] });
    else {
      group.names.push(name);
      group.own.push(part);
    }
  }
  return groups.map(({ what, names, own }, index) => {
    const most = Math.max(90, (index < 4 ? 330 : 190) * page.scale);
    const text = `- ${quoteLine(names.join(", "))}`;
    const whole = what === "" ? text : `${text}: ${quoteLine(clip(what, most))}`;
    return {
      ...line("file", whole, [index, 72 - 3.5 * index], own),
      ...(what !== "" && { short: text }),
    };
  });
}

/** Each request in the user's words, with what the agent said at the end of its turn. */
function turnLines(page: Page): readonly Line[] {
  const { scale } = page;
  const said = of(page, "now").find(({ key }) => key === "said")?.text;
  const offered = of(page, "offer")[0]?.text;
  const shown = [...of(page, "task"), ...of(page, "first")];
  return newest(page, "turn").flatMap((part, index) => {
    const near = (index < 3 ? 1.4 : index < 7 ? 0.9 : 0.45) * (scale < 0.5 ? 0.75 : 1);
    const isShown = part.state === "in task" || isAmong(shown, part.text);
    const words = clipMiddle(
      part.text,
      isShown ? 70 : Math.max(scale < 0.8 ? 170 : 250, 330 * scale * near),
    );
    const isRepeated =
      part.note === undefined || part.note === said || part.note === offered || isNod(part.note);
    const reply = isRepeated
      ? ""
      : quoteLine(condense(part.note ?? "", Math.max(80, 420 * scale * near)));
    if ((isShown || words === "") && reply === "") return [];
    // What a user corrects is wanted longer than what a user asks, and either longer than what was answered.
    const isWanted = isCorrection(part.text) && part.text.length < 300;
    const asked = `- ${part.state === "task" ? "Task" : "User"}: ${quoteLine(words)}`;
    const hasValue = part.text.length < 240 && valuesIn(part.text).size > 0;
    const value = 78 - Math.min(index, 30) + (isWanted ? 12 : hasValue ? 9 : 0);
    const answer = reply === "" ? "" : `  Agent: ${reply}`;
    const answerValue = 75 - 2.6 * index;
    // What stands elsewhere is here for its answer alone.
    if (isShown) return [line("turn", `${asked}\n${answer}`, [part.at, answerValue], [part])];
    return [
      { ...line("turn", asked, [part.at, value], [part]), id: part.key },
      ...(answer === ""
        ? []
        : [{ ...line("turn", answer, [part.at + 0.5, answerValue], [part]), needs: part.key }]),
    ];
  });
}

/** "Noted." says nothing. */
function isNod(reply: string): boolean {
  return reply.length < 45 && worthOf(reply) <= 0 && namesOf(reply).length === 0;
}

function findingLines(page: Page): readonly Line[] {
  const last = page.parts.reduce((most, { at }) => Math.max(most, at), 0);
  const first = page.parts.reduce((least, { at }) => Math.min(least, at), last);
  // A short message that ends a turn stands there as a whole.
  const ended = new Set(
    of(page, "turn")
      .filter(({ note = "" }) => note.length <= 300)
      .flatMap(({ note = "" }) => sentencesOf(note).map((one) => clip(one, LONGEST_FINDING))),
  );
  const findings = of(page, "why").filter(({ text }) => !ended.has(text));
  return findings.map((part) => {
    const age = 1 - (part.at - first) / Math.max(1, last - first);
    const value = 32 + 6 * worthOf(part.text) - 26 * age;
    return line(
      "why",
      `- ${quoteLine(clip(part.text, Math.max(160, 320 * page.scale)))}`,
      [-part.at, value],
      [part],
    );
  });
}
