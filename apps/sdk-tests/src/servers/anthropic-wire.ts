import { createHash } from "node:crypto";

import type { JsonObject } from "@agent-history/core";
import { anthropicProblems } from "@agent-history/testkit/provider-rules";

import { anthropicRules } from "./anthropic-rules.ts";
import { areUnique, brokenRules, objectsAt, objectsWith, textIn } from "./read-wire.ts";
import type { Wire, WireReply } from "./wire.ts";

const MEDIA = new Set(["image", "document"]);
const MESSAGE_FIELDS = new Set(["role", "content", "clear_at", "output_config"]);

/** Anthropic's Messages API. It signs what its model thinks, and refuses thinking that it did not sign. */
export const anthropicWire: Wire = {
  path: "/v1/messages",
  rules: anthropicRules,
  windowPage: "https://platform.claude.com/docs/en/build-with-claude/context-windows",
  problems: (body) => [
    ...new Set(anthropicProblems(objectsAt(body, "messages")).map(({ rule }) => rule)),
    ...brokenRules({
      "missing-max-tokens": !Number.isInteger(body["max_tokens"]),
      "empty-system": objectsAt(body, "system").some(isBlank),
      ...brokenMarks(body),
      ...brokenMessages(objectsAt(body, "messages")),
      "tool-without-schema": objectsAt(body, "tools").some(lacksSchema),
      "duplicate-tool-name": !areUnique(objectsAt(body, "tools").map(({ name }) => name)),
    }),
  ],
  counted: (body) => [body["system"], ...objectsAt(body, "tools"), ...objectsAt(body, "messages")],
  write: (reply, id, body) => ({
    id,
    type: "message",
    role: "assistant",
    model: body["model"] ?? "",
    content: blocksOf(reply),
    stop_reason: reply.calls === undefined ? "end_turn" : "tool_use",
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  }),
  writeError: (message) => ({ type: "error", error: { type: "invalid_request_error", message } }),
};

function blocksOf({ thinking, text, calls = [] }: WireReply): readonly JsonObject[] {
  return [
    ...(thinking === undefined
      ? []
      : [{ type: "thinking", thinking, signature: signatureOf(thinking) }]),
    ...(text === undefined ? [] : [{ type: "text", text, citations: null }]),
    ...calls.map(({ id, name, arguments: given }): JsonObject => {
      return { type: "tool_use", id, name, input: JSON.parse(given) };
    }),
  ];
}

function signatureOf(thinking: string): string {
  return createHash("sha256").update(thinking).digest("base64");
}

function isBlank({ text }: JsonObject): boolean {
  return typeof text !== "string" || text.trim() === "";
}

function lacksSchema({ type, input_schema: schema }: JsonObject): boolean {
  return (
    (type ?? "custom") === "custom" && objectsWith({ schema: schema ?? {} }, "type").length === 0
  );
}

function brokenMarks({ system, tools, messages }: JsonObject): Readonly<Record<string, boolean>> {
  // In the order in which the prompt is cached.
  const marked = [tools, system, messages].flatMap((part) =>
    objectsWith(part ?? [], "cache_control"),
  );
  const lasting = marked.map(
    (block) => objectsWith([block["cache_control"] ?? null], "ttl")[0]?.["ttl"],
  );
  const firstShort = lasting.findIndex((ttl) => ttl !== "1h");
  return {
    "too-many-breakpoints": marked.length > 4,
    "breakpoint-on-thinking": marked.some(({ type }) => isThinking(type)),
    "breakpoint-ttl-order": firstShort >= 0 && lasting.lastIndexOf("1h") > firstShort,
  };
}

function brokenMessages(messages: readonly JsonObject[]): Readonly<Record<string, boolean>> {
  const saysMedia = (message: JsonObject): boolean =>
    objectsAt(message, "content").some(({ type }) => MEDIA.has(textIn(type)));
  const thoughts = messages
    .flatMap((message) => objectsAt(message, "content"))
    .filter(({ type }) => type === "thinking");
  return {
    "unknown-message-field": messages.some((message) =>
      Object.keys(message).some((key) => !MESSAGE_FIELDS.has(key)),
    ),
    "media-of-assistant": messages.some(
      (message) => message["role"] === "assistant" && saysMedia(message),
    ),
    "thinking-modified": thoughts.some(
      ({ thinking, signature }) => signature !== signatureOf(textIn(thinking)),
    ),
    "thinking-of-user": messages.some(
      (message) =>
        message["role"] !== "assistant" &&
        objectsAt(message, "content").some(({ type }) => isThinking(type)),
    ),
  };
}

function isThinking(type: unknown): boolean {
  return type === "thinking" || type === "redacted_thinking";
}
