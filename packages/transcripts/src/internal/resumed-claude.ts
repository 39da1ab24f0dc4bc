import {
  anthropicTarget,
  fromAnthropicMessages,
  toAnthropicMessages,
} from "@agent-history/anthropic";
import type { JsonObject, JsonValue } from "@agent-history/core";
import { contentHash } from "@agent-history/core/kit";
import { isJsonObject, nameOf, repairFor, textOf } from "@agent-history/format-kit";

import type { HeldPart, ResumedTool, SentPart, SessionLine } from "./resumed-tool.ts";

/**
 * How Claude Code resumes a session, following the Claude Agent SDK's reader (`get_session_messages`, of June 2026): from the newest message along `parentUuid` to the first one, or to the newest
 * compaction. Answers have a line for each block, and results of parallel calls are siblings.
 */
export const resumedClaude: ResumedTool = {
  keyOf: ({ object }) => nameOf(object["uuid"]),
  sent: (lines) => {
    let [answer, at]: [string | undefined, number] = ["", 0];
    const placed = resumedLines(lines).map((line) => {
      const id = answerId(line);
      if (id !== undefined && id !== answer) [answer, at] = [id, at + 1];
      return { line, isAnswer: id !== undefined, at };
    });
    // The blocks of an answer form one message, whatever was logged between them.
    const sorted = placed.toSorted(
      (a, b) => a.at - b.at || Number(b.isAnswer) - Number(a.isAnswer),
    );
    return sorted.flatMap(({ line }) => partsOf(line)).filter(isSaid);
  },
  repair: (parts) => {
    const given: { role: string; content: JsonValue[]; id: string | undefined }[] = [];
    for (const { role, value, line } of parts) {
      const id = answerId(line);
      const last = given.at(-1);
      if (last?.role === role && last.id === id) last.content.push(value);
      else given.push({ role, content: [value], id });
    }
    const asked = given.map(({ role, content }) => ({ role, content }));
    const { entries } = repairFor(TARGET, fromAnthropicMessages([...asked, NEXT_REQUEST]));
    const taken: unknown = toAnthropicMessages(entries);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was created from JSON
    const messages = taken as readonly { readonly role: string; readonly content: JsonValue }[];
    return messages.flatMap(({ role, content }) => blocksOf(role, content)).slice(0, -1);
  },
  withParts: (line, parts) => {
    const message = isJsonObject(line["message"]) ? line["message"] : {};
    const text = typeof message["content"] === "string" ? textOf(parts[0]?.["text"]) : undefined;
    const content = text !== undefined && parts.length === 1 ? text : parts;
    return { ...line, message: { ...message, content } };
  },
  newLine: ({ role, value }, beside) => {
    const facts = FACTS.flatMap((name) =>
      beside[name] === undefined ? [] : [[name, beside[name]]],
    );
    const uuid = uuidOf([beside["uuid"] ?? null, role, value]);
    const said = { role, content: [value] };
    const message =
      role === "user"
        ? said
        : {
            id: `msg_${uuid.replaceAll("-", "")}`,
            type: "message",
            model: "<synthetic>",
            ...said,
            stop_reason: "tool_use",
            stop_sequence: null,
            usage: { input_tokens: 0, output_tokens: 0 },
          };
    return { parentUuid: null, ...Object.fromEntries(facts), type: role, message, uuid };
  },
  relinked,
};

const NEXT_REQUEST = { role: "user", content: [{ type: "text", text: "." }] };
const RULES = new Set([
  "well-formed-text",
  "pairing",
  "call-id",
  "duplicate-call-id",
  "arguments-object",
  "thinking",
  "blank-text",
]);
const TARGET = { rules: anthropicTarget().rules.filter(({ name }) => RULES.has(name)) };

/** Session fields of a line, copied to new lines. */
const FACTS = [
  "isSidechain",
  "userType",
  "cwd",
  "sessionId",
  "version",
  "gitBranch",
  "slug",
  "agentId",
  "timestamp",
];

function partsOf(line: SessionLine): readonly HeldPart[] {
  const { type, message } = line.object;
  const content = isJsonObject(message) ? message["content"] : undefined;
  return blocksOf(type === "user" ? "user" : "assistant", content).map((part) => ({
    ...part,
    line,
  }));
}

function blocksOf(role: string, content: JsonValue | undefined): readonly SentPart[] {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const list = Array.isArray(blocks) ? blocks : [];
  return list.filter(isJsonObject).map((value) => ({ role, value }));
}

function idOf({ object }: SessionLine): string | undefined {
  return nameOf(object["uuid"]);
}

function parentOf({ object }: SessionLine): string | undefined {
  return nameOf(object["parentUuid"]);
}

/** Returns the id of the answer that a line is part of. */
function answerId(line: SessionLine): string | undefined {
  const { type, message } = line.object;
  if (type !== "assistant" || !isJsonObject(message)) return undefined;
  return nameOf(message["id"]) ?? idOf(line);
}

function isMessage({ object: { type, message } }: SessionLine): boolean {
  return (type === "user" || type === "assistant") && isJsonObject(message);
}

/** Returns the messages that lead to the newest one, the rest of their answers and the results of their calls, in file order. */
function resumedLines(lines: readonly SessionLine[]): readonly SessionLine[] {
  const messages = lines.filter(isMessage);
  const isMain = ({ object }: SessionLine): boolean => object["isSidechain"] !== true;
  const newest = messages.findLast(isMain) ?? messages.at(-1);
  const places = new Map(lines.map((line, index) => [idOf(line), index]));
  const found = new Set<SessionLine>();
  let line = newest;
  while (line !== undefined && !found.has(line)) {
    found.add(line);
    const parent = parentOf(line);
    if (parent === undefined) break;
    line = lines[places.get(parent) ?? beforeOf(lines, line)];
  }
  const answers = new Set([...found].flatMap((one) => answerId(one) ?? []));
  const isAnswer = (one: SessionLine): boolean => answers.has(answerId(one) ?? "");
  const ids = new Set([...found, ...messages.filter(isAnswer)].map(idOf));
  const isResult = (one: SessionLine): boolean => {
    const parent = parentOf(one);
    const isLost = parent !== undefined && !places.has(parent);
    return (isLost || ids.has(parent)) && holdsResult(one);
  };
  const first = messages.findIndex((one) => found.has(one));
  return messages.filter(
    (one, index) => found.has(one) || isAnswer(one) || (index > first && isResult(one)),
  );
}

function holdsResult(line: SessionLine): boolean {
  return partsOf(line).some(({ value }) => value["type"] === "tool_result");
}

/** Returns the index of the previous line of the same history, for a line whose predecessor is missing. */
function beforeOf(lines: readonly SessionLine[], line: SessionLine): number {
  const { isSidechain, agentId } = line.object;
  return lines.findLastIndex(
    (one, index) =>
      index < lines.indexOf(line) &&
      idOf(one) !== undefined &&
      one.object["isSidechain"] === isSidechain &&
      one.object["agentId"] === agentId,
  );
}

/**
 * Links lines to the sent line before them: those whose predecessor is missing, and each answer and its results if one of them has a new predecessor, because results beside one another are found by the
 * line of their call only. The first line gets the parent of the line that was first.
 */
function relinked(
  lines: readonly SessionLine[],
  live: readonly SessionLine[],
  before: readonly SessionLine[],
): ReadonlyMap<SessionLine, JsonObject> {
  const byId = new Map(lines.map((line) => [idOf(line), line]));
  const sent = new Set(live);
  const were = before.map(idOf);
  const wasBehind = new Map(were.map((id, index) => [id, were[index - 1]]));
  let answer: string | undefined;
  const steps = live.map((line, index) => {
    answer = answerId(line) ?? answer;
    const [id, last] = [idOf(line), live[index - 1]];
    const isNew = !wasBehind.has(id) || wasBehind.get(id) !== (last && idOf(last));
    return { line, last, answer, isNew };
  });
  const touched = new Set(steps.flatMap((step) => (step.isNew ? [step.answer] : [])));
  const found = new Map<SessionLine, JsonObject>();
  for (const { line, last, answer: own, isNew } of steps) {
    // A new first line stands where the parent of the old one leads.
    const top = last && idOf(line) === were[0] ? line : topOf(line, byId, sent);
    const isLost = parentOf(top) !== undefined && !byId.has(parentOf(top));
    if (!isLost && !isNew && !touched.has(own)) continue;
    const [first = top] = isLost ? [] : before;
    const root = byId.get(parentOf(first)) ?? lines[beforeOf(lines, first)];
    const parent = last ?? root;
    const parentUuid = (parent && idOf(parent)) ?? null;
    if (parentUuid !== (parentOf(top) ?? null)) found.set(top, { ...top.object, parentUuid });
  }
  return found;
}

/** Returns the line whose parent links a message to the previous one: the message itself, or the first unsent line between them, such as an attachment. */
function topOf(
  line: SessionLine,
  byId: ReadonlyMap<string | undefined, SessionLine>,
  sent: ReadonlySet<SessionLine>,
): SessionLine {
  const passed = new Set([line]);
  for (let top = line; ;) {
    const parent = parentOf(top) === undefined ? undefined : byId.get(parentOf(top));
    if (parent === undefined || sent.has(parent) || passed.has(parent)) return top;
    passed.add(parent);
    top = parent;
  }
}

/** Returns whether a part is sent. Claude Code leaves out blank text in answers. */
function isSaid({ role, value: { text } }: HeldPart): boolean {
  return role === "user" || typeof text !== "string" || text === "" || text.trim() !== "";
}

/** Derives an id in the form that Claude Code requires from a value. */
function uuidOf(value: JsonValue): string {
  const hex = contentHash(value);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
