import type { UIMessage } from "ai";

/** A conversation with every kind of part of the AI SDK 7, and a tool in every state. */
export const uiMessages: UIMessage[] = [
  { id: "s1", role: "system", parts: [{ type: "text", text: "You read." }] },
  {
    id: "u1",
    role: "user",
    metadata: { sentAt: 5 },
    parts: [
      { type: "text", text: "What does it say?" },
      { type: "file", mediaType: "image/png", url: "data:image/png;base64,AA==" },
      { type: "file", mediaType: "application/pdf", filename: "b.pdf", url: "https://a.example" },
      {
        type: "file",
        mediaType: "image/png",
        url: "https://a.example/c.png",
        providerReference: { openai: "file-1" },
      },
      { type: "data-place", id: "p1", data: { city: "Rome" } },
    ],
  },
  {
    id: "a1",
    role: "assistant",
    metadata: { model: "m", tokens: 7 },
    parts: [
      { type: "step-start" },
      {
        type: "reasoning",
        text: "I look.",
        state: "done",
        providerMetadata: { anthropic: { signature: "EqQBEqQB" } },
      },
      { type: "text", text: "I look it up.", state: "done" },
      { type: "source-url", sourceId: "1", url: "https://a.example", title: "A" },
      { type: "source-document", sourceId: "2", mediaType: "text/plain", title: "B" },
      { type: "data-note", data: { shown: true } },
      {
        type: "tool-read",
        toolCallId: "c1",
        state: "output-available",
        input: { path: "a.md" },
        output: { text: "Words." },
        callProviderMetadata: { openai: { itemId: "i1" } },
      },
      {
        type: "dynamic-tool",
        toolName: "later",
        toolCallId: "c2",
        state: "output-error",
        input: {},
        errorText: "It broke.",
      },
      {
        type: "tool-search",
        toolCallId: "c3",
        state: "output-available",
        input: { query: "a" },
        output: [{ title: "A" }],
        providerExecuted: true,
      },
      { type: "step-start" },
      { type: "file", mediaType: "image/png", url: "data:image/png;base64,AQ==" },
      { type: "text", text: "It says words." },
    ],
  },
  { id: "u2", role: "user", parts: [{ type: "text", text: "Delete both." }] },
  {
    id: "a2",
    role: "assistant",
    parts: [
      { type: "step-start" },
      {
        type: "tool-delete",
        toolCallId: "c4",
        state: "output-denied",
        input: { path: "a" },
        approval: { id: "approve_4", approved: false, reason: "No." },
      },
      {
        type: "tool-delete",
        toolCallId: "c5",
        state: "approval-responded",
        input: { path: "b" },
        approval: { id: "approve_5", approved: true },
      },
      { type: "tool-delete", toolCallId: "c6", state: "input-available", input: { path: "c" } },
      { type: "tool-delete", toolCallId: "c7", state: "input-streaming", input: { pa: "" } },
    ],
  },
  { id: "a3", role: "assistant", parts: [{ type: "data-progress", data: 0.5 }] },
  { id: "u3", role: "user", parts: [{ type: "text", text: "Go on." }] },
  {
    id: "a4",
    role: "assistant",
    parts: [
      { type: "step-start" },
      {
        type: "tool-delete",
        toolCallId: "c8",
        state: "approval-requested",
        input: {},
        approval: { id: "approve_8" },
      },
    ],
  },
];
