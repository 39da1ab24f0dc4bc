/** A tool's message with every kind of output of the AI SDK 7.0. */
export const modelResults: object = {
  role: "tool",
  content: [
    {
      type: "tool-result",
      toolCallId: "c3",
      toolName: "send",
      output: { type: "execution-denied", reason: "Denied by the user." },
    },
    {
      type: "tool-result",
      toolCallId: "c2",
      toolName: "remove",
      output: { type: "execution-denied", providerOptions: { x: {} } },
    },
    {
      type: "tool-result",
      toolCallId: "c2",
      toolName: "remove",
      output: { type: "json", value: { removed: 2, names: ["first name"] } },
    },
    {
      type: "tool-result",
      toolCallId: "c2",
      toolName: "remove",
      output: { type: "json", value: "a JSON text" },
    },
    {
      type: "tool-result",
      toolCallId: "c2",
      toolName: "remove",
      output: { type: "json", value: null },
    },
    {
      type: "tool-result",
      toolCallId: "c2",
      toolName: "remove",
      output: { type: "error-text", value: "It went wrong." },
    },
    {
      type: "tool-result",
      toolCallId: "c2",
      toolName: "remove",
      output: { type: "error-json", value: { code: 5 } },
    },
    {
      type: "tool-result",
      toolCallId: "c2",
      toolName: "remove",
      output: { type: "text", value: "" },
    },
    {
      type: "tool-result",
      toolCallId: "c2",
      toolName: "remove",
      output: { type: "content", value: [] },
    },
    {
      type: "tool-result",
      toolCallId: "c2",
      toolName: "remove",
      output: {
        type: "content",
        value: [
          { type: "text", text: "A text of it.", providerOptions: { x: { z: 1 } } },
          {
            type: "file",
            mediaType: "image/png",
            data: { type: "url", url: new URL("https://example.com/e.png") },
            filename: "e.png",
          },
          { type: "file", mediaType: "text/csv", data: { type: "text", text: "a row, a row" } },
          {
            type: "file-data",
            data: "JVBERi0=",
            mediaType: "application/pdf",
            filename: "f.pdf",
          },
          { type: "file-url", url: "https://example.com/g.pdf" },
          { type: "file-id", fileId: "file-5" },
          { type: "file-id", fileId: { openai: "file-6" } },
          { type: "file-id", fileId: { openai: "file-7", google: "files/7" } },
          { type: "file-reference", providerReference: { openai: "file-8" } },
          { type: "image-data", data: "iVBORw0KGgo=", mediaType: "image/png" },
          { type: "image-url", url: "https://example.com/h.png" },
          { type: "image-file-id", fileId: "file-9" },
          { type: "image-file-reference", providerReference: { openai: "file-10" } },
          { type: "custom", providerOptions: { x: { kind: "of its own" } } },
        ],
      },
    },
  ],
};
