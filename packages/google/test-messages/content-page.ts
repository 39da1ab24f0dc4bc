import type { JsonObject } from "@agent-history/core";

const PNG = "iVBORw0KGgo=";

/** Contents of every kind that the SDK has. */
export const contentPage: readonly JsonObject[] = [
  { role: "user", parts: [{ text: "To Rome, please." }] },
  {
    role: "user",
    parts: [
      { text: "And this?" },
      { inlineData: { mimeType: "image/png", data: PNG } },
      { inlineData: { mimeType: "audio/mpeg", data: "SUQz", displayName: "voice.mp3" } },
      { fileData: { mimeType: "application/pdf", fileUri: "https://example.com/v1beta/files/a" } },
      {
        fileData: { fileUri: "https://www.youtube.com/watch?v=9hE5-98ZeCg" },
        videoMetadata: { startOffset: "10s", fps: 2 },
      },
    ],
  },
  {
    role: "model",
    parts: [
      { text: "Rome has two flights.", thought: true },
      { text: "I look.", thoughtSignature: "U0lH" },
      {
        functionCall: { id: "c1", name: "find_flights", args: { to: "Rome", seats: 2 } },
        thoughtSignature: "U0lHMg==",
      },
      { functionCall: { id: "c2", name: "find_hotels", args: {} } },
    ],
  },
  {
    role: "user",
    parts: [
      { functionResponse: { id: "c1", name: "find_flights", response: { output: "Two." } } },
      { functionResponse: { id: "c2", name: "find_hotels", response: { error: "Closed." } } },
    ],
  },
  {
    role: "model",
    parts: [
      { functionCall: { name: "find_flights", args: { to: "Oslo" } }, thoughtSignature: "Uw==" },
    ],
  },
  {
    role: "user",
    parts: [
      {
        functionResponse: {
          name: "find_flights",
          response: { flights: [{ at: "9:00" }], total: 1 },
          parts: [{ inlineData: { mimeType: "image/png", data: PNG } }],
        },
      },
      { text: "Take it." },
    ],
  },
  {
    role: "model",
    parts: [
      { executableCode: { language: "PYTHON", code: "print(1)" } },
      { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1\n" } },
      { text: "One." },
      { text: "", thoughtSignature: "RU5E" },
    ],
  },
];

/** What the SDK does not allow, and yet comes. */
export const strangeContents: readonly JsonObject[] = [
  { parts: [{ text: "No role." }] },
  { role: "function", parts: [{ functionResponse: { name: "f", response: {} } }] },
  { role: "user", parts: [] },
  { role: "model", parts: [] },
  { role: "model", content: "Of another format." },
  { role: "critic", parts: [{ text: "No." }] },
  { role: "user", parts: ["a text", null, { unknown: 1 }, { text: 7 }, { text: "" }] },
  {
    role: "model",
    parts: [
      { functionCall: {} },
      { functionCall: { id: "", name: "", args: null } },
      { functionCall: { id: "t", name: "as_text", args: "{}" } },
      { functionCall: { name: "more", args: { a: 1 }, willContinue: true }, extra: { b: 2 } },
      { inlineData: { data: 7 } },
      { fileData: { mimeType: "image/png" } },
      { text: "\ud800", thought: "yes" },
    ],
    usage: 3,
  },
  {
    role: "user",
    parts: [
      { functionResponse: {} },
      { functionResponse: { id: "t", name: "as_text", response: { output: 7 } } },
      {
        functionResponse: { id: "t", response: { output: "a", error: "b" }, scheduling: "SILENT" },
      },
      { functionResponse: { name: "more", response: null, parts: [{ odd: 1 }] } },
    ],
  },
];
