import type { HistoryEntry, SummaryPart } from "@agent-history/core";

import { changedFiles } from "./changed-files.ts";
import { commandParts, earlierParts, findingParts, recordParts } from "./done-parts.ts";
import { isReplyWord } from "./markers.ts";
import { nowParts } from "./now-parts.ts";
import { INTERRUPTED, isReply, MOST_STORED, part, readingOf } from "./reading.ts";
import type { Reading } from "./reading.ts";
import { projectRoot } from "./root.ts";
import { statementParts } from "./statements.ts";
import { stepsOf } from "./steps.ts";
import type { Step } from "./steps.ts";
import { clip, cutMiddle, plainText, sentencesOf } from "./text.ts";
import { replayTodos } from "./todo-list.ts";

/** Reads the parts of new entries. `previous` are those of the summary that they continue. */
export function extractParts(
  entries: readonly HistoryEntry[],
  previous: readonly SummaryPart[],
): readonly SummaryPart[] {
  const start = previous.reduce((most, { at }) => Math.max(most, at + 1), 0);
  const reading = readingOf(stepsOf(entries, start));
  const known = previous.find(({ kind }) => kind === "root")?.text ?? "";
  const root = projectRoot(reading.calls, known);
  const requests = requestParts(reading, previous);
  const task = requests.filter(({ kind }) => kind === "task");
  const todos = replayTodos(reading.calls, previous);
  return [
    ...(root === "" || root === known ? [] : [part("root", "root", reading.last, root)]),
    ...requests,
    ...statementParts(reading.users),
    ...nowParts(reading, task[0]?.at, root),
    ...todos,
    ...commandParts(reading),
    ...recordParts(reading),
    ...changedFiles(reading),
    ...turnParts(reading, new Set(task.map(({ key }) => key))),
    ...findingParts(reading),
    ...earlierParts(entries, start),
  ];
}

/** The last request with what belongs to it, what the agent had said before it, the longer brief before, the first request. */
function requestParts(reading: Reading, previous: readonly SummaryPart[]): readonly SummaryPart[] {
  const { steps, users, saidBefore } = reading;
  const known = previous.some(({ kind }) => kind === "task");
  const isReal = (step: Step): boolean => !isReply(step, reading);
  const task = users.findLast(isReal) ?? (known ? undefined : users.at(-1));
  const parts: SummaryPart[] = [];
  const [opening] = users;
  if (opening !== undefined && !previous.some(({ kind }) => kind === "first")) {
    parts.push(part("first", "first", opening.at, opening.text));
  }
  if (task === undefined) return parts;
  const own = new Set([task]);
  for (let index = users.indexOf(task); index > 0 && own.size < 4; index--) {
    const [step, before] = [users[index], users[index - 1]];
    if (step === undefined || before === undefined) break;
    const place = steps[step.at - (steps[0]?.at ?? 0) - 1];
    const isAddition =
      /^(?:and|also|plus|but|oh|und|auch|aber|e|também|mas|y|también|et|aussi|还有|另外|\[interrupted)(?!\p{L})/iu.test(
        step.text,
      ) ||
      place?.by === "user" ||
      ((place?.calls.length ?? 0) > 0 && step.via !== "plan");
    if (!isAddition || before.text.length + step.text.length > 3000) break;
    own.add(before);
  }
  for (const step of users.filter(({ at }) => at > task.at).slice(-3)) own.add(step);
  const inOrder = users.filter((step) => own.has(step));
  const [first] = inOrder;
  const offer = first !== undefined && first.text.length < 400 ? saidBefore(first.at) : undefined;
  if (offer !== undefined && offer.text.length > 60) {
    parts.push(part("offer", "offer", offer.at, offer.text));
  }
  for (const step of inOrder) {
    if (step.text === INTERRUPTED && step !== steps.at(-1)) continue;
    const isLong = step.text.length > 1000;
    // A plan that was pasted is what the work is about: it is stored whole, as far as it is read at all.
    parts.push({
      ...part("task", step.id, step.at, ""),
      text: cutMiddle(step.text, isLong ? 8000 : MOST_STORED) + questionOf(step, reading),
      ...speakerOf(step),
    });
  }
  const brief = users.findLast(
    (step) => !own.has(step) && step.text.length > 700 && step.at < task.at,
  );
  if (brief !== undefined && task.text.length < 700) {
    const since = users.filter((step) => step.at > brief.at && isReal(step)).length;
    parts.push({
      ...part("brief", "brief", brief.at, cutMiddle(brief.text, 6000)),
      ...(since > 2 && { state: "old" }),
    });
  }
  return parts;
}

function speakerOf({ via }: Step): { readonly state?: string } {
  return via === "task" ? { state: "task" } : {};
}

/** What a short answer answers: the question, and the numbered lines that it names. */
function questionOf(step: Step, reading: Reading): string {
  const asked =
    isReply(step, reading) && step.text !== INTERRUPTED ? reading.saidBefore(step.at) : undefined;
  if (asked === undefined) return "";
  const sentences = sentencesOf(asked.text);
  const isEnd = asked.calls.length === 0 && asked.at === step.at - 1;
  const question =
    sentences.findLast((sentence) => /[?？]/.test(sentence)) ??
    (isEnd && isReplyWord(step.text) ? sentences.at(-1) : undefined);
  const numbers =
    step.text.length < 40
      ? [...step.text.matchAll(/(?<![\w#])\d(?!\w)/g)].map(([digit]) => digit)
      : [];
  const lines = asked.text.split("\n");
  const options = numbers.flatMap((digit) => {
    const named = lines.findLast((line) =>
      new RegExp(String.raw`^[\s*#]*(?:\p{L}{2,12} )?${digit}[.):]`, "u").test(line),
    );
    return named === undefined ? [] : [clip(plainText(named), 110)];
  });
  if (question === undefined && options.length === 0) return "";
  const named = options.length === 0 ? "" : ` [${options.join("; ")}]`;
  return ` (answer to: ${clip(question ?? "", 200)}${named})`;
}

/** Each request with what the agent said at the end of its turn. */
function turnParts(reading: Reading, inTask: ReadonlySet<string>): readonly SummaryPart[] {
  const { users, said, last, steps } = reading;
  const parts: SummaryPart[] = [];
  const first = users[0]?.at ?? last + 1;
  const begun = said.findLast(({ at }) => at < first);
  // It ends a turn that an earlier summary holds.
  if (begun !== undefined) parts.push(part("turn", "", begun.at, "", begun.text));
  let place = 0;
  for (const [index, step] of users.entries()) {
    if (step.text === INTERRUPTED) continue;
    const until = users[index + 1]?.at ?? last + 1;
    let end: Step | undefined;
    while (place < said.length && (said[place]?.at ?? 0) < until) {
      if ((said[place]?.at ?? 0) > step.at) end = said[place];
      place += 1;
    }
    const words = cutMiddle(step.text, MOST_STORED) + questionOf(step, reading);
    const isOfTask = inTask.has(step.id);
    const note = end === undefined ? undefined : end.text;
    parts.push({
      ...part("turn", step.id, step.at, words, note),
      ...speakerOf(step),
      ...(isOfTask && { state: "in task" }),
    });
  }
  return steps.length === 0 ? [] : parts;
}
