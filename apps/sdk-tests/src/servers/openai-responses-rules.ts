import type { JsonObject } from "@agent-history/core";

import type { WireRule } from "./wire.ts";

const apiPage = "https://platform.openai.com/docs/api-reference/responses/create";
const callsPage = "https://developers.openai.com/api/docs/guides/function-calling";
const statePage = "https://developers.openai.com/api/docs/guides/conversation-state";

const asks = { role: "user", content: "Which flights?" };
const call = { type: "function_call", call_id: "a", name: "look", arguments: "{}" };
const output = { type: "function_call_output", call_id: "a", output: "" };
const tool = { type: "function", name: "look", parameters: {}, strict: false };

/** What OpenAI's Responses API refuses, and where it says so. */
export const openaiResponsesRules: Readonly<Record<string, WireRule>> = {
  "no-message": { page: apiPage, refused: sending() },
  "orphan-result": { page: callsPage, refused: sending(asks, output) },
  "unanswered-call": { page: callsPage, refused: sending(asks, call, asks) },
  "duplicate-call-id": { page: callsPage, refused: sending(asks, call, call, output) },
  "reasoning-alone": {
    page: "https://developers.openai.com/api/docs/guides/reasoning",
    refused: sending(asks, { type: "reasoning", id: "r", summary: [] }, asks),
  },
  "empty-content": { page: apiPage, refused: sending({ role: "user", content: [] }) },
  "missing-model": { page: apiPage, refused: { input: [asks] } },
  "unknown-response": {
    page: statePage,
    refused: { ...sending(asks), previous_response_id: "resp_0" },
  },
  "unknown-item": {
    page: statePage,
    refused: sending(asks, { type: "item_reference", id: "item_0" }, asks),
  },
  "unknown-role": { page: apiPage, refused: sending({ role: "critic", content: "No." }) },
  "part-of-another-role": {
    page: apiPage,
    refused: sending({ role: "assistant", content: [{ type: "input_text", text: "Two." }] }, asks),
  },
  "arguments-not-text": {
    page: apiPage,
    refused: sending(asks, { ...call, arguments: {} }, output),
  },
  "odd-tool-name": {
    page: callsPage,
    refused: { ...sending(asks), tools: [{ ...tool, name: "look up" }] },
  },
  "duplicate-tool-name": { page: callsPage, refused: { ...sending(asks), tools: [tool, tool] } },
  "missing-output": { page: callsPage, refused: sending(asks, call, { ...output, output: null }) },
};

function sending(...input: readonly JsonObject[]): JsonObject {
  return { model: "gpt-5.1", input };
}
