import type { HistoryEntry, SummaryPart } from "@agent-history/core";

import { textOf } from "../internal/data-text.ts";
import {
  argumentsText,
  deedLine,
  deedOf,
  editedFiles,
  pathOf,
  recordsOf,
  resultText,
} from "./calls.ts";
import type { Call, Deed } from "./calls.ts";
import { isLook, isOpen, isReplyWord, worthOf } from "./markers.ts";
import { statementParts } from "./statements.ts";
import { INTERRUPTED, stepsOf } from "./steps.ts";
import type { Step } from "./steps.ts";
import { cleanText, clip, clipMiddle, cutMiddle, plainText, sentencesOf } from "./text.ts";
import { replayTodos } from "./todo-list.ts";

/** Context of new entries: what they continue and how they end. */
export interface ReadingContext {
  /** The parts of the summary that they continue. */
  readonly previous?: readonly SummaryPart[];
  /** Whether an agent continues right after them. */
  readonly isContinued?: boolean;
}

/** A history prepared for reading its parts. */
interface Reading {
  readonly steps: readonly Step[];
  readonly users: readonly Step[];
  /** Steps in which an agent said something. */
  readonly said: readonly Step[];
  readonly deeds: readonly Deed[];
  /** The position of the last step. */
  readonly last: number;
  /** The last text of an agent before a position. */
  readonly saidBefore: (at: number) => Step | undefined;
}

/** Reads the parts of new entries. */
export function readRecord(
  entries: readonly HistoryEntry[],
  { previous = [], isContinued = false }: ReadingContext = {},
): readonly SummaryPart[] {
  const start = previous.reduce((most, { at }) => Math.max(most, at + 1), 0);
  const steps = stepsOf(entries, start);
  const isSaid = ({ by, text }: Step): boolean => by === "agent" && text !== "";
  const calls = steps.flatMap((step) => step.calls);
  const root = rootOf(calls, previous.find(({ kind }) => kind === "root")?.text ?? "");
  let newest: Step | undefined;
  const saidBy = steps.map((step) => (newest = isSaid(step) ? step : newest));
  const reading: Reading = {
    steps,
    said: steps.filter(isSaid),
    users: steps.filter(({ by }) => by === "user"),
    deeds: calls.map((call) => deedOf(call, root)),
    last: steps.at(-1)?.at ?? start,
    saidBefore: (at) => saidBy[at - start - 1],
  };
  const requests = requestParts(reading, previous);
  const task = requests.filter(({ kind }) => kind === "task");
  return [
    ...(root === "" ? [] : [part("root", "root", reading.last, root)]),
    ...requests,
    ...statementParts(reading.users),
    ...nowParts(reading, task[0]?.at, isContinued),
    ...replayTodos(reading.deeds, previous),
    ...reading.deeds.flatMap((deed) => deedParts(deed)),
    ...foundParts(reading),
    ...fileParts(reading),
    ...turnParts(reading, new Set(task.map(({ key }) => key))),
    ...sentenceParts(reading),
    ...entries.flatMap((entry) => earlierParts(entry, start)),
  ];
}

/** The longest text of a part, in characters. A pasted plan describes the work: it is stored whole. */
const MOST_STORED = 2000;
const LONGEST_TASK = 8000;

/** Makes a part; longer texts are cut in the middle. */
function part(
  kind: string,
  key: string,
  at: number,
  text: string,
  more: Pick<SummaryPart, "note" | "state"> = {},
): SummaryPart {
  const { note = "", state } = more;
  return {
    kind,
    key,
    text: cutMiddle(text, kind === "task" ? LONGEST_TASK : MOST_STORED),
    at,
    ...(note !== "" && { note: cutMiddle(note, MOST_STORED) }),
    ...(state !== undefined && { state }),
  };
}

// ---- requests ----

/** The first request, and the last one with its context and the agent's text before it. */
function requestParts(reading: Reading, previous: readonly SummaryPart[]): readonly SummaryPart[] {
  const { steps, users, saidBefore } = reading;
  const has = (kind: string): boolean => previous.some((one) => one.kind === kind);
  const [opening] = users;
  const first =
    opening === undefined || has("first") ? [] : [part("first", "first", opening.at, opening.text)];
  const task =
    users.findLast((step) => !isReply(step, reading)) ?? (has("task") ? undefined : users.at(-1));
  if (task === undefined) return first;
  const own = new Set([task]);
  for (let index = users.indexOf(task); index > 0 && own.size < 4; index--) {
    const [step, before] = [users[index], users[index - 1]];
    if (step === undefined || before === undefined) break;
    // Sent while the agent was working, or several in a row.
    const place = steps[step.at - (steps[0]?.at ?? 0) - 1];
    const isInterjected = (place?.calls.length ?? 0) > 0 && step.via !== "plan";
    if ((place?.by !== "user" && !isInterjected) || before.text.length + step.text.length > 3000)
      break;
    own.add(before);
  }
  for (const step of users.filter(({ at }) => at > task.at).slice(-3)) own.add(step);
  const inOrder = users.filter((step) => own.has(step));
  const begin = inOrder[0] ?? task;
  const offer = begin.text.length < 400 ? saidBefore(begin.at) : undefined;
  const isOffer = offer !== undefined && offer.text.length > 60;
  return [
    ...first,
    ...(isOffer ? [part("offer", "offer", offer.at, offer.text)] : []),
    ...inOrder
      .filter((step) => step.text !== INTERRUPTED || step === steps.at(-1))
      .map((step) =>
        part("task", step.id, step.at, step.text + answered(step, reading), bySpeaker(step)),
      ),
  ];
}

function bySpeaker({ via }: Step): { readonly state?: string } {
  return via === "task" ? { state: "task" } : {};
}

/** Whether a message only answers and requests nothing new. */
function isReply(step: Step, reading: Reading): boolean {
  const { text, via } = step;
  if (via === "plan" || via === "task" || text.length >= 90 || ASKS.test(text)) return false;
  if (via === "answer" || text === INTERRUPTED || isReplyWord(text)) return true;
  return ASKS.test(saidTo(step, reading)?.text ?? "");
}

/** The agent's last text before a message, unless the user spoke in between. */
function saidTo({ at }: Step, { steps }: Reading): Step | undefined {
  for (let index = at - (steps[0]?.at ?? 0) - 1; index >= 0; index--) {
    const step = steps[index];
    if (step === undefined || step.by === "user") return undefined;
    if (step.text !== "") return step;
  }
  return undefined;
}

const ASKS = /[?？]\s*$/;

/** The question that a short message answers, and the numbered lines that it names. */
function answered(step: Step, reading: Reading): string {
  const asked = isReply(step, reading) ? saidTo(step, reading) : undefined;
  if (asked === undefined || step.text === INTERRUPTED) return "";
  const sentences = sentencesOf(asked.text);
  const isEnd = asked.calls.length === 0 && asked.at === step.at - 1 && isReplyWord(step.text);
  const question =
    sentences.findLast((one) => /[?？]/.test(one)) ?? (isEnd ? sentences.at(-1) : undefined);
  const digits = step.text.length < 40 ? step.text.matchAll(/(?<![\w#])\d(?!\w)/g) : [];
  const lines = plainText(asked.text).split("\n");
  const options = [...digits].flatMap(([digit]) => {
    const named = lines.findLast((line) => new RegExp(`^[^.):\\d]{0,16}${digit}[.):]`).test(line));
    return named === undefined ? [] : clip(named, 110);
  });
  const named = options.length === 0 ? "" : ` [${options.join("; ")}]`;
  const answer = `${clip(question ?? "", 200)}${named}`.trim();
  return answer === "" ? "" : ` (answer to: ${answer})`;
}

/** Each request with the agent's last text of its turn. */
function turnParts(reading: Reading, inTask: ReadonlySet<string>): readonly SummaryPart[] {
  const { users, last, saidBefore } = reading;
  return users.flatMap((step, index): readonly SummaryPart[] => {
    if (step.text === INTERRUPTED) return [];
    const end = saidBefore(users[index + 1]?.at ?? last + 1);
    const note = end !== undefined && end.at > step.at ? { note: end.text } : {};
    const state = inTask.has(step.id) ? { state: "in task" } : bySpeaker(step);
    const words = cutMiddle(step.text, MOST_STORED) + answered(step, reading);
    return [part("turn", step.id, step.at, words, { ...note, ...state })];
  });
}

// ---- the end ----

/** How the history ends: whose turn it is, the last words, this turn's planning, the last calls. */
function nowParts(
  { steps, said, deeds, last, saidBefore }: Reading,
  taskAt: number | undefined,
  isContinued: boolean,
): readonly SummaryPart[] {
  const [end, words] = [steps.at(-1), said.at(-1)];
  if (end === undefined) return [];
  const isEnded = end.by === "agent" && end.calls.length === 0;
  const isAsking = isEnded && ASKS.test(words?.text ?? "");
  const texts = {
    user: isContinued ? "" : "The user's last message is not answered yet.",
    calls: "The agent was at work. Its last calls, oldest first:",
    asking: "The agent had asked the user a question that is not answered yet.",
    ended: "The agent had ended its turn.",
  };
  const state = end.by === "user" ? "user" : isAsking ? "asking" : isEnded ? "ended" : "calls";
  const parts = [part("now", "state", last, texts[state], { state })];
  if (words !== undefined) {
    const after = deeds.filter(({ at }) => at >= words.at).length;
    parts.push(part("now", "said", words.at, words.text, { note: String(after) }));
  }
  const offer = taskAt === undefined ? undefined : saidBefore(taskAt);
  const planned = said
    .filter(({ at, text }) => at > (taskAt ?? -1) && text.length > 220)
    .findLast((step) => step !== words && step !== offer);
  if (planned !== undefined) parts.push(part("now", "plan", planned.at, planned.text));
  return [...parts, ...lastCalls(deeds)];
}

const MOST_CALLS = 14;

/** The last calls, each with its outcome. */
function lastCalls(deeds: readonly Deed[]): readonly SummaryPart[] {
  const last = deeds.filter(({ kind }) => kind !== "list").slice(-MOST_CALLS);
  return last.map((deed, index) => {
    const state = deed.kind === "look" ? { state: "look" } : {};
    const key = `call ${String(index).padStart(2, "0")}`;
    return part("now", key, deed.at, deedLine(deed, true), state);
  });
}

// ---- what calls did ----

/** A check, a commit and the like, another command; a tool that failed, or changed something. */
function deedParts(deed: Deed): readonly SummaryPart[] {
  const { kind, outcome, command, key, at } = deed;
  if (kind === "check") return [part("check", key, at, deedLine(deed, true), { state: outcome })];
  if (kind !== "landing" && kind !== "other") return [];
  const isFailure = outcome === "failed" && kind === "other" && command === "";
  const state = isFailure ? "failed" : kind;
  return [part("landed", key, at, deedLine(deed, isFailure), { state })];
}

/** Objects in results, with their fields; of other results, the beginning and the end. */
function foundParts({ deeds }: Reading): readonly SummaryPart[] {
  return deeds.flatMap((deed): readonly SummaryPart[] => {
    const { kind, command, args, at, name } = deed;
    const isFile = kind === "edit" || command !== "" || pathOf(args) !== "";
    if (isFile || deed.outcome !== "ok") return [];
    const records = recordsOf(deed).map(({ key, text }) => part("case", key, at, clip(text, 900)));
    const text = clipMiddle(plainText(resultText(deed)), 240);
    if (records.length > 0 || kind === "list" || !/\p{L}{3}/u.test(text)) return records;
    const about = `${name} ${clip(argumentsText(deed), 80)}`;
    return [part("found", about, at, `${about}: ${text}`)];
  });
}

/** Changed files, each with the agent's text at its last edits. */
function fileParts({ deeds, saidBefore }: Reading): readonly SummaryPart[] {
  const edits = new Map<string, Deed[]>();
  for (const deed of deeds) {
    if (deed.outcome === "failed" || deed.outcome === "rejected") continue;
    for (const file of deed.files) {
      const all = edits.get(file) ?? [];
      edits.set(file, all);
      all.push(deed);
    }
  }
  return [...edits].map(([file, all]) => {
    const clauses = all.slice(-10).flatMap((deed) => {
      const before = deed.text === "" ? saidBefore(deed.at) : undefined;
      const words = before !== undefined && before.at > deed.at - 4 ? before.text : deed.text;
      return sentencesOf(words)
        .filter((one) => !isLook(one) && worthOf(one) > -1)
        .toSorted((one, other) => worthOf(other) - worthOf(one))
        .slice(0, 1);
    });
    const last = all.at(-1);
    const state = last?.outcome === "unknown" ? { state: "unknown" } : {};
    const clause = clip(clauses.at(-1) ?? "", 240);
    return part("file", file, last?.at ?? 0, clause, { note: String(all.length), ...state });
  });
}

/** The project folder: shared by changed files, else where commands run, else named by calls. */
function rootOf(calls: readonly Call[], known: string): string {
  const edited = calls.flatMap((call) => editedFiles(call));
  const named = calls.map(({ args }) => pathOf(args));
  if (known !== "" && [...edited, ...named].some((file) => file.startsWith(`${known}/`)))
    return known;
  return sharedFolder(edited) || sharedFolder(named) || known;
}

function sharedFolder(files: readonly string[]): string {
  const folders = files
    .filter((file) => /^\/./.test(file))
    .map((file) => file.split("/").slice(0, -1));
  const [first = []] = folders;
  const length = folders.reduce((most, folder) => {
    const end = first.findIndex((name, index) => name !== folder[index]);
    return end < 0 ? most : Math.min(most, end);
  }, first.length);
  return length < 4 ? "" : first.slice(0, length).join("/");
}

// ---- what agents said ----

/** Characters of a finding. */
const LONGEST_FINDING = 320;

/** Findings, decisions and reasons of agents, and what they called open. */
function sentenceParts({ said }: Reading): readonly SummaryPart[] {
  const findings = said.flatMap(({ id, at, text }) =>
    sentencesOf(text).flatMap((sentence, index) => {
      if (isLook(sentence) || worthOf(sentence) < 0.5) return [];
      return [part("why", `${id}.${index}`, at, clip(sentence, LONGEST_FINDING))];
    }),
  );
  const open = said.slice(-8).flatMap(({ at, text }) =>
    sentencesOf(text)
      .filter(isOpen)
      .map((sentence) => part("open", sentence.toLowerCase(), at, clip(sentence, 220))),
  );
  return [...findings, ...open.slice(-4)];
}

/** The text of a summary without a record: a provider's or another library's. */
function earlierParts(entry: HistoryEntry, at: number): readonly SummaryPart[] {
  const text = entry.type === "summary" ? cleanText(textOf(entry.content)) : "";
  return text === "" ? [] : [part("earlier", entry.id, at, cutMiddle(text, 8000))];
}
