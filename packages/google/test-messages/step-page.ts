import type { JsonObject } from "@agent-history/core";

const PNG = "iVBORw0KGgo=";

/** Steps of every kind that the SDK has. */
export const stepPage: readonly JsonObject[] = [
  { type: "user_input", content: [{ type: "text", text: "To Rome, please." }] },
  {
    type: "user_input",
    content: [
      { type: "text", text: "And this?" },
      { type: "image", data: PNG, mime_type: "image/png", resolution: "high" },
      { type: "audio", data: "SUQz", mime_type: "audio/mpeg", channels: 2 },
      { type: "document", uri: "https://example.com/v1beta/files/a", mime_type: "application/pdf" },
      { type: "video", uri: "https://www.youtube.com/watch?v=9hE5-98ZeCg", name: "tour" },
    ],
  },
  { type: "thought", signature: "U0lH", summary: [{ type: "text", text: "Two flights." }] },
  { type: "model_output", content: [{ type: "text", text: "I look." }] },
  { type: "function_call", id: "c1", name: "find_flights", arguments: { to: "Rome", seats: 2 } },
  { type: "function_call", id: "c2", name: "find_hotels", arguments: {} },
  { type: "function_result", call_id: "c1", name: "find_flights", result: "Two." },
  { type: "function_result", call_id: "c2", result: { closed: true }, is_error: true },
  { type: "thought", signature: "U0lHMg==" },
  { type: "function_call", id: "c3", name: "find_flights", arguments: { to: "Oslo" } },
  {
    type: "function_result",
    call_id: "c3",
    name: "find_flights",
    result: [
      { type: "text", text: "One." },
      { type: "image", data: PNG, mime_type: "image/png" },
    ],
  },
  { type: "user_input", content: [{ type: "text", text: "Take it." }] },
  { type: "thought", signature: "U0lHMw==" },
  {
    type: "google_search_call",
    id: "s1",
    arguments: { queries: ["Oslo"] },
    signature: "U0lHNA==",
  },
  { type: "google_search_result", call_id: "s1", result: [{ title: "Oslo" }], signature: "Uw==" },
  {
    type: "model_output",
    content: [
      { type: "text", text: "One,", annotations: [{ start_index: 0, end_index: 3 }] },
      { type: "text", text: "and taken." },
      { type: "image", data: PNG, mime_type: "image/png" },
    ],
  },
  { type: "model_output", content: [{ type: "text", text: "Done." }], error: { code: 0 } },
];

/** What the SDK does not allow, and yet comes. */
export const strangeSteps: readonly JsonObject[] = [
  { type: "user_input" },
  { type: "user_input", content: "A text." },
  { type: "user_input", content: [], id: 7 },
  { type: "model_output" },
  { type: "model_output", content: [] },
  { type: "model_output", content: ["a text", null, { type: "odd", text: 7 }] },
  { type: "critic", content: [{ type: "text", text: "No." }] },
  { role: "user", parts: [{ text: "Of another format." }] },
  { type: "user_input", content: ["a text", null, { type: "image" }, { type: "text", text: 7 }] },
  {
    type: "user_input",
    content: [
      { type: "text", text: "" },
      { type: "video", uri: "u" },
    ],
  },
  { type: "thought" },
  { type: "thought", signature: "", summary: "a text" },
  { type: "function_call" },
  { type: "function_call", id: "", name: "", arguments: null },
  { type: "function_call", id: "t", name: "as_text", arguments: "{}" },
  { type: "function_call", id: "n", name: "nested", arguments: { a: 1 }, signature: "U0lH" },
  {
    type: "user_input",
    content: [
      { type: "function_result", call_id: "n", name: "nested", result: "Three.", extra: 1 },
      { type: "text", text: "And?" },
      { type: "function_result", call_id: "t", result: [{ type: "odd" }] },
    ],
  },
  { type: "function_result" },
  { type: "function_result", call_id: "x", result: 7, name: "" },
  { type: "function_result", call_id: "x", result: null, is_error: "yes" },
  { type: "model_output", content: [{ type: "text", text: "\ud800" }], usage: 3 },
];
