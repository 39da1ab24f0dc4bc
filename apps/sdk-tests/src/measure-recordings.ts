import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { gunzipSync } from "node:zlib";

import { fromAnthropicMessages, toAnthropicMessages } from "@agent-history/anthropic";
import type { HistoryEntry, JsonObject, JsonValue } from "@agent-history/core";
import { isJsonObject, parseJson } from "@agent-history/format-kit";
import { fromResponseItems, toResponseItems } from "@agent-history/openai";

import { textIn } from "./servers/read-wire.ts";

/** Takes a folder of recorded sessions, `claude-code/*.jsonl` and `codex/*.jsonl`, also gzipped, makes a round trip of each, and prints what was not equal. Ends with 1 if anything was not. */

/** Where a provider's message has what an entry must have, too; read by nothing of the formats. */
const KINDS: Readonly<Record<string, "text" | "call" | "result" | "thinking">> = {
  text: "text",
  input_text: "text",
  output_text: "text",
  tool_use: "call",
  function_call: "call",
  custom_tool_call: "call",
  tool_result: "result",
  function_call_output: "result",
  custom_tool_call_output: "result",
  thinking: "thinking",
  redacted_thinking: "thinking",
  reasoning: "thinking",
};

const agents = {
  "claude-code": {
    messagesIn: ({ type, message }: JsonObject) =>
      (type === "user" || type === "assistant") && isJsonObject(message) ? [message] : [],
    read: (messages: readonly JsonObject[]) =>
      fromAnthropicMessages(messages.map((message) => ({ role: "", ...message }))),
    write: toAnthropicMessages,
  },
  codex: {
    messagesIn: ({ type, payload }: JsonObject) =>
      type === "response_item" && isJsonObject(payload) ? [payload] : [],
    read: fromResponseItems,
    write: toResponseItems,
  },
};

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("Expected a folder with claude-code/ and codex/.");
for (const [agent, { messagesIn, read, write }] of Object.entries(agents)) {
  const sum = { sessions: 0, messages: 0, changed: 0, parts: 0, lost: 0, bytes: 0, opaque: 0 };
  for (const file of globSync(`${agent}/*.{jsonl,jsonl.gz}`, { cwd: folder })) {
    const bytes = readFileSync(join(folder, file));
    const text = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
    const lines = text.split("\n").map(parseJson).filter(isJsonObject);
    const messages = lines.flatMap(messagesIn);
    const entries = read(messages);
    const back = write(entries);
    const wanted = partsOfMessages(messages);
    sum.sessions += 1;
    sum.messages += messages.length;
    sum.changed += messages.filter((one, at) => !isDeepStrictEqual(back[at], one)).length;
    sum.changed += Math.abs(messages.length - back.length);
    sum.parts += wanted.length;
    sum.lost += countMissing(wanted, partsOfEntries(entries));
    sum.bytes += Buffer.byteLength(JSON.stringify(messages, withoutThinking));
    sum.opaque += Buffer.byteLength(JSON.stringify(opaqueIn(entries)));
  }
  console.log(agent, sum);
  if (sum.changed + sum.lost > 0 || sum.opaque > sum.bytes * 0.05) process.exitCode = 1;
}

/** The texts, calls and results of messages: each of the latter behind its call, others a session has lost. */
function partsOfMessages(messages: readonly JsonObject[]): readonly string[] {
  const called = new Set<string>();
  const partsIn = (value: JsonValue | undefined): readonly string[] => {
    if (typeof value === "string") return [`text ${value}`];
    if (Array.isArray(value)) return value.filter(isJsonObject).flatMap(look);
    return [];
  };
  const look = (block: JsonObject): readonly string[] => {
    const kind = KINDS[textIn(block["type"])];
    const id = textIn(block["call_id"] ?? block["tool_use_id"] ?? block["id"]);
    if (kind === "call") called.add(id);
    if (kind === "call") return [`call ${id} ${textIn(block["name"])}`];
    if (kind === "text") return partsIn(block["text"]);
    if (kind !== "result") return partsIn(block["content"]);
    return [
      ...(called.has(id) ? [`result ${id}`] : []),
      ...partsIn(block["output"] ?? block["content"]),
    ];
  };
  return messages.flatMap(look);
}

function partsOfEntries(entries: readonly HistoryEntry[]): readonly string[] {
  return entries.flatMap((entry) => {
    const content = "content" in entry ? (entry.content ?? []) : [];
    const parts =
      typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
    const texts = parts.flatMap((part) => (part.type === "text" ? [`text ${part.text}`] : []));
    if (entry.type === "observation") return [`result ${entry.callId}`, ...texts];
    if (entry.type !== "action") return texts;
    return [...texts, ...entry.toolCalls.map(({ id, name }) => `call ${id} ${name}`)];
  });
}

/** Counts what is in one list more often than in another. */
function countMissing(wanted: readonly string[], found: readonly string[]): number {
  const left = new Map<string, number>();
  for (const part of found) left.set(part, (left.get(part) ?? 0) + 1);
  return wanted.filter((part) => {
    const count = left.get(part) ?? 0;
    left.set(part, count - 1);
    return count <= 0;
  }).length;
}

/** What only the format understands; thinking is not among it. */
function opaqueIn(entries: readonly HistoryEntry[]): readonly unknown[] {
  return entries.flatMap((entry) => {
    if (entry.type === "opaque") return [entry.data];
    const content = "content" in entry ? (entry.content ?? []) : [];
    if (typeof content === "string") return [];
    return content.flatMap((part) => (part.type === "opaque" ? [part.data] : []));
  });
}

function withoutThinking(_: string, value: unknown): unknown {
  const type: unknown = Reflect.get(Object(value), "type");
  return typeof type === "string" && KINDS[type] === "thinking" ? undefined : value;
}
