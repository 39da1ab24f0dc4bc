import type { JsonObject } from "@agent-history/core";

const beside = { additional_kwargs: {}, response_metadata: {} };

/** Every kind of message and block of @langchain/core 1.4, by the fields that its objects have. */
export const langChainPage: readonly JsonObject[] = [
  { type: "system", content: "You book flights.", ...beside },
  {
    type: "system",
    content: [{ type: "text", text: "Be brief, please.", cache_control: { type: "ephemeral" } }],
    ...beside,
    additional_kwargs: { __openai_role__: "developer" },
  },
  { type: "human", content: "To Rome, please.", id: "h1", name: "ann", ...beside },
  {
    type: "human",
    content: [
      { type: "text", text: "What do these show?" },
      { type: "image_url", image_url: { url: "https://example.com/a.png", detail: "low" } },
      { type: "image_url", image_url: "data:image/png;base64,iVBORw0KGgo=" },
      { type: "image", source_type: "base64", mime_type: "image/png", data: "AAAA" },
      { type: "image", source_type: "url", url: "https://example.com/b.png" },
      { type: "image", mimeType: "image/png", data: "BBBB" },
      { type: "image", fileId: "file_1" },
      { type: "image", source: { type: "base64", media_type: "image/gif", data: "CCCC" } },
      { type: "image", source: { type: "url", url: "https://example.com/c.png" } },
      { type: "file", source_type: "id", id: "file_2", metadata: { filename: "d.pdf" } },
      { type: "file", mimeType: "application/pdf", url: "https://example.com/e.pdf" },
      { type: "audio", mimeType: "audio/wav", data: "UklGRg==" },
      { type: "video", url: "https://example.com/f.mp4" },
      { type: "text-plain", text: "A plain file." },
      { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } },
    ],
    ...beside,
  },
  // As ChatOpenAI gives an answer with calls: OpenAI's list of them beside LangChain's.
  {
    type: "ai",
    id: "chatcmpl-1",
    content: "",
    tool_calls: [
      { name: "find_flights", args: { to: "Rome", seats: 2 }, id: "call_a", type: "tool_call" },
      { name: "read_page", args: {}, id: "call_b", type: "tool_call" },
    ],
    invalid_tool_calls: [],
    additional_kwargs: {
      tool_calls: [
        {
          id: "call_a",
          type: "function",
          function: { name: "find_flights", arguments: '{ "to": "Rome", "seats": 2 }' },
        },
        {
          id: "call_b",
          type: "function",
          index: 1,
          function: { name: "read_page", arguments: "{}" },
        },
      ],
    },
    response_metadata: { finish_reason: "tool_calls", model_name: "gpt-5.1" },
    usage_metadata: { input_tokens: 9, output_tokens: 5, total_tokens: 14 },
  },
  {
    type: "tool",
    content: "Two flights.",
    tool_call_id: "call_a",
    name: "find_flights",
    status: "success",
    artifact: { rows: [1, 2] },
    metadata: {},
    ...beside,
  },
  { type: "tool", content: "Not found.", tool_call_id: "call_b", status: "error", ...beside },
  // As ChatAnthropic gives one: the calls stand among the blocks, too.
  {
    type: "ai",
    content: [
      { type: "thinking", thinking: "First I search.", signature: "EqQBCkYIAR==" },
      { type: "redacted_thinking", data: "EmwKAhgBEgy3va3pzix" },
      { type: "text", text: "I look it up." },
      { type: "tool_use", id: "toolu_1", name: "find_hotels", input: { in: "Rome" } },
      { type: "text", text: "And once more.", citations: [] },
      { type: "tool_use", id: "toolu_2", name: "find_hotels", input: { in: "Ostia" } },
    ],
    tool_calls: [
      { name: "find_hotels", args: { in: "Rome" }, id: "toolu_1", type: "tool_call" },
      { name: "find_hotels", args: { in: "Ostia" }, id: "toolu_2", type: "tool_call" },
    ],
    invalid_tool_calls: [],
    ...beside,
  },
  {
    type: "tool",
    content: [
      { type: "text", text: "One hotel." },
      { type: "image_url", image_url: { url: "https://example.com/hotel.png" } },
    ],
    tool_call_id: "toolu_1",
    name: "find_hotels",
    ...beside,
  },
  { type: "tool", content: [], tool_call_id: "toolu_2", name: "find_hotels", ...beside },
  // LangChain's own blocks.
  {
    type: "ai",
    content: [
      { type: "reasoning", reasoning: "I know this one." },
      { type: "text", text: "It costs ninety.", annotations: [{ type: "citation", url: "u" }] },
      { type: "tool_call", id: "call_c", name: "pay_now", args: { sum: 90 } },
      { type: "server_tool_call", id: "s1", name: "web_search", args: { query: "ferry" } },
      { type: "non_standard", value: { kept: "as it is" } },
    ],
    tool_calls: [{ name: "pay_now", args: { sum: 90 }, id: "call_c", type: "tool_call" }],
    invalid_tool_calls: [],
    additional_kwargs: {},
    response_metadata: { output_version: "v1" },
  },
  { type: "tool", content: "Paid in full.", tool_call_id: "call_c", name: "pay_now", ...beside },
  // What a provider's class puts beside the content.
  {
    type: "ai",
    content: "All is booked.",
    additional_kwargs: {
      reasoning_content: "The user wants to know.",
      reasoning: { id: "rs_1", type: "reasoning", summary: [], encrypted_content: "gAAAAAB" },
      refusal: null,
    },
    response_metadata: {},
    tool_calls: [],
    invalid_tool_calls: [
      { name: "find_flights", args: '{"to": "Ro', id: "call_d", error: "Malformed args." },
    ],
  },
  { type: "generic", role: "user", content: "A role beside the type.", ...beside },
  // Plain messages, as users write them.
  { role: "system", content: "Plain instructions." },
  { role: "user", content: "A plain question." },
  {
    role: "assistant",
    content: "A plain answer.",
    tool_calls: [{ name: "find_trains", args: { to: "Bari" }, id: "call_e" }],
  },
  { role: "tool", tool_call_id: "call_e", content: "A plain result." },
  {
    role: "assistant",
    content: null,
    tool_calls: [
      {
        id: "call_f",
        type: "function",
        function: { name: "find_trains", arguments: '{ "to": "Bari" }' },
      },
    ],
  },
  { role: "tool", tool_call_id: "call_f", content: "A chat's result." },
  { type: "user", content: "By another name of the type." },
  { type: "assistant", content: "An answer by another name." },
];
