import type { JsonObject } from "@agent-history/core";

/** What LangChain's types do not allow, or no model takes, and yet comes. */
export const langChainStrangePage: readonly JsonObject[] = [
  { type: "critic", content: "A type of tomorrow." },
  { type: "generic", role: "critic", content: "A role of tomorrow." },
  { type: "remove", id: "h1", content: [] },
  { type: "function", name: "find_old", content: "A result of old." },
  { content: "Neither a type nor a role." },
  { type: "human" },
  { type: "human", content: null, extra: { fields: 1 } },
  { type: "human", content: 7 },
  { type: "human", content: { text: "an object" } },
  { type: "human", content: ["bare", null, 3, { text: "no type" }, { type: "text" }] },
  { type: "human", content: [{ type: "image_url", image_url: { url: 1 }, alt: "a" }] },
  { type: "human", content: [{ type: "image", source_type: "url", data: "misnamed" }] },
  { type: "human", content: [{ type: "image" }, { type: "file", source: null }] },
  { type: "ai", content: null },
  { type: "ai", tool_calls: null, content: [] },
  {
    type: "ai",
    content: [{ type: "tool_use", id: "x", name: "read_it", input: { other: "said otherwise" } }],
    tool_calls: [
      { name: "read_it", args: { path: "a" }, id: "x", type: "tool_call" },
      { name: "read_it", args: { path: "without an id" } },
      { name: "read_it", args: "no object", id: "y" },
      { name: "", args: {}, id: "z" },
      null,
    ],
    additional_kwargs: { tool_calls: [{ id: "x" }], reasoning: "no object", as: "content" },
  },
  {
    type: "ai",
    content: "Said twice.",
    tool_calls: [{ name: "read_it", args: {}, id: "q", type: "tool_call" }],
    additional_kwargs: {
      tool_calls: [{ id: "q", function: { name: "read_it", arguments: "no json" } }],
      function_call: { name: "read_it", arguments: "{}" },
    },
  },
  { type: "tool", content: "Answers no call.", tool_call_id: "nobody" },
  { type: "tool", content: "Names no call." },
  { type: "tool", content: "A status of tomorrow.", tool_call_id: "q", status: "late", name: "" },
  { role: "user", type: "human", content: "Both a role and a type." },
];
