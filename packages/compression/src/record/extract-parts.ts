import type { HistoryEntry, SummaryPart } from "@agent-history/core";

import { textOf } from "../internal/text-of-entry.ts";
import {
  checksOf,
  commandOf,
  commitTitle,
  bareCommand,
  editedFiles,
  firstChange,
  isLanding,
  isLookup,
  recordsOf,
  resultText,
  tellingLine,
} from "./calls.ts";
import { changedFiles } from "./changed-files.ts";
import { condense } from "./condense.ts";
import { textAt } from "./json.ts";
import { isLook, isOpen, isReplyWord, isStanding, withoutOpening, worthOf } from "./markers.ts";
import { projectRoot } from "./root.ts";
import { stepsOf } from "./steps.ts";
import type { Call, Step } from "./steps.ts";
import { cleanText, clip, cutMiddle, overlapOf, plainText, sentencesOf, wordsOf } from "./text.ts";
import { replayTodos } from "./todo-list.ts";

/** A history as it is read for its parts. */
export interface Reading {
  readonly steps: readonly Step[];
  readonly users: readonly Step[];
  /** Steps in which an agent said something. */
  readonly said: readonly Step[];
  readonly calls: readonly Call[];
  /** The position of the last step. */
  readonly last: number;
  /** The last thing that an agent said before a position. */
  readonly saidBefore: (at: number) => Step | undefined;
}

/** The longest text that a part stores, in characters. */
const MOST_STORED = 2000;

/** Reads the parts of new entries. `previous` are those of the summary that they continue. */
export function extractParts(
  entries: readonly HistoryEntry[],
  previous: readonly SummaryPart[],
): readonly SummaryPart[] {
  const start = previous.reduce((most, { at }) => Math.max(most, at + 1), 0);
  const reading = read(stepsOf(entries, start));
  const known = previous.find(({ kind }) => kind === "root")?.text ?? "";
  const root = projectRoot(reading.calls, known);
  const requests = requestParts(reading, previous);
  const task = requests.filter(({ kind }) => kind === "task");
  const todos = replayTodos(reading.calls, previous);
  return [
    ...(root === "" || root === known ? [] : [part("root", "root", reading.last, root)]),
    ...requests,
    ...ruleParts(reading),
    ...nowParts(reading, task[0]?.at, root),
    ...todos.parts,
    ...commandParts(reading),
    ...recordParts(reading),
    ...changedFiles(reading, todos.doingAt),
    ...turnParts(reading, new Set(task.map(({ key }) => key))),
    ...findingParts(reading),
    ...earlierParts(entries, start),
  ];
}

function read(steps: readonly Step[]): Reading {
  const said = steps.filter(({ by, text }) => by === "agent" && text !== "");
  const saidBefore = (at: number): Step | undefined => {
    // Positions ascend: the last one below is found by halving.
    let [low, high] = [0, said.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((said[middle]?.at ?? Infinity) < at) low = middle + 1;
      else high = middle;
    }
    return said[low - 1];
  };
  return {
    steps,
    users: steps.filter(({ by }) => by === "user"),
    said,
    calls: steps.flatMap(({ calls }) => calls),
    last: steps.at(-1)?.at ?? 0,
    saidBefore,
  };
}

/** Whether a message answers, and asks for nothing new. */
function isReply(step: Step, { saidBefore }: Reading): boolean {
  const { text, via } = step;
  if (via === "plan" || via === "task" || text.length >= 90 || /[?？]\s*$/.test(text)) return false;
  if (via === "answer" || text === INTERRUPTED) return true;
  return isReplyWord(text) || /[?？]\s*$/.test(saidBefore(step.at)?.text ?? "");
}

const INTERRUPTED = "[interrupted the agent]";

// ---- what was asked ----

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

/** What a user forbids, requires or prefers. */
function ruleParts({ users }: Reading): readonly SummaryPart[] {
  return users.flatMap((step) => {
    if (step.via === "answer" || step.via === "plan") return [];
    // Of a long brief only what stands at its beginning or end can be told from what it describes.
    const text =
      step.text.length > 1500 ? `${step.text.slice(0, 500)}\n${step.text.slice(-500)}` : step.text;
    const rules = sentencesOf(text).filter(isStanding).slice(0, 8);
    return rules.map((rule) => part("rule", rule.toLowerCase(), step.at, rule));
  });
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

// ---- where it stands ----

/** How the history ends: who is to act, the last words, the planning of this turn, the last calls. */
function nowParts(
  reading: Reading,
  taskAt: number | undefined,
  root: string,
): readonly SummaryPart[] {
  const { steps, said, calls, last, saidBefore } = reading;
  const [end, lastSaid] = [steps.at(-1), said.at(-1)];
  if (end === undefined) return [];
  const parts = [part("now", "state", last, stateText(end, lastSaid))];
  if (lastSaid !== undefined) {
    const after = calls.filter(({ at }) => at >= lastSaid.at).length;
    parts.push(part("now", "said", lastSaid.at, lastSaid.text, String(after)));
  }
  const asked = taskAt ?? -1;
  const offer = taskAt === undefined ? undefined : saidBefore(taskAt);
  const planned = said
    .filter(
      (step) => step.at > asked && step !== lastSaid && step !== offer && step.text.length > 220,
    )
    .slice(-60)
    .map((step) => ({ step, weight: planningOf(step, last, steps[0]?.at ?? 0) }))
    .toSorted((one, other) => other.weight - one.weight || other.step.at - one.step.at)[0]?.step;
  if (planned !== undefined) parts.push(part("now", "plan", planned.at, planned.text));
  return [...parts, ...recentCalls(calls, lastSaid, planned, root)];
}

function stateText(end: Step, lastSaid: Step | undefined): string {
  if (end.by === "user") return "The last message of the user is not answered yet.";
  if (end.calls.length > 0)
    return "The agent was in the middle of its work; the last calls are below, oldest first.";
  return /[?？]\s*$/.test(lastSaid?.text ?? "")
    ? "The agent had ended its turn with a question to the user that is not answered yet."
    : "The agent had ended its turn; the user has said nothing since.";
}

/** How much of a message weighs and plans: it often says what the rest of the turn carries out. */
function planningOf({ text, at }: Step, last: number, start: number): number {
  const worth = sentencesOf(text).reduce((sum, one) => sum + Math.max(0, worthOf(one)), 0);
  const isList = /^\s*(?:\d+[.)]|[-*]) /m.test(text) ? 2 : 0;
  return Math.min(14, worth) + isList + (5 * (at - start)) / Math.max(1, last - start);
}

const QUIET = /^(?:todo|task|update_plan|tool_?search|skill)/i;
const LOOKS = /^(?:read|view|grep|glob|ls|list|search|find|get|fetch|tool_?search|skill)/i;
const MOST_CALLS = 14;

/** The last calls, each with its outcome; those that only looked are one line. */
function recentCalls(
  calls: readonly Call[],
  lastSaid: Step | undefined,
  planned: Step | undefined,
  root: string,
): readonly SummaryPart[] {
  const relative = (text: string): string => (root === "" ? text : text.replaceAll(`${root}/`, ""));
  const lines: { text: string; at: number; state?: string; looks: string[] }[] = [];
  const recent = calls.filter(({ name }) => !QUIET.test(name)).slice(-24);
  let spoken = -1;
  for (const [index, call] of recent.entries()) {
    const isNew =
      call.text !== "" && call.at !== spoken && call.at !== lastSaid?.at && call.at !== planned?.at;
    spoken = call.at;
    if (isNew) {
      const last = sentencesOf(call.text).at(-1) ?? "";
      const isWeak = worthOf(last) <= 0 && call.text.length < 120;
      lines.push({
        text: `said: ${withoutOpening(condense(call.text, 200))}`,
        at: call.at,
        looks: [],
        ...(isWeak && { state: "weak" }),
      });
    }
    const before = lines.at(-1);
    const isDull = isDullCall(call, lastSaid);
    const isEnd = index === recent.length - 1;
    const isAfterWords =
      lastSaid !== undefined && (before?.at ?? 0) < lastSaid.at && call.at >= lastSaid.at;
    if (isDull && before?.state === "dull" && !isEnd && !isAfterWords) {
      before.looks.push(lookOf(call, relative));
      before.at = call.at;
      before.text = `looked at: ${[...new Set(before.looks)].slice(-6).join("; ")}`;
    } else {
      lines.push({
        text: callLine(call, relative),
        at: call.at,
        looks: [lookOf(call, relative)],
        ...(isDull && { state: "dull" }),
      });
    }
  }
  return lines.slice(-MOST_CALLS).map(({ text, at, state }, index) => ({
    ...part("now", `call ${String(index).padStart(2, "0")}`, at, text),
    ...(state !== undefined && { state }),
  }));
}

function isDullCall(call: Call, lastSaid: Step | undefined): boolean {
  if (call.outcome !== "ok") return false;
  const command = bareCommand(commandOf(call));
  if (command === "") return LOOKS.test(call.name) && recordsOf(call).length === 0;
  if (/^(?:sed -n|cat|ls|grep|rg|find|head|tail)\b/.test(command)) return true;
  return isLookup(command) && call.at < (lastSaid?.at ?? 0);
}

function lookOf(call: Call, relative: (text: string) => string): string {
  const command = bareCommand(commandOf(call));
  if (command !== "") return clip(relative(command), 60);
  const pattern = textAt(call.args, "pattern", "query");
  const path = textAt(call.args, "file_path", "path", "url", "notebook_path");
  const both = `"${pattern}" in ${path}`;
  return clip(relative(pattern !== "" && path !== "" ? both : path || pattern || call.name), 60);
}

/** A call on one line: what, and how it ended. */
function callLine(call: Call, relative: (text: string) => string): string {
  const command = bareCommand(commandOf(call));
  const [file] = editedFiles(call);
  const what =
    command !== "" && file === undefined
      ? `$ ${clip(relative(command), 130)}`
      : `${clip(call.name, 60)} ${clip(relative(file ?? argumentsText(call)), 90)}`;
  const change = file === undefined ? "" : firstChange(call);
  const told =
    call.outcome === "rejected" || (call.outcome === "ok" && command === "")
      ? ""
      : tellingLine(call, call.outcome === "failed");
  return `${what}${change === "" ? "" : `: \`${change}\``} → ${ENDINGS[call.outcome]}${told === "" ? "" : `: ${clip(told, 140)}`}`;
}

const ENDINGS = {
  ok: "ok",
  failed: "failed",
  unknown: "outcome unknown",
  running: "still running",
  rejected: "rejected by the user",
} as const;

function argumentsText({ args, raw }: Call): string {
  const named = textAt(
    args,
    "file_path",
    "path",
    "pattern",
    "subject",
    "query",
    "description",
    "skill",
    "url",
    "prompt",
  );
  if (named !== "" && Object.keys(args).length < 4) return named;
  const fields = Object.entries(args).map(
    ([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return fields.length === 0 ? raw : fields.join(", ");
}

// ---- what was done ----

/** The last outcome of each check, commands that changed something, tools that failed. */
function commandParts({ calls }: Reading): readonly SummaryPart[] {
  const checks = new Map<string, SummaryPart & { failedBefore?: string; id: string }>();
  const parts: SummaryPart[] = [];
  for (const call of calls) {
    const command = bareCommand(commandOf(call));
    if (command === "" || editedFiles(call).length > 0) {
      parts.push(...toolParts(call));
      continue;
    }
    if (isLanding(command)) {
      parts.push(landingPart(call, command));
      continue;
    }
    if (isLookup(command)) continue;
    const kinds = checksOf(command);
    if (kinds.length === 0) {
      const words = command.split(/\s+/).slice(0, 2).join(" ");
      const text = `${clip(command, 110)}${badEnding(call, 90)}`;
      parts.push({
        ...part("landed", command.slice(0, 200), call.at, text, words),
        state: "other",
      });
      continue;
    }
    const key = kinds.join("+");
    const isFailed = call.outcome === "failed" || SAYS_FAILED.test(call.result.slice(-8000));
    const isKnown = call.outcome === "ok" || call.outcome === "failed";
    const state = !isKnown ? "unknown" : isFailed ? "failed" : "ok";
    const told = isKnown ? tellingLine(call, isFailed) : "";
    const before = checks.get(key);
    // What failed before stays known once it succeeds.
    const note = state === "failed" ? told : before?.note;
    checks.delete(key);
    checks.set(key, {
      ...part(
        "check",
        key,
        call.at,
        `\`${clip(command, 110)}\` ${CHECK_ENDINGS[state]}${told === "" ? "" : `: ${told}`}`,
        note,
      ),
      state,
      id: call.id,
    });
  }
  for (const { id: _id, ...check } of checks.values()) parts.push(check);
  return parts;
}

const SAYS_FAILED = /(?:^|\n)(?:FAIL|--- FAIL|ERROR)\b|\b[1-9]\d* (?:failed|failing)\b|error TS\d/;
const CHECK_ENDINGS = { ok: "ok", failed: "FAILED", unknown: "outcome unknown" } as const;

function badEnding(call: Call, most: number): string {
  if (call.outcome === "failed") return ` — failed: ${clip(tellingLine(call, true), most)}`;
  if (call.outcome === "rejected") return " — NOT run, rejected by the user";
  return call.outcome === "ok" ? "" : ` — ${ENDINGS[call.outcome]}`;
}

function landingPart(call: Call, command: string): SummaryPart {
  const raw = commandOf(call);
  const title = commitTitle(raw);
  const link = /https:\/\/\S{1,300}/.exec(resultText(call))?.[0];
  const sha = /\[(\S{1,100}) ([0-9a-f]{7,40})\]/.exec(call.result);
  const made = sha === null ? "" : ` (${sha[1]} ${sha[2]})`;
  const what =
    title === undefined
      ? clip(command, link === undefined ? 120 : 75)
      : `commit "${clip(title, 110)}"${made}${/git push/.test(command) ? ", pushed" : ""}`;
  const where = link !== undefined && /gh |push/.test(command) ? ` → ${link}` : "";
  return part(
    "landed",
    title ?? command.slice(0, 200),
    call.at,
    `${what}${where}${badEnding(call, 150)}`,
  );
}

/** What calls of other tools changed, and the tools that failed last. */
function toolParts(call: Call): readonly SummaryPart[] {
  if (QUIET.test(call.name) || editedFiles(call).length > 0) return [];
  const about = clip(argumentsText(call), 160);
  const key = `${call.name} ${about}`;
  if (LOOKS.test(call.name)) return [];
  if (call.outcome === "failed") {
    return [
      {
        ...part(
          "check",
          key,
          call.at,
          `${call.name} ${about} FAILED: ${clip(tellingLine(call, true), 160)}`,
        ),
        state: "failed",
      },
    ];
  }
  if (/^(?:think|calculate|ask|read|write|exit|enter|skill|agent)/i.test(call.name)) return [];
  return [
    {
      ...part("landed", key, call.at, `${call.name} ${about}${badEnding(call, 90)}`, call.name),
      state: "other",
    },
  ];
}

/** Objects that results describe, each with its fields together; the telling sentences of other results; the files that were read. */
function recordParts({ calls, users }: Reading): readonly SummaryPart[] {
  const wanted = wordsOf(
    users
      .slice(-3)
      .map(({ text }) => text.slice(0, 2000))
      .join(" "),
  );
  const parts: SummaryPart[] = [];
  for (const call of calls) {
    const path = textAt(call.args, "file_path", "path", "notebook_path");
    if (/\.\w{1,8}$/.test(path) && editedFiles(call).length === 0)
      parts.push(part("name", path, call.at, path));
    if (
      call.outcome !== "ok" ||
      commandOf(call) !== "" ||
      editedFiles(call).length > 0 ||
      path !== ""
    )
      continue;
    const records = recordsOf(call);
    for (const { key, text } of records) parts.push(part("case", key, call.at, clip(text, 900)));
    if (records.length > 0 || QUIET.test(call.name)) continue;
    const about = argumentsText(call);
    const words = new Set([...wanted, ...wordsOf(about.slice(0, 500))]);
    const found = sentencesOf(resultText(call).slice(0, 12_000))
      .filter(({ length }) => length < 400)
      .slice(0, 200)
      .map((text) => ({
        text,
        weight: overlapOf(wordsOf(text), words) + (/\d/.test(text) ? 0.2 : 0),
      }))
      .toSorted((one, other) => other.weight - one.weight)
      .slice(0, 2)
      .filter(({ weight }) => weight > 0.2);
    if (found.length === 0) continue;
    const text = `${call.name} ${clip(about, 80)}: ${found.map((one) => clip(one.text, 220)).join(" … ")}`;
    parts.push(part("found", `${call.name} ${about}`.slice(0, 200), call.at, text));
  }
  return parts;
}

/** What agents found, decided and gave as a reason, but for what ends a turn. */
function findingParts({ said, users, steps }: Reading): readonly SummaryPart[] {
  const endings = new Set<Step>();
  let place = 0;
  for (const until of [...users.map(({ at }) => at), Infinity]) {
    let end: Step | undefined;
    while (place < said.length && (said[place]?.at ?? 0) < until) end = said[place++];
    if (end !== undefined) endings.add(end);
  }
  if (steps.length === 0) return [];
  const findings = said.flatMap((step) => {
    if (endings.has(step) && step.text.length <= 300) return [];
    return sentencesOf(step.text).flatMap((sentence, index) => {
      if (isLook(sentence) || worthOf(sentence) < 0.5) return [];
      return [part("why", `${step.id}.${index}`, step.at, clip(sentence, 320))];
    });
  });
  const open = said.slice(-8).flatMap(({ at, text }) =>
    sentencesOf(text)
      .filter(isOpen)
      .map((sentence) => part("open", sentence.toLowerCase(), at, clip(sentence, 220))),
  );
  return [...findings, ...open.slice(-4)];
}

/** The text of summaries that are no records: a provider's, a model's of another library. */
function earlierParts(entries: readonly HistoryEntry[], at: number): readonly SummaryPart[] {
  return entries.flatMap((entry) => {
    if (entry.type !== "summary") return [];
    const text = cleanText(textOf(entry.content));
    return text === "" ? [] : [part("earlier", entry.id, at, cutMiddle(text, 8000))];
  });
}

/** Makes a part; texts longer than a part stores are cut in the middle. */
export function part(
  kind: string,
  key: string,
  at: number,
  text: string,
  note?: string,
): SummaryPart {
  return {
    kind,
    key,
    text: cutMiddle(text, MOST_STORED),
    at,
    ...(note !== undefined && note !== "" && { note: cutMiddle(note, MOST_STORED) }),
  };
}
