import type { HistoryEntry, SummaryPart } from "@agent-history/core";

import { textOf } from "../internal/text-of-entry.ts";
import {
  bareCommand,
  checksOf,
  commandOf,
  commitTitle,
  editedFiles,
  isLanding,
  isLookup,
  recordsOf,
  resultText,
  tellingLine,
} from "./calls.ts";
import { textAt } from "./json.ts";
import { isLook, isOpen, worthOf } from "./markers.ts";
import { argumentsText, ENDINGS, LOOKS, QUIET } from "./now-parts.ts";
import { part } from "./reading.ts";
import type { Reading } from "./reading.ts";
import type { Call } from "./steps.ts";
import { cleanText, clip, cutMiddle, overlapOf, sentencesOf, wordsOf } from "./text.ts";

/** The last outcome of each check, commands that changed something, tools that failed. */
export function commandParts({ calls }: Reading): readonly SummaryPart[] {
  const checks = new Map<string, SummaryPart & { failedBefore?: string; id: string }>();
  const parts: SummaryPart[] = [];
  for (const call of calls) {
    const command = bareCommand(commandOf(call));
    if (command === "" || editedFiles(call).length > 0) {
      for (const one of toolParts(call)) parts.push(one);
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
export function recordParts({ calls, users }: Reading): readonly SummaryPart[] {
  const wanted = wordsOf(
    users
      .slice(-3)
      .map(({ text }) => text.slice(0, 2000))
      .join(" "),
  );
  const parts: SummaryPart[] = [];
  const [seen, read] = [new Map<string, Call>(), new Map<string, Call>()];
  for (const call of calls) {
    const path = textAt(call.args, "file_path", "path", "notebook_path");
    if (editedFiles(call).length === 0) {
      for (const file of filesIn(call.result.slice(0, 20_000)).slice(0, 20)) seen.set(file, call);
      for (const file of readFiles(call)) read.set(file, call);
    }
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
  const names = new Map([...seen, ...read]);
  return [
    ...parts,
    ...[...names].map(([file, { at }]) => ({
      ...part("name", file, at, file),
      ...(!read.has(file) && { state: "seen" }),
    })),
  ];
}

/** The files that a call read, by its path or in its command. */
function readFiles(call: Call): readonly string[] {
  const path = textAt(call.args, "file_path", "path", "notebook_path");
  return isFileName(path) ? [path] : filesIn(bareCommand(commandOf(call)));
}

/** Paths of files that stand in a text. */
function filesIn(text: string): readonly string[] {
  return text.match(FILE_WORDS)?.filter(isFileName) ?? [];
}

const FILE_WORDS = /(?<![\w/.:@-])[\w.@~-]*\/[\w./@-]{1,200}\.\w{1,8}(?![\w/])/g;

function isFileName(path: string): boolean {
  return /\.[a-z]\w{0,7}$/i.test(path) && !path.startsWith("/tmp/");
}

/** Characters of a finding. */
export const LONGEST_FINDING = 320;

/** What agents found, decided and gave as a reason; what they said is still open. */
export function findingParts({ said }: Reading): readonly SummaryPart[] {
  const findings = said.flatMap((step) =>
    sentencesOf(step.text).flatMap((sentence, index) => {
      if (isLook(sentence) || worthOf(sentence) < 0.5) return [];
      return [part("why", `${step.id}.${index}`, step.at, clip(sentence, LONGEST_FINDING))];
    }),
  );
  const open = said.slice(-8).flatMap(({ at, text }) =>
    sentencesOf(text)
      .filter(isOpen)
      .map((sentence) => part("open", sentence.toLowerCase(), at, clip(sentence, 220))),
  );
  return [...findings, ...open.slice(-4)];
}

/** The text of summaries that are no records: a provider's, a model's of another library. */
export function earlierParts(entries: readonly HistoryEntry[], at: number): readonly SummaryPart[] {
  return entries.flatMap((entry) => {
    if (entry.type !== "summary") return [];
    const text = cleanText(textOf(entry.content));
    return text === "" ? [] : [part("earlier", entry.id, at, cutMiddle(text, 8000))];
  });
}
