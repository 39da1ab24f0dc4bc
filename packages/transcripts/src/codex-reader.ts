import type { HistoryEntry, JsonObject } from "@agent-history/core";
import { countedIds, isJsonObject, textOf } from "@agent-history/format-kit";
import { fromResponseItems } from "@agent-history/openai";

import { lineReader } from "./internal/line-reader.ts";
import { changedFacts, isRequestText, sessionLog, timeOf } from "./internal/session-log.ts";
import type { SessionLog, OriginExtras } from "./internal/session-log.ts";
import { countOf, NO_USAGE } from "./model-call.ts";
import type { CallUsage } from "./model-call.ts";
import type {
  SessionFacts,
  TranscriptItem,
  TranscriptReader,
  TranscriptReaderOptions,
} from "./transcript-item.ts";

/**
 * Reads a rollout of Codex CLI: `~/.codex/sessions/<year>/<month>/<day>/rollout-<time>-<id>.jsonl`.
 *
 * The items of one answer become one entry. A call's usage is what its `token_count` event adds; repeated events count once. Instructions that Codex writes as the
 * user are marked `isMeta`. If the provider encrypts a compaction's summary, the `summary` entry contains the requests that Codex kept.
 *
 * @example
 * ```ts
 * import { codexReader } from "@agent-history/transcripts";
 *
 * const reader = codexReader();
 * const payload = { type: "message", role: "user", content: "Run the tests." };
 * reader.read(JSON.stringify({ type: "response_item", payload })).map(({ kind }) => kind);
 * // => ["turn", "entry"]
 * ```
 */
export function codexReader({ entries = true }: TranscriptReaderOptions = {}): TranscriptReader {
  const state: CodexState = {
    log: sessionLog(entries),
    open: undefined,
    facts: {},
    cwd: undefined,
    model: "unknown",
    calls: 0,
    total: undefined,
    askedAtMs: 0,
  };
  return lineReader({
    read: ({ type, payload, timestamp }, number) => {
      const read = READERS[textOf(type) ?? ""];
      const line = { payload: isJsonObject(payload) ? payload : {}, number };
      return read?.(state, { ...line, atMs: timeOf(timestamp) ?? 0 }) ?? [];
    },
    end: () => closeAnswer(state),
  });
}

/** The state of a reader. */
interface CodexState {
  readonly log: SessionLog;
  /** The answer that is being read. */
  open: OpenAnswer | undefined;
  facts: SessionFacts;
  cwd: string | undefined;
  model: string;
  calls: number;
  /** The total of the newest token count. */
  total: string | undefined;
  askedAtMs: number;
}

/** A line without its envelope. */
interface CodexLine {
  readonly payload: JsonObject;
  readonly number: number;
  readonly atMs: number;
}

/** The items of one answer, or one other item, and the fields of their entries. */
interface CodexMessage {
  readonly items: JsonObject[];
  readonly atMs: number;
  readonly turnId: string | undefined;
  readonly number: number;
  readonly beside: OriginExtras;
}

/** An answer that is being read, and what was logged before its usage. */
interface OpenAnswer {
  readonly answer: CodexMessage;
  readonly later: CodexMessage[];
  readonly askedAtMs: number;
  isCounted: boolean;
}

type ReadLine = (state: CodexState, line: CodexLine) => readonly TranscriptItem[];

const READERS: Readonly<Record<string, ReadLine>> = {
  session_meta: readFacts,
  turn_context: (state, { payload }) => {
    state.model = textOf(payload["model"]) ?? state.model;
    state.cwd = textOf(payload["cwd"]) ?? state.cwd;
    return [];
  },
  response_item: (state, line) => {
    const { type, role } = line.payload;
    const kind = textOf(type) ?? "";
    if (kind.endsWith("_output")) return readResult(state, line);
    const isAnswer = kind === "message" ? role === "assistant" : kind !== "";
    return isAnswer ? readAnswer(state, line) : readMessage(state, line);
  },
  compacted: readCompaction,
  event_msg: (state, line) =>
    line.payload["type"] === "token_count" ? readUsage(state, line) : [],
};

/** Reads session facts. The first line belongs to this session; later ones may belong to the session that it was forked from. */
function readFacts(state: CodexState, { payload }: CodexLine): readonly TranscriptItem[] {
  state.cwd = textOf(payload["cwd"]) ?? state.cwd;
  return changedFacts(state, {
    sessionId: state.facts.sessionId ?? textOf(payload["id"]),
    cwd: state.facts.cwd ?? state.cwd,
  });
}

function messageOf(
  { log, cwd }: CodexState,
  { payload, number, atMs }: CodexLine,
  isMeta = false,
): CodexMessage {
  const beside = { ...(cwd !== undefined && { cwd }), ...(isMeta && { isMeta }) };
  return { items: [payload], atMs, turnId: log.turnId(), number, beside };
}

/** Adds an item to the open answer. An answer ends when its tokens are counted or a result arrives. */
function readAnswer(state: CodexState, line: CodexLine): readonly TranscriptItem[] {
  const { open, askedAtMs } = state;
  if (open !== undefined && !open.isCounted && open.later.length === 0) {
    open.answer.items.push(line.payload);
    return [];
  }
  const closed = closeAnswer(state);
  state.open = { answer: messageOf(state, line), later: [], askedAtMs, isCounted: false };
  return closed;
}

function readResult(state: CodexState, line: CodexLine): readonly TranscriptItem[] {
  state.askedAtMs = line.atMs;
  return writeLater(state, messageOf(state, line));
}

/** Writes a message after the open answer, if there is one. */
function writeLater(state: CodexState, message: CodexMessage): readonly TranscriptItem[] {
  if (state.open === undefined) return writeItems(state, message);
  state.open.later.push(message);
  return [];
}

function readMessage(state: CodexState, line: CodexLine): readonly TranscriptItem[] {
  const { payload, number, atMs } = line;
  state.askedAtMs = atMs;
  const isUser = payload["role"] === "user";
  const isMeta = isUser && !isCodexRequest(payload);
  const text = textsOf(payload).find(isRequestText) ?? "";
  const turn = isUser && !isMeta ? [state.log.turn(number, atMs, text)] : [];
  // A person may write while an answer runs; the answer's usage is then logged after that message.
  const closed = state.open?.isCounted === false ? [] : closeAnswer(state);
  return [...closed, ...turn, ...writeLater(state, messageOf(state, line, isMeta))];
}

/** Writes an answer and the items before its usage. */
function closeAnswer(state: CodexState): readonly TranscriptItem[] {
  const { open } = state;
  state.open = undefined;
  const messages = open === undefined ? [] : [open.answer, ...open.later];
  return messages.flatMap((message) => writeItems(state, message));
}

function writeItems(
  { log }: CodexState,
  { items, atMs, turnId, number, beside }: CodexMessage,
): readonly TranscriptItem[] {
  if (!log.isWritten) return [];
  const origin = log.locate(number, beside);
  const entries = fromResponseItems(items, {
    newId: countedIds(origin.node),
    now: () => atMs,
    ...(turnId !== undefined && { turnId }),
  });
  return log.write(entries.map(withOutcome), origin);
}

const FAILED = /^(?:Process exited with|Exit) code:? (?!0\b)\d/m;

/** Sets the outcome from the exit code, which Codex logs at the head of a command's output. */
function withOutcome(entry: HistoryEntry): HistoryEntry {
  if (entry.type !== "observation" || typeof entry.content !== "string") return entry;
  return FAILED.test(entry.content.slice(0, 300)) ? { ...entry, outcome: "error" } : entry;
}

/** Reads a compaction. Its summary consists of Codex's message, if any, and the requests that it kept. */
function readCompaction(state: CodexState, line: CodexLine): readonly TranscriptItem[] {
  const { payload, number, atMs } = line;
  const closed = closeAnswer(state);
  const replaced = payload["replacement_history"];
  const items = Array.isArray(replaced) ? replaced.filter(isJsonObject) : [];
  const message = textOf(payload["message"]) ?? "";
  const requests = items.filter((item) => item["role"] === "user" && isCodexRequest(item));
  const content = [message, ...requests.map((item) => textsOf(item).join("\n"))];
  const origin = state.log.locate(number, messageOf(state, line, true).beside);
  const summary = { content: content.filter(Boolean).join("\n\n"), atMs };
  const isEncrypted = message === "" || items.some((item) => "encrypted_content" in item);
  const item: TranscriptItem = { kind: "compaction", line: number, how: "summary", atMs };
  const said = isEncrypted ? { ...item, isEncrypted } : item;
  return [...closed, said, ...state.log.summarize(summary, origin)];
}

/** Reads a token count. Codex repeats it, with the same total, if only an account's limits have changed. */
function readUsage(
  state: CodexState,
  { payload: { info }, number, atMs }: CodexLine,
): readonly TranscriptItem[] {
  if (!isJsonObject(info) || !isJsonObject(info["last_token_usage"])) return [];
  const total = JSON.stringify(info["total_token_usage"] ?? atMs);
  if (total === state.total) return [];
  state.total = total;
  state.calls += 1;
  const { open, model } = state;
  if (open !== undefined) open.isCounted = true;
  const askedAtMs = open?.askedAtMs ?? state.askedAtMs;
  const call = {
    id: `call-${state.calls}`,
    line: number,
    model,
    ...(askedAtMs > 0 && { askedAtMs }),
    answeredAtMs: open?.answer.atMs ?? atMs,
    usage: usageOf(info["last_token_usage"]),
  };
  return [{ kind: "call", call }];
}

/** OpenAI includes cache reads in the input tokens, and charges nothing extra for cache writes. */
function usageOf(usage: JsonObject): CallUsage {
  const input = countOf(usage["input_tokens"]);
  const cacheReadTokens = Math.min(input, countOf(usage["cached_input_tokens"]));
  const outputTokens = countOf(usage["output_tokens"]);
  return { ...NO_USAGE, inputTokens: input - cacheReadTokens, cacheReadTokens, outputTokens };
}

/** Returns whether a person wrote a message: one of its parts, or the whole if it has no text. */
function isCodexRequest(item: JsonObject): boolean {
  const texts = textsOf(item);
  const { content } = item;
  return texts.length === 0
    ? Array.isArray(content) && content.some(isJsonObject)
    : texts.some(isRequestText);
}

function textsOf({ content }: JsonObject): readonly string[] {
  if (typeof content === "string") return [content];
  const parts = Array.isArray(content) ? content.filter(isJsonObject) : [];
  return parts.flatMap(({ text }) => textOf(text) ?? []);
}
