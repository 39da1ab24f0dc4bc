import { observation, systemMessage, userMessage } from "@agent-history/core";
import type { JsonObject } from "@agent-history/core";
import { isJsonObject, nameOf, textOf } from "@agent-history/format-kit";

import { lineReader } from "./internal/line-reader.ts";
import {
  answerEntry,
  changedFacts,
  sessionLog,
  timeOf,
  UNKNOWN_TOOL,
} from "./internal/session-log.ts";
import type { SessionLog } from "./internal/session-log.ts";
import { countOf, NO_USAGE } from "./model-call.ts";
import type {
  SessionFacts,
  TranscriptItem,
  TranscriptReader,
  TranscriptReaderOptions,
} from "./transcript-item.ts";

/**
 * Reads a trajectory in the Agent Trajectory Interchange Format (ATIF): one document, or one step per line after a line with `schema_version`. Source: Harbor's RFC 0001,
 * https://github.com/laude-institute/harbor/blob/main/docs/rfcs/0001-trajectory-format.md
 *
 * `metrics.cached_tokens` are included in `prompt_tokens`.
 *
 * @example
 * ```ts
 * import { atifReader } from "@agent-history/transcripts";
 *
 * const step = { step_id: 1, source: "user", message: "Run the tests." };
 * atifReader().read(JSON.stringify({ schema_version: "ATIF-v1.4", steps: [step] })).map(({ kind }) => kind);
 * // => ["turn", "entry"]
 * ```
 */
export function atifReader({ entries = true }: TranscriptReaderOptions = {}): TranscriptReader {
  const state: AtifState = { log: sessionLog(entries), facts: {}, model: "unknown", askedAtMs: 0 };
  return lineReader({
    read: (object, number) => {
      if (object["schema_version"] === undefined) return readStep(state, object, number);
      const steps = Array.isArray(object["steps"]) ? object["steps"].filter(isJsonObject) : [];
      return [
        ...readHead(state, object),
        ...steps.flatMap((step) => readStep(state, step, number)),
      ];
    },
    end: () => [],
  });
}

interface AtifState {
  readonly log: SessionLog;
  facts: SessionFacts;
  model: string;
  askedAtMs: number;
}

function readHead(state: AtifState, head: JsonObject): readonly TranscriptItem[] {
  const agent = isJsonObject(head["agent"]) ? head["agent"] : {};
  state.model = textOf(agent["model_name"]) ?? state.model;
  return changedFacts(state, { sessionId: textOf(head["session_id"]) });
}

function readStep(state: AtifState, step: JsonObject, number: number): readonly TranscriptItem[] {
  const { source } = step;
  const atMs = timeOf(step["timestamp"]) ?? 0;
  const content = messageText(step["message"]);
  const turn = source === "user" ? [state.log.turn(number, atMs, content)] : [];
  const origin = state.log.locate(number);
  const fields = state.log.fieldsAt(origin, atMs);
  if (source === "user") {
    state.askedAtMs = atMs;
    return [...turn, ...state.log.write([userMessage({ ...fields, content })], origin)];
  }
  if (source === "system") {
    const entry = systemMessage({ id: origin.node, createdAtMs: atMs, content });
    return state.log.write([entry], origin);
  }
  if (source !== "agent") return [];
  const call = callOf(state, step, { node: origin.node, number, atMs });
  const given = Array.isArray(step["tool_calls"]) ? step["tool_calls"].filter(isJsonObject) : [];
  const calls = given.map((one) => ({
    id: nameOf(one["tool_call_id"]),
    name: nameOf(one["function_name"]),
    input: one["arguments"],
  }));
  const isSilent = content === "" && calls.length === 0;
  const said = state.log.write(isSilent ? [] : [answerEntry(content, calls, fields)], origin);
  const observed = isJsonObject(step["observation"]) ? step["observation"]["results"] : [];
  const results = (Array.isArray(observed) ? observed : []).filter(isJsonObject);
  if (results.length > 0) state.askedAtMs = atMs;
  return [
    ...call,
    ...said,
    ...results.flatMap((result) => {
      const at = state.log.locate(number);
      const entry = observation({
        ...fields,
        id: at.node,
        callId: nameOf(result["source_call_id"]) ?? at.node,
        toolName: UNKNOWN_TOOL,
        outcome: "success",
        content: messageText(result["content"]),
      });
      return state.log.write([entry], at);
    }),
  ];
}

function callOf(
  state: AtifState,
  step: JsonObject,
  { node, number, atMs }: { readonly node: string; readonly number: number; readonly atMs: number },
): readonly TranscriptItem[] {
  const metrics = step["metrics"];
  if (!isJsonObject(metrics)) return [];
  const cacheReadTokens = countOf(metrics["cached_tokens"]);
  const call = {
    id: node,
    line: number,
    model: textOf(step["model_name"]) ?? state.model,
    askedAtMs: state.askedAtMs,
    answeredAtMs: atMs,
    usage: {
      ...NO_USAGE,
      inputTokens: Math.max(0, countOf(metrics["prompt_tokens"]) - cacheReadTokens),
      cacheReadTokens,
      outputTokens: countOf(metrics["completion_tokens"]),
    },
  };
  return [{ kind: "call", call }];
}

/** Returns the text of a message, which is a string or a list of parts with text. */
function messageText(message: JsonObject[string] | undefined): string {
  if (typeof message === "string") return message;
  const parts = Array.isArray(message) ? message.filter(isJsonObject) : [];
  return parts.flatMap(({ text }) => textOf(text) ?? []).join("\n");
}
