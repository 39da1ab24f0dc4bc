import {
  action,
  assistantMessage,
  observation,
  systemMessage,
  userMessage,
} from "@agent-history/core";
import type { JsonObject } from "@agent-history/core";
import { isJsonObject, nameOf, textOf } from "@agent-history/format-kit";

import { lineReader } from "./internal/line-reader.ts";
import { changedFacts, sessionLog, timeOf } from "./internal/session-log.ts";
import type { SessionLog } from "./internal/session-log.ts";
import { countOf, NO_USAGE } from "./model-call.ts";
import type {
  SessionFacts,
  TranscriptItem,
  TranscriptReader,
  TranscriptReaderOptions,
  UsageItem,
} from "./transcript-item.ts";

/**
 * Reads an event log of GitHub Copilot CLI: `~/.copilot/session-state/<session>/events.jsonl`.
 *
 * An answer and its calls become one entry; a changed system prompt becomes an entry. The log contains the output tokens of each call, but prompt tokens only as totals at the end of a session, so calls have no prompt tokens and no cache breaks
 * are found. Reasoning is left out: its text is a digest, and the rest is encrypted. Compactions and subagents are read as the events of Copilot's SDK are documented; no recorded log had one.
 *
 * @example
 * ```ts
 * import { copilotReader } from "@agent-history/transcripts";
 *
 * const event = { type: "user.message", data: { content: "Run the tests." }, id: "e1" };
 * copilotReader().read(JSON.stringify(event)).map(({ kind }) => kind);
 * // => ["turn", "entry"]
 * ```
 */
export function copilotReader({ entries = true }: TranscriptReaderOptions = {}): TranscriptReader {
  const state: CopilotState = {
    log: sessionLog(entries),
    calls: new Set(),
    outputs: new Map(),
    facts: {},
    model: "unknown",
    system: undefined,
    askedAtMs: 0,
  };
  return lineReader({
    read: ({ type, data, timestamp }, number) => {
      if (!isJsonObject(data)) return [];
      const read = READERS[textOf(type) ?? ""];
      return read?.(state, { data, number, atMs: timeOf(timestamp) ?? 0 }) ?? [];
    },
    end: () => [],
  });
}

interface CopilotState {
  readonly log: SessionLog;
  /** The ids of the calls read so far. */
  readonly calls: Set<string>;
  /** The output tokens of calls since the last totals, by model. */
  readonly outputs: Map<string, number>;
  facts: SessionFacts;
  model: string;
  system: string | undefined;
  askedAtMs: number;
}

interface CopilotEvent {
  readonly data: JsonObject;
  readonly number: number;
  readonly atMs: number;
}

type ReadEvent = (state: CopilotState, event: CopilotEvent) => readonly TranscriptItem[];

const READERS: Readonly<Record<string, ReadEvent>> = {
  "session.start": readFacts,
  "session.resume": readFacts,
  "session.context_changed": readFacts,
  "session.model_change": (state, { data }) => {
    state.model = textOf(data["newModel"]) ?? state.model;
    return [];
  },
  "system.message": readSystem,
  "user.message": readRequest,
  "assistant.message": readAnswer,
  "tool.execution_complete": readResult,
  "session.compaction_complete": readCompaction,
  "session.shutdown": readTotals,
};

/** Reads session facts. A context change has its fields at the top level; a session start has them in `context`. */
function readFacts(state: CopilotState, { data }: CopilotEvent): readonly TranscriptItem[] {
  const context = isJsonObject(data["context"]) ? data["context"] : data;
  state.model = textOf(data["selectedModel"]) ?? state.model;
  return changedFacts(state, {
    sessionId: state.facts.sessionId ?? textOf(data["sessionId"]),
    cwd: textOf(context["cwd"]),
  });
}

function readSystem(state: CopilotState, event: CopilotEvent): readonly TranscriptItem[] {
  const content = textOf(event.data["content"]);
  if (content === undefined || content === state.system) return [];
  state.system = content;
  const { origin } = placeOf(state, event);
  const entry = systemMessage({ id: origin.node, createdAtMs: event.atMs, content });
  return state.log.write([entry], origin);
}

function readRequest(state: CopilotState, event: CopilotEvent): readonly TranscriptItem[] {
  const content = textOf(event.data["content"]) ?? "";
  const turn = state.log.turn(event.number, event.atMs, content);
  state.askedAtMs = event.atMs;
  const { origin, fields } = placeOf(state, event);
  return [turn, ...state.log.write([userMessage({ ...fields, content })], origin)];
}

function readAnswer(state: CopilotState, event: CopilotEvent): readonly TranscriptItem[] {
  const { data } = event;
  const { origin, fields } = placeOf(state, event);
  const content = textOf(data["content"]) ?? "";
  const requests = Array.isArray(data["toolRequests"]) ? data["toolRequests"] : [];
  const toolCalls = requests.filter(isJsonObject).map((request, nth) => ({
    id: nameOf(request["toolCallId"]) ?? `${origin.node}/${nth}`,
    name: nameOf(request["name"]) ?? UNKNOWN_TOOL,
    arguments: textOf(request["arguments"]) ?? JSON.stringify(request["arguments"] ?? {}),
  }));
  const call = callOf(state, event);
  const said = { ...fields, ...(content !== "" && { content }) };
  if (toolCalls.length > 0)
    return [...call, ...state.log.write([action({ ...said, toolCalls })], origin)];
  const entries = content === "" ? [] : [assistantMessage({ ...fields, content })];
  return [...call, ...state.log.write(entries, origin)];
}

function callOf(
  state: CopilotState,
  { data, number, atMs }: CopilotEvent,
): readonly TranscriptItem[] {
  const id = textOf(data["apiCallId"]) ?? textOf(data["messageId"]) ?? `line-${number}`;
  if (state.calls.has(id)) return [];
  state.calls.add(id);
  const outputTokens = countOf(data["outputTokens"]);
  const model = textOf(data["model"]) ?? state.model;
  state.outputs.set(model, (state.outputs.get(model) ?? 0) + outputTokens);
  const call = {
    id,
    line: number,
    model,
    askedAtMs: state.askedAtMs,
    answeredAtMs: atMs,
    usage: { ...NO_USAGE, outputTokens },
    agentId: textOf(data["parentToolCallId"]),
  };
  return [{ kind: "call", call }];
}

/** Reads the totals by model at the end of a session. Output tokens that its calls have already reported are subtracted. */
function readTotals(state: CopilotState, { data }: CopilotEvent): readonly TranscriptItem[] {
  const { modelMetrics } = data;
  if (!isJsonObject(modelMetrics)) return [];
  const items = Object.entries(modelMetrics).flatMap(([model, metrics]): readonly UsageItem[] => {
    const usage = isJsonObject(metrics) ? metrics["usage"] : undefined;
    if (!isJsonObject(usage)) return [];
    const cacheReadTokens = countOf(usage["cacheReadTokens"]);
    const cacheWriteTokens = countOf(usage["cacheWriteTokens"]);
    const cachedTokens = cacheReadTokens + cacheWriteTokens;
    const inputTokens = Math.max(0, countOf(usage["inputTokens"]) - cachedTokens);
    const known = state.outputs.get(model) ?? 0;
    const outputTokens = Math.max(0, countOf(usage["outputTokens"]) - known);
    const rest = { ...NO_USAGE, inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens };
    return [{ kind: "usage", model, usage: rest }];
  });
  state.outputs.clear();
  return items;
}

function readResult(state: CopilotState, event: CopilotEvent): readonly TranscriptItem[] {
  const { data } = event;
  state.askedAtMs = event.atMs;
  const [result, error] = [data["result"], data["error"]];
  const given = isJsonObject(result) ? result["content"] : result;
  const failed = isJsonObject(error) ? error["message"] : error;
  const { origin, fields } = placeOf(state, event);
  const entry = observation({
    ...fields,
    callId: nameOf(data["toolCallId"]) ?? origin.node,
    toolName: nameOf(data["toolName"]) ?? UNKNOWN_TOOL,
    outcome: data["success"] === false ? "error" : "success",
    content: textOf(given) ?? textOf(failed) ?? "",
  });
  return state.log.write([entry], origin);
}

function readCompaction(state: CopilotState, event: CopilotEvent): readonly TranscriptItem[] {
  const { data, number, atMs } = event;
  if (data["success"] === false) return [];
  const { origin } = placeOf(state, event);
  const preTokens = countOf(data["preCompactionTokens"]) || undefined;
  const content = textOf(data["summaryContent"]);
  const written = content === undefined ? [] : state.log.summarize({ content, atMs }, origin);
  return [{ kind: "compaction", line: number, how: "summary", atMs, preTokens }, ...written];
}

/** Returns the position of an event's entry, and the entry's id, time and turn. */
function placeOf({ log, facts }: CopilotState, { data, number, atMs }: CopilotEvent) {
  const origin = log.locate(number, { agentId: textOf(data["parentToolCallId"]), cwd: facts.cwd });
  const turnId = log.turnId();
  const fields = { id: origin.node, createdAtMs: atMs, ...(turnId !== undefined && { turnId }) };
  return { origin, fields };
}

/** The name of a tool that the log does not name; a result takes the name of its call. */
const UNKNOWN_TOOL = "unknown";
