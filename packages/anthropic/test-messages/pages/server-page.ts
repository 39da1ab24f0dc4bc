import type { JsonObject } from "@agent-history/core";

const caller = { type: "code_execution_20260120", tool_id: "srvtoolu_7" };

/** What tools do that Anthropic runs, or a server that it asks: within one answer, and done only in a later one. */
export const anthropicServerPage: readonly JsonObject[] = [
  {
    role: "assistant",
    content: [
      { type: "mcp_tool_use", id: "mcptoolu_1", name: "echo", server_name: "s", input: { a: 1 } },
      {
        type: "mcp_tool_result",
        tool_use_id: "mcptoolu_1",
        is_error: false,
        content: "Said the server.",
      },
      { type: "server_tool_use", id: "s2", name: "web_fetch", input: {} },
      {
        type: "web_fetch_tool_result",
        tool_use_id: "s2",
        content: { type: "web_fetch_tool_result_error", error_code: "unavailable" },
      },
      { type: "server_tool_use", id: "s3", name: "code_execution", input: {} },
      {
        type: "code_execution_tool_result",
        tool_use_id: "s3",
        content: {
          type: "code_execution_result",
          stdout: "Out of code.",
          stderr: "",
          return_code: 0,
          content: [],
        },
      },
      { type: "server_tool_use", id: "s4", name: "bash_code_execution", input: {} },
      {
        type: "bash_code_execution_tool_result",
        tool_use_id: "s4",
        content: {
          type: "bash_code_execution_result",
          stdout: "",
          stderr: "",
          return_code: 1,
          content: [],
        },
      },
      { type: "server_tool_use", id: "s5", name: "text_editor_code_execution", input: {} },
      {
        type: "text_editor_code_execution_tool_result",
        tool_use_id: "s5",
        content: { type: "text_editor_code_execution_create_result", is_file_update: false },
      },
      { type: "server_tool_use", id: "s6", name: "tool_search_tool_regex", input: {} },
      {
        type: "tool_search_tool_result",
        tool_use_id: "s6",
        content: {
          type: "tool_search_tool_search_result",
          tool_references: [{ type: "tool_reference", tool_name: "echo" }],
        },
      },
      {
        type: "advisor_tool_result",
        tool_use_id: "s7",
        content: { type: "advisor_result", text: "Some good advice." },
      },
      { type: "mcp_tool_listing", mcp_server_name: "s", tools: [] },
      { type: "fallback", from: { model: "a" }, to: { model: "b" } },
      { type: "text", text: "All of these ran." },
    ],
  },
  // A program that calls the caller's tools is done when these are answered; a search that waits with it, too.
  {
    role: "assistant",
    content: [
      { type: "text", text: "I let a program read." },
      {
        type: "server_tool_use",
        id: "srvtoolu_7",
        name: "code_execution",
        input: { code: "await read()" },
      },
      { type: "tool_use", id: "toolu_5", name: "read", input: { path: "c.md" }, caller },
      {
        type: "server_tool_use",
        id: "srvtoolu_8",
        name: "web_search",
        input: { query: "later" },
        caller: { type: "direct" },
      },
      { type: "mcp_tool_use", id: "mcptoolu_2", name: "echo", server_name: "s", input: {} },
    ],
  },
  {
    role: "user",
    content: [{ type: "tool_result", tool_use_id: "toolu_5", content: "Words of c." }],
  },
  {
    role: "assistant",
    content: [
      {
        type: "web_search_tool_result",
        tool_use_id: "srvtoolu_8",
        content: { type: "web_search_tool_result_error", error_code: "unavailable" },
        cache_control: { type: "ephemeral" },
      },
      { type: "text", text: "One file more." },
      { type: "tool_use", id: "toolu_6", name: "read", input: { path: "d.md" }, caller },
    ],
  },
  {
    role: "user",
    content: [{ type: "tool_result", tool_use_id: "toolu_6", content: "Words of d." }],
  },
  {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "The program is done.", signature: "EqQBCkYIAT==" },
      {
        type: "code_execution_tool_result",
        tool_use_id: "srvtoolu_7",
        content: {
          type: "code_execution_result",
          stdout: "Both were read.",
          stderr: "",
          return_code: 0,
          content: [],
        },
      },
      { type: "text", text: "Both say the same." },
      {
        type: "mcp_tool_result",
        tool_use_id: "mcptoolu_2",
        is_error: true,
        content: [{ type: "text", text: "The server was not there." }],
      },
      { type: "text", text: "That is the end of it." },
    ],
    stop_reason: "end_turn",
  },
  // An answer that was interrupted, and went on.
  {
    role: "assistant",
    content: [{ type: "server_tool_use", id: "srvtoolu_9", name: "web_fetch", input: {} }],
    stop_reason: "pause_turn",
  },
  {
    role: "assistant",
    content: [
      {
        type: "web_fetch_tool_result",
        tool_use_id: "srvtoolu_9",
        content: { type: "web_fetch_result", url: "https://e.example", content: {} },
      },
    ],
  },
];
