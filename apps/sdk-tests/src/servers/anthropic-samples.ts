import type { JsonObject, JsonValue } from "@agent-history/core";

// Pages and pieces that the requests of the rules are made of.

const docs = "https://platform.claude.com/docs/en";

/** Pages that state several rules. */
export const pages = {
  docs,
  messages: `${docs}/build-with-claude/working-with-messages`,
  errors: `${docs}/api/errors`,
  api: `${docs}/api/messages/create`,
  calls: `${docs}/agents-and-tools/tool-use/handle-tool-calls`,
  tools: `${docs}/agents-and-tools/tool-use/define-tools`,
  servers: `${docs}/agents-and-tools/tool-use/server-tools`,
  caching: `${docs}/build-with-claude/prompt-caching`,
  thinking: `${docs}/build-with-claude/thinking-troubleshooting`,
} as const;

export const asks = { role: "user", content: "Which flights?" };
export const says = { role: "assistant", content: "Two." };
export const call = { type: "tool_use", id: "a", name: "look", input: {} };
export const result = { type: "tool_result", tool_use_id: "a", content: "" };
export const calling = { role: "assistant", content: [call] };
export const text = { type: "text", text: "Hello." };
export const mark = { cache_control: { type: "ephemeral" } };
export const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} };
export const searched = {
  type: "web_search_tool_result",
  tool_use_id: "srvtoolu_1",
  content: [],
};
export const image = (type = "image/png"): JsonObject => ({
  type: "image",
  source: { type: "base64", media_type: type, data: "AAAA" },
});

export function sending(...messages: readonly JsonObject[]): JsonObject {
  return { model: "claude-opus-5-5", max_tokens: 64, messages };
}

export function user(...content: readonly JsonValue[]): JsonObject {
  return { role: "user", content };
}

export function assistant(...content: readonly JsonValue[]): JsonObject {
  return { role: "assistant", content };
}
