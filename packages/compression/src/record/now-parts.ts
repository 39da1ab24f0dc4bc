import type { SummaryPart } from "@agent-history/core";

import { bareCommand, commandOf, editedFiles, isLookup, recordsOf, tellingLine } from "./calls.ts";
import { condense } from "./condense.ts";
import { textAt } from "./json.ts";
import { withoutOpening, worthOf } from "./markers.ts";
import { part } from "./reading.ts";
import type { Reading } from "./reading.ts";
import type { Call, Step } from "./steps.ts";
import { clip, sentencesOf } from "./text.ts";

/** How the history ends: who is to act, the last words, the planning of this turn, the last calls. */
export function nowParts(
  reading: Reading,
  taskAt: number | undefined,
  root: string,
): readonly SummaryPart[] {
  const { steps, said, calls, last, saidBefore } = reading;
  const [end, lastSaid] = [steps.at(-1), said.at(-1)];
  if (end === undefined) return [];
  const parts: SummaryPart[] = [
    {
      ...part("now", "state", last, stateText(end, lastSaid)),
      ...(isEnded(end, lastSaid) && { state: "ended" }),
    },
  ];
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

function isEnded(end: Step, lastSaid: Step | undefined): boolean {
  return end.by === "agent" && end.calls.length === 0 && !/[?？]\s*$/.test(lastSaid?.text ?? "");
}

function stateText(end: Step, lastSaid: Step | undefined): string {
  if (end.by === "user") return "The user's last message is not answered yet.";
  if (end.calls.length > 0) return "The agent was at work. Its last calls, oldest first:";
  return /[?？]\s*$/.test(lastSaid?.text ?? "")
    ? "The agent had asked the user a question that is not answered yet."
    : "The agent had ended its turn.";
}

/** How much of a message weighs and plans: it often says what the rest of the turn carries out. */
function planningOf({ text, at }: Step, last: number, start: number): number {
  const worth = sentencesOf(text).reduce((sum, one) => sum + Math.max(0, worthOf(one)), 0);
  const isList = /^\s*(?:\d+[.)]|[-*]) /m.test(text) ? 2 : 0;
  return Math.min(14, worth) + isList + (5 * (at - start)) / Math.max(1, last - start);
}

/** Tools that keep lists or load what they need. */
export const QUIET: RegExp = /^(?:todo|task|update_plan|tool_?search|skill)/i;
/** Tools that only look. */
export const LOOKS: RegExp =
  /^(?:read|view|grep|glob|ls|list|search|find|get|fetch|tool_?search|skill)/i;
const MOST_CALLS = 14;

/** The last calls, each with its outcome; those that only looked are one line. */
function recentCalls(
  calls: readonly Call[],
  lastSaid: Step | undefined,
  planned: Step | undefined,
  root: string,
): readonly SummaryPart[] {
  const relative = (text: string): string => (root === "" ? text : text.replaceAll(`${root}/`, ""));
  const lines: { text: string; at: number; state?: string; looks: string[]; times?: number }[] = [];
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
    const text = callLine(call, relative);
    const isDull = isDullCall(call, lastSaid);
    const isEnd = index === recent.length - 1;
    const isAfterWords =
      lastSaid !== undefined && (before?.at ?? 0) < lastSaid.at && call.at >= lastSaid.at;
    if (isDull && before?.state === "dull" && !isEnd && !isAfterWords) {
      before.looks.push(lookOf(call, relative));
      before.at = call.at;
      before.text = `looked at: ${[...new Set(before.looks)].slice(-6).join("; ")}`;
    } else if (text === before?.text) {
      before.times = (before.times ?? 1) + 1;
      before.at = call.at;
    } else {
      lines.push({
        text,
        at: call.at,
        looks: [lookOf(call, relative)],
        ...(isDull && { state: "dull" }),
      });
    }
  }
  return lines.slice(-MOST_CALLS).map(({ text, at, state, times }, index) => ({
    ...part(
      "now",
      `call ${String(index).padStart(2, "0")}`,
      at,
      text + (times === undefined ? "" : ` (${times} times)`),
    ),
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
  return clip(
    relative(pattern !== "" && path !== "" ? both : path || pattern || argumentsText(call)),
    60,
  );
}

/** A call on one line: what, and how it ended. */
function callLine(call: Call, relative: (text: string) => string): string {
  const command = bareCommand(commandOf(call));
  const [file] = editedFiles(call);
  const what =
    command !== "" && file === undefined
      ? `$ ${clip(relative(command), 130)}`
      : `${clip(call.name, 60)} ${clip(relative(file ?? (LOOKS.test(call.name) ? lookOf(call, relative) : argumentsText(call))), 90)}`;
  const told =
    call.outcome === "rejected" || (call.outcome === "ok" && command === "")
      ? ""
      : tellingLine(call, call.outcome === "failed");
  return `${what} → ${ENDINGS[call.outcome]}${told === "" ? "" : `: ${clip(told, 140)}`}`;
}

export const ENDINGS = {
  ok: "ok",
  failed: "failed",
  unknown: "outcome unknown",
  running: "still running",
  rejected: "rejected by the user",
} as const;

/** What a call is about, on one line. */
export function argumentsText({ args, raw }: Call): string {
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
