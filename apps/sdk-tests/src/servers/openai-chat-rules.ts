import type { JsonObject } from "@agent-history/core";

import type { WireRule } from "./wire.ts";

const apiPage = "https://platform.openai.com/docs/api-reference/chat/create";
const callsPage = "https://developers.openai.com/api/docs/guides/function-calling";

const asks = { role: "user", content: "Which flights?" };
const made = { id: "a", type: "function", function: { name: "look", arguments: "{}" } };
const calling = { role: "assistant", content: null, tool_calls: [made] };
const result = { role: "tool", tool_call_id: "a", content: "" };
const image = { type: "image_url", image_url: { url: "https://example.com/a.png" } };
const tool = { type: "function", function: { name: "look", parameters: { type: "object" } } };

/** What OpenAI's chat completions refuse, and where it says so. */
export const openaiChatRules: Readonly<Record<string, WireRule>> = {
  "no-message": { page: apiPage, refused: sending() },
  "unknown-role": { page: apiPage, refused: sending({ role: "critic", content: "No." }) },
  "empty-content": { page: apiPage, refused: sending({ role: "user", content: [] }) },
  "empty-calls": {
    page: apiPage,
    refused: sending(asks, { ...calling, content: "", tool_calls: [] }),
  },
  "missing-call-id": {
    page: callsPage,
    refused: sending(
      { ...calling, tool_calls: [{ ...made, id: "" }] },
      { ...result, tool_call_id: "" },
    ),
  },
  "duplicate-call-id": {
    page: callsPage,
    refused: sending({ ...calling, tool_calls: [made, made] }, result, result),
  },
  "unanswered-call": { page: callsPage, refused: sending(asks, calling, asks) },
  "orphan-result": { page: callsPage, refused: sending(asks, result) },
  "missing-model": { page: apiPage, refused: { messages: [asks] } },
  "odd-tool-name": {
    page: apiPage,
    refused: { ...sending(asks), tools: [{ type: "function", function: { name: "look up" } }] },
  },
  "duplicate-tool-name": { page: apiPage, refused: { ...sending(asks), tools: [tool, tool] } },
  "arguments-not-text": {
    page: apiPage,
    refused: sending(
      { ...calling, tool_calls: [{ ...made, function: { name: "look", arguments: {} } }] },
      result,
    ),
  },
  "part-of-another-role": {
    page: "https://developers.openai.com/api/docs/guides/images-vision",
    refused: sending(asks, calling, { ...result, content: [image] }),
  },
};

function sending(...messages: readonly JsonObject[]): JsonObject {
  return { model: "gpt-5.1", messages };
}
