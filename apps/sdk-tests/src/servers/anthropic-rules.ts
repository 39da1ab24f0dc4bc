import type { JsonObject, JsonValue } from "@agent-history/core";

import type { WireRule } from "./wire.ts";

const docs = "https://platform.claude.com/docs/en";
const messagesPage = `${docs}/build-with-claude/working-with-messages`;
const apiPage = `${docs}/api/messages/create`;
const callsPage = `${docs}/agents-and-tools/tool-use/handle-tool-calls`;
const cachingPage = `${docs}/build-with-claude/prompt-caching`;
const thinkingPage = `${docs}/build-with-claude/thinking-troubleshooting`;

const asks = { role: "user", content: "Which flights?" };
const says = { role: "assistant", content: "Two." };
const call = { type: "tool_use", id: "a", name: "look", input: {} };
const result = { type: "tool_result", tool_use_id: "a", content: "" };
const calling = { role: "assistant", content: [call] };
const text = { type: "text", text: "Hello." };
const mark = { cache_control: { type: "ephemeral" } };
const thinking = { type: "thinking", thinking: "Two fly.", signature: "none" };
const tool = { name: "look", input_schema: { type: "object" } };

/** What Anthropic's Messages API refuses, and where it says so. */
export const anthropicRules: Readonly<Record<string, WireRule>> = {
  "no-message": { page: apiPage, refused: sending() },
  "unknown-role": {
    page: apiPage,
    refused: sending(asks, { role: "critic", content: "No." }, asks),
  },
  "first-not-user": { page: messagesPage, refused: sending(says, asks) },
  "last-not-user": { page: `${docs}/api/errors`, refused: sending(asks, says) },
  "empty-content": { page: `${docs}/api/errors`, refused: sending({ role: "user", content: "" }) },
  "unanswered-call": { page: callsPage, refused: sending(asks, calling, asks) },
  "orphan-result": { page: callsPage, refused: sending(asks, says, user(result)) },
  "results-not-first": { page: callsPage, refused: sending(asks, calling, user(text, result)) },
  "duplicate-call-id": {
    page: callsPage,
    refused: sending(asks, { ...calling, content: [call, call] }, user(result)),
  },
  "system-misplaced": {
    page: `${docs}/build-with-claude/mid-conversation-system-messages`,
    refused: sending(asks, says, { role: "system", content: "Be brief." }, asks),
  },
  "compaction-misplaced": {
    page: `${docs}/build-with-claude/compaction-on-demand`,
    refused: sending(
      asks,
      assistant({ type: "compaction", content: "So far.", signature: "s" }),
      asks,
    ),
  },
  "missing-max-tokens": { page: apiPage, refused: { model: "claude-opus-5-5", messages: [asks] } },
  "empty-system": {
    page: `${docs}/api/errors`,
    refused: { ...sending(asks), system: [{ type: "text", text: " " }] },
  },
  "too-many-breakpoints": {
    page: cachingPage,
    refused: sending(user(...Array.from({ length: 5 }, () => ({ ...text, ...mark })))),
  },
  "breakpoint-on-thinking": {
    page: cachingPage,
    refused: sending(
      asks,
      assistant({ type: "redacted_thinking", data: "E", ...mark }, text),
      asks,
    ),
  },
  "breakpoint-ttl-order": {
    page: cachingPage,
    refused: sending(
      user({ ...text, ...mark }, { ...text, cache_control: { type: "ephemeral", ttl: "1h" } }),
    ),
  },
  "unknown-message-field": {
    page: apiPage,
    refused: sending(asks, { ...says, stop_reason: "end_turn" }, asks),
  },
  "media-of-assistant": {
    page: `${docs}/build-with-claude/vision`,
    refused: sending(
      asks,
      assistant({ type: "image", source: { type: "url", url: "https://example.com/a.png" } }),
      asks,
    ),
  },
  "thinking-modified": {
    page: thinkingPage,
    refused: sending(asks, assistant(thinking, text), asks),
  },
  "thinking-of-user": {
    page: thinkingPage,
    refused: sending(user({ type: "redacted_thinking", data: "E" }, text)),
  },
  "tool-without-schema": {
    page: `${docs}/agents-and-tools/tool-use/define-tools`,
    refused: { ...sending(asks), tools: [{ name: "look" }] },
  },
  "duplicate-tool-name": {
    page: `${docs}/agents-and-tools/tool-use/define-tools`,
    refused: { ...sending(asks), tools: [tool, tool] },
  },
};

function sending(...messages: readonly JsonObject[]): JsonObject {
  return { model: "claude-opus-5-5", max_tokens: 64, messages };
}

function user(...content: readonly JsonValue[]): JsonObject {
  return { role: "user", content };
}

function assistant(...content: readonly JsonValue[]): JsonObject {
  return { role: "assistant", content };
}
