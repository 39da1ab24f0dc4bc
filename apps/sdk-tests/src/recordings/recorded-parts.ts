import type { JsonObject, JsonValue } from "@agent-history/core";
import { isJsonObject } from "@agent-history/format-kit";

import { textIn } from "../servers/read-wire.ts";

/** A call as a provider's message holds it. */
export interface RecordedCall {
  readonly id: string;
  readonly name: string;
  /** JSON text, or what it says. */
  readonly input: unknown;
}

/** What messages of a provider hold, read from their JSON and by nothing of the formats. */
export interface RecordedParts {
  readonly calls: readonly RecordedCall[];
  /** The id of the call that each result answers, where the messages hold that call before it. */
  readonly results: readonly string[];
  /** How many results have no call before them. */
  readonly resultsWithoutCall: number;
  readonly texts: readonly string[];
  /** Bytes of JSON, without thinking and signatures. */
  readonly bytes: number;
}

const TEXTS = new Set<unknown>(["text", "input_text", "output_text"]);
const CALLS = new Set<unknown>(["tool_use", "function_call", "custom_tool_call"]);
const RESULTS = new Set<unknown>([
  "tool_result",
  "function_call_output",
  "custom_tool_call_output",
]);
const THINKING = new Set<unknown>(["thinking", "redacted_thinking", "reasoning"]);

/** Lists the calls, results and texts of Anthropic's messages or of the Responses API's items, in order. */
export function recordedParts(messages: readonly JsonObject[]): RecordedParts {
  const calls: RecordedCall[] = [];
  const results: string[] = [];
  const called = new Set<string>();
  let resultsWithoutCall = 0;
  const texts: string[] = [];
  let bytes = 0;
  const visit = (value: JsonValue | undefined): void => {
    if (typeof value === "string") texts.push(value);
    if (Array.isArray(value)) for (const block of value) if (isJsonObject(block)) look(block);
  };
  const look = (block: JsonObject): void => {
    const { type, id, call_id: callId } = block;
    if (CALLS.has(type)) {
      const input = block["arguments"] ?? block["input"];
      called.add(textIn(callId ?? id));
      calls.push({ id: textIn(callId ?? id), name: textIn(block["name"]), input });
    } else if (RESULTS.has(type)) {
      const answered = textIn(callId ?? block["tool_use_id"]);
      if (called.has(answered)) results.push(answered);
      else resultsWithoutCall += 1;
      visit(block["output"] ?? block["content"]);
    } else if (TEXTS.has(type) && typeof block["text"] === "string") texts.push(block["text"]);
  };
  for (const message of messages) {
    look(message);
    if (!RESULTS.has(message["type"])) visit(message["content"]);
    bytes += Buffer.byteLength(JSON.stringify(message, withoutThinking) ?? "");
  }
  return { calls, results, resultsWithoutCall, texts, bytes };
}

function withoutThinking(_: string, value: unknown): unknown {
  const isThinking =
    typeof value === "object" && value !== null && "type" in value && THINKING.has(value.type);
  return isThinking ? undefined : value;
}
