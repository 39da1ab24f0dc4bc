import { modelProviderPage } from "./model-provider-page.ts";
import { modelResults } from "./model-results.ts";

const bytes = new Uint8Array([137, 80, 78, 71, 0, 255]);

/** Every kind of message, part and output of the AI SDK 7.0. */
export const modelPage: readonly object[] = [
  {
    role: "system",
    content: "You plan trips.",
    providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } },
  },
  {
    role: "user",
    content: "Plan one for me.",
    providerOptions: { openai: { note: "a note here" } },
  },
  {
    role: "user",
    content: [
      { type: "text", text: "With these, please.", providerOptions: { x: { y: [1, null] } } },
      { type: "image", image: "iVBORw0KGgo=" },
      { type: "image", image: "https://example.com/a.png", mediaType: "image/png" },
      { type: "image", image: "data:image/png;base64,iVBORw0KGgo=" },
      { type: "image", image: new URL("https://example.com/b.png"), providerOptions: { x: {} } },
      { type: "image", image: bytes, mediaType: "image/png" },
      { type: "image", image: bytes.buffer },
      { type: "image", image: { openai: "file-1" } },
      { type: "file", mediaType: "image/png", data: { type: "data", data: "iVBORw0KGgo=" } },
      { type: "file", mediaType: "image", data: { type: "data", data: bytes }, filename: "i.png" },
      {
        type: "file",
        mediaType: "application/pdf",
        data: { type: "url", url: new URL("https://example.com/c.pdf") },
        filename: "c.pdf",
      },
      {
        type: "file",
        mediaType: "application/pdf",
        data: { type: "url", url: new URL("gs://b/%20"), originalUrl: "gs://b/ " },
      },
      {
        type: "file",
        mediaType: "application/pdf",
        data: { type: "reference", reference: { anthropic: "file_2" } },
      },
      {
        type: "file",
        mediaType: "application/pdf",
        data: { type: "reference", reference: { openai: "file-3", anthropic: "file_3" } },
      },
      {
        type: "file",
        mediaType: "text/plain",
        data: { type: "text", text: "Plain words of a file." },
      },
      { type: "file", mediaType: "audio/wav", data: bytes },
      { type: "file", mediaType: "audio/wav", data: "UklGRg==" },
      { type: "file", mediaType: "audio/wav", data: new URL("https://example.com/d.wav") },
      { type: "file", mediaType: "text/plain", data: bytes.buffer },
      { type: "file", mediaType: "text/plain", data: { google: "files/4" } },
    ],
  },
  { role: "assistant", content: "A plain answer." },
  // Reasoning, files, a tool that the provider ran, calls between texts, a request to approve one of them.
  {
    role: "assistant",
    content: [
      {
        type: "reasoning",
        text: "I should look first.",
        providerOptions: { anthropic: { signature: "EqQB" } },
      },
      { type: "reasoning", text: "", providerOptions: { anthropic: { redactedData: "EmwK" } } },
      { type: "reasoning-file", mediaType: "image/png", data: { type: "data", data: bytes } },
      { type: "text", text: "I look it up." },
      {
        type: "tool-call",
        toolCallId: "s1",
        toolName: "web_search",
        input: { query: "q" },
        providerExecuted: true,
      },
      {
        type: "tool-result",
        toolCallId: "s1",
        toolName: "web_search",
        output: { type: "json", value: [{ found: "on the web" }] },
      },
      {
        type: "tool-call",
        toolCallId: "c1",
        toolName: "read",
        input: { path: "a.md" },
        providerOptions: { google: { thoughtSignature: "t" } },
      },
      { type: "custom", kind: "openai.mcp-list", providerOptions: { openai: { tools: [] } } },
      { type: "file", mediaType: "image/png", data: { type: "data", data: "iVBORw0KGgo=" } },
      { type: "tool-call", toolCallId: "c2", toolName: "remove", input: { all: true } },
      {
        type: "tool-approval-request",
        approvalId: "a2",
        toolCallId: "c2",
        reason: "It removes files.",
        signature: "sig",
      },
      { type: "tool-call", toolCallId: "c3", toolName: "send", input: {} },
      { type: "tool-approval-request", approvalId: "a3", toolCallId: "c3", isAutomatic: false },
      {
        type: "tool-call",
        toolCallId: "m4",
        toolName: "mcp.pay",
        input: {},
        providerExecuted: true,
      },
      { type: "tool-approval-request", approvalId: "a4", toolCallId: "m4" },
      { type: "tool-approval-request", approvalId: "a5", toolCallId: "never_seen" },
    ],
    providerOptions: { openai: { itemId: "i" } },
  },
  {
    role: "tool",
    content: [
      {
        type: "tool-approval-response",
        approvalId: "a3",
        approved: false,
        reason: "Do not send it.",
      },
      { type: "tool-approval-response", approvalId: "a2", approved: true },
      {
        type: "tool-approval-response",
        approvalId: "a4",
        approved: true,
        reason: "",
        providerExecuted: true,
      },
      {
        type: "tool-result",
        toolCallId: "c1",
        toolName: "read",
        output: { type: "text", value: "Words of the file." },
        providerOptions: { x: { cached: true } },
      },
    ],
    providerOptions: { x: { all: "of them" } },
  },
  modelResults,
  // Compactions of two providers, in the middle of an answer.
  {
    role: "assistant",
    content: [
      { type: "text", text: "Said before it." },
      {
        type: "custom",
        kind: "openai.compaction",
        providerOptions: {
          openai: { type: "compaction", itemId: "cmp_1", encryptedContent: "gAAA" },
        },
      },
      {
        type: "text",
        text: "What was said so far.",
        providerOptions: { anthropic: { type: "compaction" } },
      },
      { type: "tool-call", toolCallId: "c1", toolName: "read", input: { again: "the same id" } },
    ],
  },
  {
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: "c1",
        toolName: "read",
        output: { type: "text", value: "Read it again." },
      },
    ],
  },
  // Contents that say nothing.
  { role: "system", content: "" },
  { role: "user", content: "" },
  { role: "user", content: [] },
  { role: "assistant", content: "" },
  { role: "assistant", content: [] },
  { role: "assistant", content: [{ type: "text", text: "" }] },
  { role: "tool", content: [] },
  ...modelProviderPage,
];
