import { inspect } from "node:util";

import { describe, expect, it } from "vitest";

import { HistoryError } from "../history-error.ts";
import { parseEntry } from "./parse-entry.ts";

const agent = { id: "w1", role: "worker" };
const message = { type: "user_message", id: "u1", createdAtMs: 0, content: "Hello" };
const call = { id: "c1", name: "read", arguments: "{}" };
const action = { type: "action", id: "a1", createdAtMs: 0, toolCalls: [call] };
const source = { number: 0, id: "s", text: "" };
const observation = {
  type: "observation",
  id: "o1",
  createdAtMs: 0,
  callId: "c1",
  toolName: "read",
  outcome: "success",
  content: "",
  sources: [source],
};
const image = { type: "image", source: { kind: "id", id: "f1" }, width: 1, height: 0.5 };
const origin = { format: "openai-chat", message: "m1", index: 0 };
const summary = {
  type: "summary",
  id: "s1",
  createdAtMs: 0,
  content: "",
  strategy: "chunked",
  trust: "tool",
  view: "agent:w1\nb",
  covers: [{ from: "a", to: "b" }],
  parts: [{ kind: "rule", key: "r", text: "Never push.", at: 0, state: "ok", note: "" }],
};
const own = { type: "feedback", id: "f1", createdAtMs: 0 };
const attachment = { ...message, type: "attachment", messageId: "u1" };

function refusalOf(value: unknown): HistoryError {
  try {
    parseEntry(value);
  } catch (error) {
    if (error instanceof HistoryError) return error;
    throw error;
  }
  throw new Error("Expected a refusal");
}

describe("parseEntry, rule by rule", () => {
  it.each([message, action, observation, summary, attachment])("takes a sound $type", (entry) => {
    expect(parseEntry(entry)).toStrictEqual(entry);
  });

  it.each<[path: string, value: object]>([
    [
      "id",
      Object.defineProperty({ ...own, id: undefined }, "id", { value: "f1", enumerable: false }),
    ],
    ["", Object.assign(Object.create({ type: "feedback" }), { id: "f1", createdAtMs: 0 })],
    [
      "agent.role",
      { ...own, agent: Object.defineProperty({ id: "w1" }, "role", { value: "worker" }) },
    ],
  ])("refuses an entry of a type of the user's own whose copy would lack its %s", (path, value) => {
    expect(refusalOf(value)).toMatchObject({ code: "INVALID_ENTRY", details: { path } });
  });

  it.each<[path: string, expected: string, value: unknown]>([
    ["", "an entry", null],
    ["", "an entry", "text"],
    ["", "an entry", []],
    ["id", "a non-empty string", { ...message, id: "" }],
    ["id", "a non-empty string", { ...message, id: undefined }],
    ["id", "a non-empty string", { ...message, id: 1 }],
    ["createdAtMs", "a non-negative integer", { ...message, createdAtMs: -1 }],
    ["createdAtMs", "a non-negative integer", { ...message, createdAtMs: 0.5 }],
    ["createdAtMs", "a non-negative integer", { ...message, createdAtMs: Number.NaN }],
    ["createdAtMs", "a non-negative integer", { ...message, createdAtMs: Infinity }],
    ["createdAtMs", "a non-negative integer", { ...message, createdAtMs: 2 ** 60 }],
    ["createdAtMs", "a non-negative integer", { ...message, createdAtMs: "0" }],
    ["turnId", "a non-empty string", { ...message, turnId: "" }],
    ["turnId", "a non-empty string", { ...message, turnId: undefined }],
    ["turnId", "a non-empty string", { ...message, turnId: null }],
    ["phaseId", "a string or a finite number", { ...message, phaseId: Number.NaN }],
    ["phaseId", "a string or a finite number", { ...message, phaseId: Infinity }],
    ["phaseId", "a string or a finite number", { ...message, phaseId: true }],
    ["taskId", "a non-empty string", { ...message, taskId: "" }],
    ["agent", "an object", { ...message, agent: "w1" }],
    ["agent.id", "a non-empty string", { ...message, agent: { ...agent, id: "" } }],
    ["agent.role", "orchestrator, manager or worker", { ...message, agent: { id: "w1" } }],
    ["pinned", "true or false", { ...message, pinned: 1 }],
    ["origin.format", "a string", { ...message, origin: { ...origin, format: 1 } }],
    ["origin.index", "a non-negative integer", { ...message, origin: { ...origin, index: -1 } }],
    ["origin.derivedId", "true or false", { ...message, origin: { ...origin, derivedId: 1 } }],
    ["origin.extra", "a JSON object", { ...message, origin: { ...origin, extra: [] } }],
    ["metadata", "a JSON object", { ...message, metadata: "text" }],
    ["metadata", "JSON without undefined", { ...message, metadata: { a: { b: undefined } } }],
    ["content", "text or a list of parts", { ...message, content: null }],
    ["content", "text or a list of parts", { ...message, content: { type: "text", text: "" } }],
    ["rendered", "text or a list of parts", { ...message, rendered: 1 }],
    [
      "content.1.type",
      "text, image, file, reasoning or opaque",
      { ...message, content: [{ type: "text", text: "" }, { type: "video" }] },
    ],
    ["content.0.text", "a string", { ...message, content: [{ type: "text" }] }],
    [
      "content.0.source.kind",
      "url, data, text or id",
      { ...message, content: [{ ...image, source: {} }] },
    ],
    [
      "content.0.source.url",
      "a string",
      { ...message, content: [{ type: "file", source: { kind: "url" } }] },
    ],
    [
      "content.0.width",
      "a positive finite number of pixels",
      { ...message, content: [{ ...image, width: 0 }] },
    ],
    [
      "content.0.height",
      "a positive finite number of pixels",
      { ...message, content: [{ ...image, height: Infinity }] },
    ],
    [
      "content.0.detail",
      "low, high, auto or original",
      { ...message, content: [{ ...image, detail: "" }] },
    ],
    ["content.0.data", "JSON without undefined", { ...message, content: [{ type: "opaque" }] }],
    ["toolCalls", "a non-empty list of calls", { ...action, toolCalls: [] }],
    ["toolCalls", "a non-empty list of calls", { ...action, toolCalls: undefined }],
    ["toolCalls.0.id", "a non-empty string", { ...action, toolCalls: [{ ...call, id: "" }] }],
    [
      "toolCalls.1.name",
      "a non-empty string",
      { ...action, toolCalls: [call, { ...call, name: "" }] },
    ],
    ["toolCalls.0.arguments", "a string", { ...action, toolCalls: [{ ...call, arguments: {} }] }],
    [
      "toolCalls.0.kind",
      "function, custom or approval",
      { ...action, toolCalls: [{ ...call, kind: "tool" }] },
    ],
    ["callId", "a non-empty string", { ...observation, callId: "" }],
    ["callId", "a non-empty string", { ...observation, callId: undefined }],
    ["toolName", "a non-empty string", { ...observation, toolName: "" }],
    ["actionId", "a non-empty string", { ...observation, actionId: "" }],
    ["outcome", "success, error, denied or cancelled", { ...observation, outcome: "ok" }],
    [
      "sources.0.number",
      "a non-negative integer",
      { ...observation, sources: [{ ...source, number: -1 }] },
    ],
    ["sources.0.id", "a non-empty string", { ...observation, sources: [{ ...source, id: "" }] }],
    ["agent", "an object", { ...message, type: "task" }],
    ["messageId", "a non-empty string", { ...attachment, messageId: "" }],
    ["trust", "system, user or tool", { ...summary, trust: "assistant" }],
    ["view", "thread, conversation or agent:<id>", { ...summary, view: "agent:" }],
    ["view", "thread, conversation or agent:<id>", { ...summary, view: "xthread" }],
    ["covers.0.to", "a non-empty string", { ...summary, covers: [{ from: "a", to: "" }] }],
    ["parts.0.kind", "a non-empty string", { ...summary, parts: [{ kind: "" }] }],
    [
      "parts.0.at",
      "a non-negative integer",
      { ...summary, parts: [{ kind: "a", key: "", text: "", at: -1 }] },
    ],
  ])("names the path %j and expects %s", (path, expected, value) => {
    const error = refusalOf(value);
    expect(error.code).toBe("INVALID_ENTRY");
    expect(error.details["path"]).toBe(path);
    expect(error.message).toMatch(`Expected ${expected}${path === "" ? "" : ` at \`${path}\``}`);
  });

  it.each<[path: string, value: unknown]>([
    ["", { ...message, secret: 1 }],
    [
      "",
      JSON.parse('{"type":"user_message","id":"u1","createdAtMs":0,"content":"","__proto__":1}'),
    ],
    // A field of another type is as unknown.
    ["", { ...message, toolCalls: [call] }],
    ["agent", { ...message, agent: { ...agent, secret: 1 } }],
    ["content.0", { ...message, content: [{ type: "text", text: "", secret: 1 }] }],
    [
      "content.0.source",
      { ...message, content: [{ ...image, source: { kind: "id", id: "", secret: 1 } }] },
    ],
    ["toolCalls.0", { ...action, toolCalls: [{ ...call, secret: 1 }] }],
    ["sources.0", { ...observation, sources: [{ ...source, secret: 1 }] }],
    ["covers.0", { ...summary, covers: [{ from: "a", to: "b", secret: 1 }] }],
    ["parts.0", { ...summary, parts: [{ kind: "a", key: "", text: "", at: 0, secret: 1 }] }],
  ])("refuses an unknown field at %j, counts it and does not name it", (path, value) => {
    const error = refusalOf(value);
    expect(error.details["path"]).toBe(path);
    expect(error.message).toMatch(/^Expected no fields other than .*; got 1 more\.$/);
    expect(inspect(error)).not.toMatch(/secret|__proto__/);
  });
});
