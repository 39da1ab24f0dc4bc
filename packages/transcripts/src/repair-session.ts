import type { JsonObject } from "@agent-history/core";
import { contentHash } from "@agent-history/core/kit";

import { grouped } from "./internal/grouped.ts";
import { readJsonLine } from "./internal/line-reader.ts";
import { resumedClaude } from "./internal/resumed-claude.ts";
import { resumedCodex } from "./internal/resumed-codex.ts";
import type { HeldPart, ResumedTool, SentPart, SessionLine } from "./internal/resumed-tool.ts";
import type { TranscriptFormat } from "./transcript-format.ts";

/** A session that its tool can resume, and the changes made to it. */
export interface RepairedSession {
  readonly lines: readonly string[];
  readonly changes: readonly SessionChange[];
}

/** One change of a session. */
export interface SessionChange {
  /** The line in the original file, from 1; for added content, the line before it. */
  readonly line: number;
  /**
   * `damaged`, `repeated`: the line was removed. `joined`: its objects were split into separate lines. `changed`, `removed`, `moved`, `added`: repairs of faults that the model's API would refuse. `linked`: the line was linked to
   * another one, because its predecessor is missing.
   */
  readonly what:
    | "damaged"
    | "repeated"
    | "joined"
    | "changed"
    | "removed"
    | "moved"
    | "added"
    | "linked";
}

const TOOLS: Partial<Record<TranscriptFormat, ResumedTool>> = {
  "claude-code": resumedClaude,
  codex: resumedCodex,
};

/**
 * Repairs a session of Claude Code or Codex so that its tool can resume it: lines that were cut, joined or written twice, links to missing lines, and faults that the model's API refuses, such as a
 * call without a result. All other lines stay unchanged, byte for byte: a valid session is returned as the same array, and repair is idempotent. Linear.
 *
 * @returns `undefined` for a format whose sessions no tool resumes.
 *
 * @example
 * ```ts
 * import { repairSession } from "@agent-history/transcripts";
 *
 * const payload = { type: "function_call", call_id: "c1", name: "shell", arguments: "{}" };
 * const line = JSON.stringify({ type: "response_item", payload });
 * repairSession([line, line.slice(0, 40)], "codex")?.changes;
 * // => [{ line: 1, what: "added" }, { line: 2, what: "damaged" }]
 * ```
 */
export function repairSession(
  lines: readonly string[],
  format: TranscriptFormat,
): RepairedSession | undefined {
  const tool = TOOLS[format];
  if (tool === undefined) return undefined;
  const changes: SessionChange[] = [];
  let now = readLines(lines, tool, changes);
  // A repaired link may add lines to what is sent, so repeat.
  for (let round = 0, before = -1; round < MAX_ROUNDS && before < changes.length; round += 1) {
    before = changes.length;
    now = repairSent(now, tool, changes);
    if (round === 0 && changes.length === 0) return { lines, changes };
  }
  changes.sort((a, b) => a.line - b.line);
  return { lines: now.map(({ text }) => text), changes };
}

const MAX_ROUNDS = 4;

/** Repairs the parts that the tool would send, and the links between lines. */
function repairSent(
  read: readonly SessionLine[],
  tool: ResumedTool,
  changes: SessionChange[],
): readonly SessionLine[] {
  const sent = tool.sent(read);
  const rebuilt = rebuildLines(read, sent, tool, changes);
  const linked = tool.relink?.(rebuilt, read, new Set(sent.map(({ line }) => line))) ?? rebuilt;
  const known = new Set(read);
  for (const [index, line] of linked.entries()) {
    const was = rebuilt[index];
    if (was !== undefined && was !== line && known.has(was))
      changes.push({ line: line.number, what: "linked" });
  }
  return linked;
}

/** Parses the readable lines, and removes duplicates. */
function readLines(
  lines: readonly string[],
  tool: ResumedTool,
  changes: SessionChange[],
): readonly SessionLine[] {
  const all = lines.flatMap((text, index) => {
    const number = index + 1;
    const { objects, problem } = readJsonLine(text);
    if (problem === "damaged" || problem === "joined")
      changes.push({ line: number, what: problem });
    return objects.map((object) =>
      problem === undefined ? { number, text, object } : lineOf(number, object),
    );
  });
  const read = new Map<SessionLine | string, SessionLine>();
  for (const line of all) {
    const key = tool.keyOf(line) ?? line;
    const first = read.get(key);
    // If two lines have the same id, the tool reads the later one.
    const isSameText = first?.text === line.text;
    if (first !== undefined)
      changes.push({ line: isSameText ? line.number : first.number, what: "repeated" });
    if (!isSameText) read.set(key, line);
  }
  return [...read.values()];
}

/** Writes parts into lines. Unchanged lines stay; new lines are added after the previous part's line. */
function rebuildLines(
  lines: readonly SessionLine[],
  sent: readonly HeldPart[],
  tool: ResumedTool,
  changes: SessionChange[],
): readonly SessionLine[] {
  const wanted = tool.repair(sent);
  if (isSame(wanted, sent)) return lines;
  const held = grouped(sent, ({ line }) => line);
  const place = new Map(lines.map((line, index) => [line, index]));
  const placeOf = (line: SessionLine | undefined): number => (line && place.get(line)) ?? -1;
  const runs = runsOf(wanted, sent);
  const kept = keptRuns(runs, [...held.keys()], placeOf);
  /** New lines by the line before them; `undefined` for those before all sent lines. */
  const added = new Map<SessionLine | undefined, SessionLine[]>();
  const moved = new Set<SessionLine>();
  let before: SessionLine | undefined;
  for (const { parts, line } of runs) {
    if (line !== undefined && kept.get(line) === parts) {
      if (placeOf(line) > placeOf(before)) before = line;
      continue;
    }
    const isMoved = line !== undefined && !kept.has(line) && !moved.has(line);
    const number = (isMoved ? line : (before ?? lines[0]))?.number ?? 1;
    const beside = (line ?? before ?? sent[0]?.line)?.object ?? {};
    if (isMoved) moved.add(line);
    changes.push({ line: number, what: isMoved ? "moved" : "added" });
    const own = isMoved
      ? [withParts(line, parts, tool, held)]
      : parts.map((part) => lineOf(number, tool.newLine(part, beside)));
    added.set(before, [...(added.get(before) ?? []), ...own]);
  }
  const [first] = held.keys();
  return lines.flatMap((line): readonly SessionLine[] => {
    if (!held.has(line)) return [line];
    const parts = kept.get(line);
    const own = parts === undefined ? [] : [withParts(line, parts, tool, held)];
    if (parts === undefined && !moved.has(line))
      changes.push({ line: line.number, what: "removed" });
    if (own[0] !== undefined && own[0] !== line)
      changes.push({ line: line.number, what: "changed" });
    const ahead = line === first ? (added.get(undefined) ?? []) : [];
    return [...ahead, ...own, ...(added.get(line) ?? [])];
  });
}

/** Returns a line with these parts; the same line if they are unchanged. */
function withParts(
  line: SessionLine,
  parts: readonly SentPart[],
  tool: ResumedTool,
  held: ReadonlyMap<SessionLine, readonly SentPart[]>,
): SessionLine {
  if (isSame(parts, held.get(line) ?? [])) return line;
  const values = parts.map(({ value }) => value);
  return lineOf(line.number, tool.withParts(line.object, values));
}

function lineOf(number: number, object: JsonObject): SessionLine {
  return { number, object, text: JSON.stringify(object) };
}

/** Neighboring parts from one line. A new part has no line and forms its own run. */
interface Run {
  readonly parts: SentPart[];
  readonly line: SessionLine | undefined;
}

/** Finds the source line of each part: equal parts in order, and a changed part next to its neighbor. */
function runsOf(wanted: readonly SentPart[], sent: readonly HeldPart[]): readonly Run[] {
  const same = grouped(sent, keyOf);
  const found = wanted.map((part) => same.get(keyOf(part))?.shift());
  const used = new Set(found);
  const place = new Map(sent.map((part, index) => [part, index]));
  const runs: Run[] = [];
  let next = 0;
  for (const [index, part] of wanted.entries()) {
    const beside = sent[next];
    const isChanged = beside !== undefined && !used.has(beside) && isAlike(part, beside);
    const source = found[index] ?? (isChanged ? beside : undefined);
    if (source !== undefined) {
      used.add(source);
      next = (place.get(source) ?? 0) + 1;
    }
    const last = runs.at(-1);
    // Keep the original if a part differs only in the order of keys.
    const own = found[index] ?? part;
    if (last !== undefined && source !== undefined && last.line === source.line)
      last.parts.push(own);
    else runs.push({ parts: [own], line: source?.line });
  }
  return runs;
}

/** Returns the lines that keep their position, with their parts: those that no later run precedes in the original order. */
function keptRuns(
  runs: readonly Run[],
  order: readonly SessionLine[],
  placeOf: (line: SessionLine) => number,
): ReadonlyMap<SessionLine, readonly SentPart[]> {
  const turn = new Map(order.map((line, index) => [line, index]));
  const inOrder = new Set<Run>();
  let least = Infinity;
  for (const run of runs.toReversed()) {
    const at = (run.line && turn.get(run.line)) ?? Infinity;
    if (at < least) inOrder.add(run);
    least = Math.min(least, at);
  }
  const kept = new Map<SessionLine, readonly SentPart[]>();
  // A line inserted or moved between others comes after everything sent before it, so a line before that position cannot stay.
  let [last, behind] = [-1, -1];
  for (const run of runs) {
    const { line, parts } = run;
    if (line !== undefined && inOrder.has(run) && placeOf(line) > behind) {
      kept.set(line, parts);
      last = Math.max(last, placeOf(line));
    } else behind = last;
  }
  return kept;
}

function isAlike(one: SentPart, other: SentPart): boolean {
  return one.role === other.role && one.value["type"] === other.value["type"];
}

function isSame(some: readonly SentPart[], others: readonly SentPart[]): boolean {
  return (
    some.length === others.length && some.every((part, at) => keyOf(part) === keyOf(others[at]))
  );
}

function keyOf(part: SentPart | undefined): string {
  return part === undefined ? "" : contentHash([part.role, part.value]);
}
