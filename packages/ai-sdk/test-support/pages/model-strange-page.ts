const bytes = new Uint8Array([137, 80, 78, 71, 0, 255]);

/** What the AI SDK does not allow, and yet comes. */
export const modelStrangePage: readonly object[] = [
  { role: "system", content: [{ type: "text", text: "A system message in parts." }], id: "m1" },
  {
    role: "user",
    content: [
      { type: "text", text: "U+2028 \u2028 and a lone \udbff surrogate.", at: 5 },
      { type: "text" },
      { type: "image", image: { type: "url", url: "https://example.com/tagged.png" } },
      { type: "image", image: 5 },
      { type: "file", data: "AA==" },
      { type: "file", mediaType: "text/plain", data: { type: "stream", stream: "of bytes" } },
      {
        type: "file",
        mediaType: "text/plain",
        data: { type: "url", url: "https://example.com/as-text" },
      },
      { type: "file", mediaType: "text/plain", data: { type: "data" } },
      { type: "file", mediaType: "text/plain", data: {} },
      {
        type: "video",
        url: new URL("https://example.com/v.mp4"),
        frames: [bytes, { $bytes: "AA==" }],
      },
      { type: "text", text: "Marks of ours.", extra: { $url: 5, bare: true }, as: { $json: [] } },
      "a bare text",
      null,
    ],
  },
  {
    role: "assistant",
    content: [
      { type: "tool-call", toolCallId: "c1", toolName: "no_input" },
      { type: "tool-call", toolCallId: "c2", toolName: "text_input", input: "{not closed" },
      {
        type: "tool-call",
        toolCallId: "c3",
        toolName: "null_input",
        input: null,
        dynamic: true,
        invalid: true,
      },
      JSON.parse(
        '{"type":"tool-call","toolCallId":"c4","toolName":"proto","input":{"__proto__":{"a":1}}}',
      ),
      { type: "tool-call", toolCallId: "", toolName: "no_id", input: {} },
      { type: "tool-call", toolCallId: "c6", toolName: "", input: {} },
      { type: "tool-call", toolCallId: "c7", toolName: "answered", input: {} },
      {
        type: "tool-result",
        toolCallId: "c7",
        toolName: "answered",
        output: { type: "text", value: "In the same message." },
      },
      { type: "tool-approval-request", toolCallId: "c1" },
      { type: "reasoning", text: null },
      { type: "tomorrow", value: "A part of tomorrow." },
      "a bare text",
    ],
  },
  {
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: "c1",
        toolName: "no_input",
        output: { type: "text", value: "Fine by me." },
        isError: false,
        result: 5,
      },
      { type: "tool-result", toolCallId: "c2", output: { type: "text", value: "Without a name." } },
    ],
  },
  {
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: "c3",
        toolName: "x",
        output: { type: "xml", value: "An output of tomorrow." },
      },
    ],
  },
  {
    role: "tool",
    content: [{ type: "tool-result", toolCallId: "c3", toolName: "x", result: "A result of old." }],
  },
  { role: "tool", content: [{ type: "text", text: "A text of a tool." }] },
  { role: "tool", content: "A bare text of a tool." },
  { role: "user", content: null },
  { role: "user" },
  { role: "assistant", content: 5 },
  { role: "data", content: "A role of old." },
  {},
  JSON.parse('{"role":"user","content":"Own proto.","__proto__":{"polluted":"own field here"}}'),
];
