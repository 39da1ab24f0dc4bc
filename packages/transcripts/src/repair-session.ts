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
  const before = [...new Set(sent.map(({ line }) => line))];
  const { lines, live } = rebuildLines(read, sent, tool, changes) ?? { lines: read, live: before };
  const parents = tool.relinked?.(lines, live, before) ?? new Map<SessionLine, JsonObject>();
  const known = new Set(read);
  return lines.map((line) => {
    const object = parents.get(line);
    if (object === undefined) return line;
    if (known.has(line)) changes.push({ line: line.number, what: "linked" });
    return lineOf(line.number, object);
  });
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

/**
 * Writes the repaired parts into lines; `undefined` if nothing changes. A line keeps its place unless a line that now follows it stood before it; it then moves, as new lines do, to before the next line. `live` are the
 * lines that are sent now, in order.
 */
function rebuildLines(
  lines: readonly SessionLine[],
  sent: readonly HeldPart[],
  tool: ResumedTool,
  changes: SessionChange[],
): { readonly lines: readonly SessionLine[]; readonly live: readonly SessionLine[] } | undefined {
  const wanted = tool.repair(sent);
  if (isSame(wanted, sent)) return undefined;
  const held = grouped(sent, ({ line }) => line);
  const turns = new Map([...held.keys()].map((line, turn) => [line, turn]));
  const places = new Map(lines.map((line, place) => [line, place]));
  const runs = runsOf(wanted, sent);
  const seen = new Set<SessionLine>();
  const live: { readonly at: number; readonly line: SessionLine }[] = [];
  // New and moved lines stand before every later line that stays, and after every earlier one.
  let [at, limit, next] = [lines.length, lines.length, Infinity];
  for (const [index, { parts, line }] of [...runs.entries()].toReversed()) {
    const before = runs.slice(0, index).findLast((run) => run.line !== undefined)?.line;
    if (line === undefined || seen.has(line)) {
      const beside = line ?? before ?? sent[0]?.line;
      const number = (before ?? lines[0])?.number ?? 1;
      changes.push({ line: number, what: "added" });
      const own = parts.map((part) => lineOf(number, tool.newLine(part, beside?.object ?? {})));
      for (const one of own.toReversed()) live.unshift({ at, line: one });
      limit = at;
      continue;
    }
    seen.add(line);
    const [turn, place] = [turns.get(line) ?? 0, places.get(line) ?? 0];
    const stays = turn < next && place < limit;
    const isChanged = !isSame(parts, held.get(line) ?? []);
    if (!stays) changes.push({ line: line.number, what: "moved" });
    else if (isChanged) changes.push({ line: line.number, what: "changed" });
    if (stays) [at, next] = [Math.min(at, place), turn];
    else limit = at;
    const values = parts.map(({ value }) => value);
    const own = isChanged ? lineOf(line.number, tool.withParts(line.object, values)) : line;
    live.unshift({ at: stays ? place : at, line: own });
  }
  const others = lines.flatMap((line, place) => (held.has(line) ? [] : [{ at: place, line }]));
  for (const line of held.keys())
    if (!seen.has(line)) changes.push({ line: line.number, what: "removed" });
  const all = [...others, ...live].toSorted((a, b) => a.at - b.at);
  return { lines: all.map(({ line }) => line), live: live.map(({ line }) => line) };
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
