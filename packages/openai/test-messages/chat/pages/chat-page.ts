import type { JsonObject } from "@agent-history/core";

/** Every kind of message, part and call that the OpenAI SDK 7.55 can send in a chat, or receive. */
export const chatPage: readonly JsonObject[] = [
  { role: "developer", content: "Answer in one sentence.", name: "house_style" },
  { role: "system", content: [{ type: "text", text: "You book flights." }] },
  {
    role: "user",
    name: "ada",
    content: [
      { type: "text", text: "What is on these?", prompt_cache_breakpoint: { mode: "explicit" } },
      { type: "image_url", image_url: { url: "https://example.com/a b.png", detail: "original" } },
      { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
      { type: "image_url", image_url: { url: "data:image/svg+xml,<svg xmlns=''/>" } },
      { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } },
      { type: "input_audio", input_audio: { data: "SUQzBA==", format: "mp3" } },
      { type: "file", file: { file_id: "file-1", filename: "plan.pdf" } },
      {
        type: "file",
        file: { file_data: "data:application/pdf;base64,JVBERi0=", filename: "b.pdf" },
      },
      { type: "file", file: { file_data: "data:audio/wav;base64,UklGRg==", filename: "c.wav" } },
      { type: "file", file: { file_data: "JVBERi0x" } },
    ],
  },
  // Parallel calls, answered in another order; one id is used again below.
  {
    role: "assistant",
    content: null,
    refusal: null,
    tool_calls: [
      { id: "call_1", type: "function", function: { name: "search", arguments: '{"q": "a"}' } },
      { id: "call_2", type: "custom", custom: { name: "python", input: "print('hi there')" } },
      { id: "call_3", type: "function", function: { name: "search", arguments: "{not closed" } },
    ],
  },
  { role: "tool", tool_call_id: "call_3", content: "Expected a closing brace." },
  { role: "tool", tool_call_id: "call_1", content: [{ type: "text", text: "Three hits there." }] },
  { role: "tool", tool_call_id: "call_2", content: "" },
  {
    role: "assistant",
    content: "Let me look once more.",
    tool_calls: [
      { id: "call_1", type: "function", function: { name: "open_page", arguments: "" } },
    ],
  },
  { role: "tool", tool_call_id: "call_1", content: "A page about flights." },
  // Two workers at once: the results come interleaved, under one id.
  {
    role: "assistant",
    name: "worker_a",
    tool_calls: [{ id: "call_0", type: "function", function: { name: "read", arguments: "{}" } }],
  },
  {
    role: "assistant",
    name: "worker_b",
    tool_calls: [
      { id: "call_0", type: "function", function: { name: "write", arguments: "{}" } },
      { id: "call_9", type: "function", function: { name: "write", arguments: "[]" } },
    ],
  },
  { role: "tool", tool_call_id: "call_0", content: "Result for one worker." },
  { role: "tool", tool_call_id: "call_9", content: "Result for the other worker." },
  { role: "tool", tool_call_id: "call_0", content: "Result for the first again." },
  // Calls of old.
  { role: "assistant", content: null, function_call: { name: "lookup", arguments: '{"id":1}' } },
  { role: "function", name: "lookup", content: "Old result text." },
  { role: "function", name: "lookup", content: null },
  // What an answer may bear beside its text.
  { role: "assistant", content: null, refusal: "I cannot help with that." },
  { role: "assistant", content: "Partly, yes.", refusal: "But not with the rest." },
  {
    role: "assistant",
    content: [
      { type: "text", text: "Up to here." },
      { type: "refusal", refusal: "No further than this." },
    ],
  },
  { role: "assistant", audio: { id: "audio_1" } },
  {
    role: "assistant",
    content: null,
    refusal: null,
    audio: { id: "audio_2", data: "UklGRg==", expires_at: 1, transcript: "Spoken words here." },
  },
  {
    role: "assistant",
    content: "See the source.",
    refusal: null,
    annotations: [
      {
        type: "url_citation",
        url_citation: { start_index: 0, end_index: 3, title: "A source", url: "https://a.example" },
      },
    ],
  },
  // Contents that say nothing, each in its own way.
  { role: "assistant", content: "" },
  { role: "assistant", content: null },
  { role: "assistant" },
  { role: "assistant", content: [] },
  { role: "user", content: "" },
  { role: "user", content: [] },
];
