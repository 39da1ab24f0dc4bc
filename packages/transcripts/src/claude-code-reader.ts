import { fromAnthropicMessages } from "@agent-history/anthropic";
import type { JsonObject, JsonValue } from "@agent-history/core";
import { countedIds, isJsonObject, nameOf, textOf } from "@agent-history/format-kit";

import { lineReader } from "./internal/line-reader.ts";
import { changedFacts, isRequestText, sessionLog, timeOf } from "./internal/session-log.ts";
import type { EntryOrigin, SessionLog } from "./internal/session-log.ts";
import { claudeUsage, countOf, providerReason } from "./model-call.ts";
import type { ModelCall } from "./model-call.ts";
import type {
  SessionFacts,
  TranscriptItem,
  TranscriptReader,
  TranscriptReaderOptions,
} from "./transcript-item.ts";

/**
 * Reads a session of Claude Code: `~/.claude/projects/<folder>/<session>.jsonl`, and the files of its subagents.
 *
 * An answer has one line per block, and each line repeats its usage: it is read as one entry and one call, with the usage of its last line. Text that Claude Code writes as the user is
 * marked `isMeta` and does not begin a turn. A compaction's summary becomes a `summary` entry that covers the entries before it. Rewound branches are read, too; `collectTranscript`
 * removes them.
 *
 * @example
 * ```ts
 * import { claudeCodeReader } from "@agent-history/transcripts";
 *
 * const reader = claudeCodeReader();
 * const message = { role: "user", content: "Run the tests." };
 * const line = JSON.stringify({ type: "user", uuid: "u1", sessionId: "s1", message });
 * reader.read(line).map(({ kind }) => kind);
 * // => ["session", "turn", "entry"]
 * ```
 */
export function claudeCodeReader({
  entries = true,
}: TranscriptReaderOptions = {}): TranscriptReader {
  const state: ClaudeState = {
    log: sessionLog(entries),
    nodes: new Map(),
    newest: new Map(),
    open: new Map(),
    calls: new Set(),
    askedAtMs: new Map(),
    facts: {},
    keptFrom: undefined,
  };
  return lineReader({
    read: (object, number) => readLine(state, object, number),
    end: () => [...state.open.keys()].flatMap((agent) => closeAnswer(state, agent)),
  });
}

/** The state of a reader. Maps are keyed by subagent; `""` is the main history. */
interface ClaudeState {
  readonly log: SessionLog;
  /** The message that each line belongs to, by line id. */
  readonly nodes: Map<string, string | undefined>;
  readonly newest: Map<string, string>;
  readonly open: Map<string, OpenAnswer>;
  readonly calls: Set<string>;
  /** When the newest message to the model was logged. */
  readonly askedAtMs: Map<string, number>;
  facts: SessionFacts;
  /** The first message that the next summary does not cover. */
  keptFrom: string | undefined;
}

/** A line and its position. */
interface ClaudeLine {
  readonly line: JsonObject;
  readonly message: JsonObject;
  readonly number: number;
  /** The line's id, or its number if it has none. */
  readonly id: string;
  readonly atMs: number | undefined;
  /** The subagent that the line belongs to. */
  readonly agentId: string | undefined;
  readonly agent: string;
}

/** A message and the fields of its entries. */
interface ClaudeMessage {
  readonly role: string;
  readonly content: JsonValue | undefined;
  readonly atMs: number;
  readonly origin: EntryOrigin;
}

/** An answer whose lines are still being read, and the results logged between them. */
interface OpenAnswer extends Omit<ClaudeMessage, "role" | "content"> {
  readonly messageId: string;
  readonly blocks: JsonValue[];
  readonly results: ClaudeMessage[];
  /** The call of the answer, with the usage of its newest line. */
  call: ModelCall | undefined;
}

function readLine(state: ClaudeState, line: JsonObject, number: number): readonly TranscriptItem[] {
  const uuid = nameOf(line["uuid"]);
  if (uuid !== undefined && state.nodes.has(uuid)) {
    return [{ kind: "problem", line: number, problem: "repeated" }];
  }
  const { type, message } = line;
  const facts = changedFacts(state, {
    sessionId: textOf(line["sessionId"]),
    cwd: textOf(line["cwd"]),
    title: titleOf(line),
  });
  const agentId =
    line["isSidechain"] === true ? (nameOf(line["agentId"]) ?? "sidechain") : undefined;
  const from = {
    line,
    message: isJsonObject(message) ? message : {},
    number,
    id: uuid ?? `line-${number}`,
    atMs: timeOf(line["timestamp"]),
    agentId,
    agent: agentId ?? "",
  };
  if (isJsonObject(message) && (type === "user" || type === "assistant"))
    return [...facts, ...(type === "user" ? readUser(state, from) : readAnswer(state, from))];
  if (uuid !== undefined) state.nodes.set(uuid, nodeBefore(state, from));
  return type === "system" ? [...facts, ...readBoundary(state, from)] : facts;
}

function titleOf({ type, customTitle, summary }: JsonObject): string | undefined {
  if (type === "custom-title") return textOf(customTitle);
  return type === "summary" ? textOf(summary) : undefined;
}

/** Returns the message that a line answers: across a compaction, the last one before it; if the parent is missing from the file, the agent's newest; `undefined` at a root. */
function nodeBefore(
  { nodes, newest }: ClaudeState,
  { line, agent }: Pick<ClaudeLine, "line" | "agent">,
): string | undefined {
  const parent = nameOf(line["parentUuid"]) ?? nameOf(line["logicalParentUuid"]);
  if (parent === undefined) return undefined;
  return nodes.has(parent) ? nodes.get(parent) : newest.get(agent);
}

/** Begins a message, and returns its position and parent. */
function beginMessage(state: ClaudeState, from: ClaudeLine): EntryOrigin {
  const { line, number, id: node, agentId, agent } = from;
  const parent = nodeBefore(state, from);
  state.nodes.set(node, node);
  state.newest.set(agent, node);
  return { line: number, node, parent, agentId, cwd: textOf(line["cwd"]) };
}

/** Reads a user line: a request, tool results, a summary, or text that Claude Code writes as the user. */
function readUser(state: ClaudeState, from: ClaudeLine): readonly TranscriptItem[] {
  const { line, number, message, agentId, agent, atMs = 0 } = from;
  const { content } = message;
  if (atMs > 0) state.askedAtMs.set(agent, atMs);
  const origin = beginMessage(state, from);
  const said = { role: "user", content, atMs };
  if (blocksOf(content).some(isResult) && line["isCompactSummary"] !== true) {
    // A result may be logged between two lines of the answer that asked for it, even before the line with its call.
    const open = state.open.get(agent);
    const placed = { ...origin, parent: origin.parent ?? open?.origin.node };
    const result = { ...said, origin: placed };
    open?.results.push(result);
    return open === undefined ? writeMessage(state, result) : [];
  }
  const closed = closeAnswer(state, agent);
  if (line["isCompactSummary"] === true) {
    const { keptFrom, log } = state;
    state.keptFrom = undefined;
    const place = { ...origin, isMeta: true };
    const written = log.summarize({ content: textIn(content), atMs, keptFrom }, place);
    const whole = written.length > 0 ? written : writeMessage(state, { ...said, origin: place });
    return [...closed, ...whole];
  }
  const isMeta = line["isMeta"] === true || !isRequest(content);
  const begins = !isMeta && agentId === undefined;
  const turn = begins ? [state.log.turn(number, atMs, textIn(content))] : [];
  const place = { ...origin, isMeta: isMeta || undefined };
  return [...closed, ...turn, ...writeMessage(state, { ...said, origin: place })];
}

/** Reads a line of an answer: a block of the open answer, or the first of the next one. */
function readAnswer(state: ClaudeState, from: ClaudeLine): readonly TranscriptItem[] {
  const { message, id, agent, atMs = 0 } = from;
  const open = state.open.get(agent);
  const messageId = textOf(message["id"]) ?? id;
  const blocks = blocksOf(message["content"]);
  if (open?.messageId === messageId) {
    state.nodes.set(id, open.origin.node);
    for (const block of blocks) open.blocks.push(block);
    open.call = callOf(state, from, open.call);
    return [];
  }
  const closed = closeAnswer(state, agent);
  state.open.set(agent, {
    messageId,
    origin: beginMessage(state, from),
    atMs,
    blocks: [...blocks],
    results: [],
    call: callOf(state, from),
  });
  return closed;
}

/** Writes a complete answer: its call, its entry and its results. */
function closeAnswer(state: ClaudeState, agent: string): readonly TranscriptItem[] {
  const open = state.open.get(agent);
  if (open === undefined) return [];
  state.open.delete(agent);
  const { blocks, results, call, ...stamp } = open;
  const answer = { ...stamp, role: "assistant", content: blocks };
  const isNew = call !== undefined && !state.calls.has(call.id);
  if (isNew) state.calls.add(call.id);
  return [
    ...(isNew ? [{ kind: "call", call } as const] : []),
    ...[answer, ...results].flatMap((message) => writeMessage(state, message)),
  ];
}

/**
 * Reads the call of a line. Each line of an answer repeats its usage; the last one is final, because output tokens are still counted while the answer is
 * written. The model `<synthetic>` is Claude Code itself.
 */
function callOf(
  state: ClaudeState,
  { line, number, message, id, agentId, agent, atMs }: ClaudeLine,
  before?: ModelCall,
): ModelCall | undefined {
  const { usage, model } = message;
  if (!isJsonObject(usage) || model === "<synthetic>") return before;
  const reason = providerReason(message) ?? before?.providerReason;
  const known = { usage: claudeUsage(usage), providerReason: reason };
  if (before !== undefined) return { ...before, ...known };
  return {
    id: `${textOf(message["id"]) ?? id}:${textOf(line["requestId"]) ?? ""}`,
    line: number,
    model: textOf(model) ?? "unknown",
    askedAtMs: state.askedAtMs.get(agent),
    answeredAtMs: atMs,
    agentId,
    ...known,
  };
}

/** Reads a line that reports a compaction or the clearing of results. */
function readBoundary(
  state: ClaudeState,
  { line, number, agentId, agent, atMs }: ClaudeLine,
): readonly TranscriptItem[] {
  const { subtype } = line;
  const isSummary = subtype === "compact_boundary";
  if (!isSummary && subtype !== "microcompact_boundary") return [];
  const metadata = line[isSummary ? "compactMetadata" : "microcompactMetadata"];
  const said = isJsonObject(metadata) ? metadata : {};
  const { preservedSegment: segment, compactedToolIds: cleared } = said;
  if (isSummary && isJsonObject(segment)) {
    const kept = { parentUuid: segment["headUuid"] ?? null };
    state.keptFrom = nodeBefore(state, { line: kept, agent });
  }
  return [
    ...closeAnswer(state, agent),
    {
      kind: "compaction",
      line: number,
      how: isSummary ? "summary" : "clearing",
      atMs,
      trigger: textOf(said["trigger"]),
      preTokens: countOf(said["preTokens"]) || undefined,
      callIds: Array.isArray(cleared) ? cleared.flatMap((id) => textOf(id) ?? []) : undefined,
      agentId,
    },
  ];
}

function writeMessage(
  { log }: ClaudeState,
  { role, content, atMs, origin }: ClaudeMessage,
): readonly TranscriptItem[] {
  if (!log.isWritten) return [];
  // Subagents have no turns.
  const turnId = origin.agentId === undefined ? log.turnId() : undefined;
  const message = { role, ...(content !== undefined && { content }) };
  const entries = fromAnthropicMessages([message], {
    newId: countedIds(origin.node),
    now: () => atMs,
    ...(turnId !== undefined && { turnId }),
    ...(origin.agentId !== undefined && { agent: { id: origin.agentId, role: "worker" } }),
  });
  return log.write(entries, origin);
}

function blocksOf(content: JsonValue | undefined): readonly JsonValue[] {
  if (Array.isArray(content)) return content;
  return typeof content === "string" ? [{ type: "text", text: content }] : [];
}

function isResult(block: JsonValue): boolean {
  return isJsonObject(block) && block["type"] === "tool_result";
}

/** Returns the text of a message, without other parts. */
function textIn(content: JsonValue | undefined): string {
  return blocksOf(content)
    .flatMap((block) => (isJsonObject(block) ? (textOf(block["text"]) ?? []) : []))
    .join("\n");
}

/** Returns whether a person wrote a message. An image alone is a request, too. */
function isRequest(content: JsonValue | undefined): boolean {
  const text = textIn(content);
  return text === "" ? blocksOf(content).some((block) => !isResult(block)) : isRequestText(text);
}
