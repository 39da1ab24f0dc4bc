const caller = { type: "code_execution_20260120", toolId: "p1" };

/** What tools do that the provider runs, and that is done only in a later answer. */
export const modelProviderPage: readonly object[] = [
  // A program that calls the caller's tools, and a search that waits with it.
  {
    role: "assistant",
    content: [
      { type: "text", text: "I let a program read." },
      {
        type: "tool-call",
        toolCallId: "p1",
        toolName: "code_execution",
        input: { code: "await read()" },
        providerExecuted: true,
        providerOptions: { anthropic: { caller: { type: "direct" } } },
      },
      {
        type: "tool-call",
        toolCallId: "c8",
        toolName: "read",
        input: { path: "b.md" },
        providerOptions: { anthropic: { caller } },
      },
      {
        type: "tool-call",
        toolCallId: "s8",
        toolName: "web_search",
        input: { query: "later" },
        providerExecuted: true,
      },
    ],
  },
  {
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: "c8",
        toolName: "read",
        output: { type: "text", value: "Words of b." },
      },
    ],
  },
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: "The program is done." },
      {
        type: "tool-result",
        toolCallId: "p1",
        toolName: "code_execution",
        output: { type: "json", value: { stdout: "It was read.", return_code: 0 } },
        providerOptions: { anthropic: { container: "c" } },
      },
      { type: "text", text: "The file says it." },
      {
        type: "tool-result",
        toolCallId: "s8",
        toolName: "web_search",
        output: { type: "error-json", value: { errorCode: "unavailable" } },
      },
      { type: "text", text: "The web does not." },
    ],
    providerOptions: { anthropic: { note: "of the answer" } },
  },
  // An answer that was interrupted, and went on.
  {
    role: "assistant",
    content: [
      {
        type: "tool-call",
        toolCallId: "s9",
        toolName: "web_fetch",
        input: {},
        providerExecuted: true,
      },
    ],
  },
  {
    role: "assistant",
    content: [
      {
        type: "tool-result",
        toolCallId: "s9",
        toolName: "web_fetch",
        output: { type: "text", value: "A page of the web." },
      },
    ],
  },
  // A provider that never says what its tools gave.
  {
    role: "assistant",
    content: [
      {
        type: "tool-call",
        toolCallId: "s10",
        toolName: "x_search",
        input: {},
        providerExecuted: true,
      },
      { type: "text", text: "They say so." },
    ],
  },
];
