import type { SummaryPart } from "@agent-history/core";

import { worthOf } from "./markers.ts";
import { corrected } from "./statements.ts";
import { clip, overlapOf, wordsOf } from "./text.ts";

/**
 * Merges the parts of new entries into those of an earlier summary: one part for each thing, with its last value. What new
 * entries say of the present replaces what was the present; a correction removes what it corrects.
 */
export function mergeParts(
  previous: readonly SummaryPart[],
  next: readonly SummaryPart[],
): readonly SummaryPart[] {
  const has = (kind: string): boolean => next.some((part) => part.kind === kind);
  const isGone = ({ kind }: SummaryPart): boolean =>
    (PRESENT.has(kind) && has(kind)) || ((kind === "offer" || kind === "brief") && has("task"));
  const kept = previous.filter((part) => !isGone(part));
  const brief = has("brief") ? [] : oldBrief(previous, has("task"));
  const turns = continuedTurn(kept, next);
  const merged = new Map<string, SummaryPart>();
  for (const part of [
    ...kept.map((one) => (has("task") ? outOfTask(one) : one)),
    ...brief,
    ...turns,
  ]) {
    const key = `${part.kind}\n${part.key}`;
    const before = merged.get(key);
    merged.delete(key);
    merged.set(key, before === undefined ? part : mergeTwo(before, part));
  }
  const parts = [...merged.values()].toSorted((one, other) => one.at - other.at);
  return limited(withoutRepeated(withoutFailedTools(corrected(parts))));
}

/** Merges two records of which the second is of what came later, with positions of its own. */
export function followedBy(
  earlier: readonly SummaryPart[],
  later: readonly SummaryPart[],
): readonly SummaryPart[] {
  if (earlier.length === 0) return later;
  const start = earlier.reduce((most, { at }) => Math.max(most, at + 1), 0);
  return mergeParts(
    earlier,
    later.map((part) => ({ ...part, at: start + part.at })),
  );
}

/** Kinds of which only the newest state is worth anything. */
const PRESENT: ReadonlySet<string> = new Set(["task", "now", "todo", "open", "root", "note"]);

/** A long task stays for a while as what the work is about, once the user asks for something else. */
function oldBrief(previous: readonly SummaryPart[], isNewTask: boolean): readonly SummaryPart[] {
  if (!isNewTask) return [];
  const long = previous.findLast(
    ({ kind, text }) => (kind === "task" || kind === "brief") && text.length > 700,
  );
  return long === undefined ? [] : [{ ...long, kind: "brief", key: "brief", state: "old" }];
}

function outOfTask(part: SummaryPart): SummaryPart {
  if (part.kind !== "turn" || part.state !== "in task") return part;
  const { state: _state, ...rest } = part;
  return rest;
}

/** What an agent says before the first request of new entries ends the last turn of the earlier ones. */
function continuedTurn(
  previous: readonly SummaryPart[],
  next: readonly SummaryPart[],
): readonly SummaryPart[] {
  const open = next.find(({ kind, key }) => kind === "turn" && key === "");
  if (open === undefined) return next;
  const last = previous.findLast(({ kind }) => kind === "turn");
  const others = next.filter((part) => part !== open);
  if (last === undefined || open.note === undefined) return others;
  return [{ ...last, note: open.note }, ...others];
}

function mergeTwo(before: SummaryPart, after: SummaryPart): SummaryPart {
  if (after.kind === "first") return before;
  if (
    after.kind === "check" &&
    after.state === "ok" &&
    before.state === "failed" &&
    before.note !== undefined
  ) {
    return { ...after, note: after.note ?? before.note };
  }
  if (after.kind !== "file") return after;
  const edits = Number(before.note ?? 1) + Number(after.note ?? 1);
  const isNews = before.text !== "" && !after.text.includes(before.text.slice(0, 40));
  const text =
    after.text === ""
      ? before.text
      : isNews
        ? clip(`${after.text} / before: ${before.text}`, 420)
        : after.text;
  return { ...after, text, note: String(edits) };
}

/** A tool that failed and then did the same is no failure. */
function withoutFailedTools(parts: readonly SummaryPart[]): readonly SummaryPart[] {
  const done = new Map(
    parts
      .filter(({ kind }) => kind === "landed" || kind === "case")
      .map(({ key, at }) => [key, at]),
  );
  return parts.filter(
    ({ kind, key, at, state }) =>
      !(kind === "check" && state === "failed" && (done.get(key) ?? -1) > at),
  );
}

/** Of what agents said twice in nearly the same words the later stays; of all the best. */
function withoutRepeated(parts: readonly SummaryPart[]): readonly SummaryPart[] {
  const best = parts
    .filter(({ kind }) => kind === "why")
    .map((finding, index) => ({ finding, worth: worthOf(finding.text) + index / 1e4 }))
    .toSorted((one, other) => other.worth - one.worth)
    .slice(0, MOST_FINDINGS)
    .map(({ finding }) => ({ finding, words: wordsOf(finding.text) }))
    .toSorted((one, other) => one.finding.at - other.finding.at);
  const kept = new Set(
    best
      .filter(
        ({ words }, index) =>
          !best
            .slice(index + 1)
            .some((later) => later.words.size > 4 && overlapOf(words, later.words) > 0.7),
      )
      .map(({ finding }) => finding),
  );
  return parts.filter((part) => part.kind !== "why" || kept.has(part));
}

// ---- size ----

const MOST_FINDINGS = 240;
/** How many of a kind are carried forward; the newest stay. */
const MOST: Readonly<Record<string, number>> = {
  turn: 240,
  file: 120,
  landed: 60,
  check: 16,
  case: 40,
  name: 60,
  found: 40,
  rule: 60,
  earlier: 2,
  note: 40,
  fact: 400,
};
/** Characters of all texts together: what a summary carries must not grow with its history. */
const MOST_CHARACTERS = 120_000;

function limited(parts: readonly SummaryPart[]): readonly SummaryPart[] {
  const counts = new Map<string, number>();
  const fewer = parts
    .toReversed()
    .filter(({ kind }) => {
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      return count <= (MOST[kind] ?? Infinity);
    })
    .toReversed();
  let excess = fewer.reduce((sum, part) => sum + sizeOf(part), 0) - MOST_CHARACTERS;
  // The oldest replies and requests get shorter first; what is as short as it may be goes.
  for (const most of [400, 120]) {
    if (excess <= 0) break;
    for (const [index, part] of fewer.entries()) {
      if (excess <= 0) break;
      if (!SHORTENED.has(part.kind)) continue;
      const { note, ...rest } = part;
      const shorter = {
        ...rest,
        text: clip(part.text, most),
        ...(note !== undefined && { note: clip(note, most) }),
      };
      excess -= sizeOf(part) - sizeOf(shorter);
      fewer[index] = shorter;
    }
  }
  return fewer;
}

const SHORTENED: ReadonlySet<string> = new Set([
  "turn",
  "why",
  "landed",
  "case",
  "found",
  "file",
  "fact",
  "note",
]);

function sizeOf({ key, text, note = "" }: SummaryPart): number {
  return key.length + text.length + note.length + 40;
}
