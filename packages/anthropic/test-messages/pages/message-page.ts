import type { JsonObject } from "@agent-history/core";

import { anthropicServerPage } from "./server-page.ts";

/** Every kind of message and block of the Anthropic SDK 1.11, its beta blocks included. */
export const anthropicPage: readonly JsonObject[] = [
  {
    role: "system",
    content: [{ type: "text", text: "You read papers.", cache_control: { type: "ephemeral" } }],
  },
  {
    role: "user",
    content: [
      { type: "text", text: "Compare these, please.", cache_control: null, citations: null },
      { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
      {
        type: "image",
        source: { type: "url", url: "https://example.com/a.png" },
        transformations: { oversized_image: "downsize" },
      },
      { type: "image", source: { type: "file", file_id: "file_1" } },
      {
        type: "document",
        source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" },
        title: "Paper one",
        context: "Handed in today.",
        citations: { enabled: true },
        cache_control: { type: "ephemeral", ttl: "1h" },
      },
      {
        type: "document",
        source: { type: "text", media_type: "text/plain", data: "Plain words of a paper." },
        title: null,
      },
      { type: "document", source: { type: "url", url: "https://example.com/b.pdf" } },
      { type: "document", source: { type: "file", file_id: "file_2" } },
      { type: "document", source: { type: "content", content: "As content." } },
      {
        type: "document",
        source: { type: "content", content: [{ type: "text", text: "As a content block." }] },
      },
      {
        type: "search_result",
        source: "https://example.com/s",
        title: "A search result",
        content: [{ type: "text", text: "Found on the web." }],
      },
      { type: "container_upload", file_id: "file_3" },
    ],
  },
  // Thinking between calls, a server's tool, calls that stand between texts.
  {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "First I search the web.", signature: "EqQBCkYIAR==" },
      { type: "redacted_thinking", data: "EmwKAhgBEgy3va3pzix" },
      { type: "text", text: "I look it up." },
      { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "a b" } },
      {
        type: "web_search_tool_result",
        tool_use_id: "srvtoolu_1",
        content: [
          {
            type: "web_search_result",
            title: "A title",
            url: "https://c.example",
            encrypted_content: "E",
          },
        ],
      },
      {
        type: "text",
        text: "It says so.",
        citations: [
          {
            type: "char_location",
            cited_text: "the words cited",
            document_index: 0,
            document_title: null,
            start_char_index: 0,
            end_char_index: 5,
          },
        ],
      },
      {
        type: "tool_use",
        id: "toolu_1",
        name: "read",
        input: { path: "a.md", deep: { list: [1] } },
      },
      { type: "text", text: "And meanwhile this." },
      {
        type: "tool_use",
        id: "toolu_2",
        name: "read",
        input: {},
        caller: { type: "direct" },
        cache_control: { type: "ephemeral" },
      },
      { type: "thinking", thinking: "", signature: "EqQBCkYIAS==" },
      { type: "tool_use", id: "toolu_3", name: "click", input: { x: 1 }, toolset_name: "computer" },
      { type: "tool_use", id: "toolu_4", name: "noop", input: {} },
    ],
  },
  // Several results in one message, out of order, text around them.
  {
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: "toolu_2", content: "Second came first." },
      {
        type: "tool_result",
        tool_use_id: "toolu_1",
        is_error: true,
        content: "No such file there.",
      },
      {
        type: "tool_result",
        tool_use_id: "toolu_3",
        is_error: false,
        toolset_name: "computer",
        cache_control: { type: "ephemeral" },
        content: [
          { type: "text", text: "A screen of it.", cache_control: { type: "ephemeral" } },
          { type: "image", source: { type: "base64", media_type: "image/jpeg", data: "/9j/4A==" } },
          {
            type: "search_result",
            source: "s",
            title: "t",
            content: [{ type: "text", text: "In a result." }],
          },
          {
            type: "document",
            source: { type: "text", media_type: "text/plain", data: "A text file." },
          },
          { type: "tool_reference", tool_name: "click" },
          {
            type: "browser_state",
            tabs: [{ tab_id: "1", title: "A tab", url: "https://d.example" }],
          },
        ],
      },
      { type: "text", text: "Please go on now." },
      { type: "tool_result", tool_use_id: "toolu_4" },
    ],
  },
  // A compaction in the middle of an answer.
  {
    role: "assistant",
    content: [
      { type: "text", text: "Before it was compacted." },
      {
        type: "compaction",
        content: "What was said so far.",
        encrypted_content: "Ew==",
        signature: null,
        cache_control: { type: "ephemeral" },
      },
      { type: "text", text: "After it was compacted." },
      { type: "tool_use", id: "toolu_1", name: "write", input: { again: "the same id" } },
    ],
  },
  {
    role: "user",
    content: [{ type: "tool_result", tool_use_id: "toolu_1", content: [] }],
  },
  { role: "assistant", content: [{ type: "compaction", content: null }] },
  {
    role: "system",
    clear_at: "next_user_message",
    content: [
      { type: "text", text: "A new tool for now." },
      { type: "tool_addition", tool: { type: "tool_reference", name: "echo" } },
      { type: "tool_removal", tool: { type: "tool_reference", name: "read" } },
    ],
  },
  // A whole answer, as the API returns it.
  {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-x",
    content: [{ type: "text", text: "That is all of it.", citations: null }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 2 },
  },
  // Contents that say nothing, each in its own way.
  { role: "user", content: "" },
  { role: "user", content: [] },
  { role: "user", content: [{ type: "text", text: "" }] },
  { role: "assistant", content: "" },
  { role: "assistant", content: [] },
  {
    role: "assistant",
    content: [{ type: "thinking", thinking: "Only a thought.", signature: "s" }],
  },
  ...anthropicServerPage,
];
