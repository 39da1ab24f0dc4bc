import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { gunzipSync } from "node:zlib";

import { fromAnthropicMessages, toAnthropicMessages } from "@agent-history/anthropic";
import type { JsonObject } from "@agent-history/core";
import { isJsonObject, parseJson } from "@agent-history/format-kit";
import { fromResponseItems, toResponseItems } from "@agent-history/openai";

/** Takes a folder of recorded sessions, `claude-code/*.jsonl` and `codex/*.jsonl`, also gzipped, makes a round trip of each, and prints what was not equal. Ends with 1 if anything was not. */

/** Where messages hold texts and name calls, and where entries do. */
const OF_MESSAGES = new Set(["text", "content", "output", "call_id", "tool_use_id"]);
const OF_ENTRIES = new Set(["text", "content", "callId", "id"]);
/** Fields whose texts only a tool or a format understands. */
const BESIDE = new Set(["arguments", "input", "extra", "metadata", "origin", "signature"]);
const UNREAD = new Set(["opaque", "thinking", "redacted_thinking", "reasoning"]);

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
    const found = new Set(partsIn(entries, OF_ENTRIES));
    const wanted = partsIn(messages, OF_MESSAGES);
    sum.sessions += 1;
    sum.messages += messages.length;
    sum.changed += messages.filter((one, at) => !isDeepStrictEqual(back[at], one)).length;
    sum.changed += Math.abs(messages.length - back.length);
    sum.parts += wanted.length;
    sum.lost += wanted.filter((part) => !found.has(part)).length;
    sum.bytes += Buffer.byteLength(JSON.stringify(messages, withoutThinking));
    JSON.stringify(entries, (_, value) => {
      const isOpaque = typeof value === "object" && value !== null && value.type === "opaque";
      if (isOpaque) sum.opaque += Buffer.byteLength(JSON.stringify(value.data));
      return isOpaque ? undefined : value;
    });
  }
  console.log(agent, sum);
  if (sum.changed + sum.lost > 0 || sum.opaque > sum.bytes * 0.05) process.exitCode = 1;
}

/** The texts and ids in some fields of messages or entries, however deep. */
function partsIn(value: unknown, fields: ReadonlySet<string>, name = ""): readonly string[] {
  if (typeof value === "string") return fields.has(name) ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  const type: unknown = Reflect.get(value, "type");
  if (typeof type === "string" && UNREAD.has(type)) return [];
  return Object.entries(value).flatMap(([key, field]) =>
    BESIDE.has(key) ? [] : partsIn(field, fields, Array.isArray(value) ? name : key),
  );
}

function withoutThinking(_: string, value: unknown): unknown {
  const type: unknown = Reflect.get(Object(value), "type");
  return typeof type === "string" && UNREAD.has(type) ? undefined : value;
}
