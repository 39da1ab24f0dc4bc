import type { JsonValue } from "@agent-history/core";
import { arbitraryText } from "@agent-history/testkit";
import * as fc from "fast-check";

import type { ChatMessageLike } from "../../src/index.ts";

type Fields = { readonly [key: string]: JsonValue };

const noNullPrototype = true;
const text = arbitraryText({ maxLength: 60 });

/** Fields that no entry has, and such as ours are called. */
const unknownFields: fc.Arbitrary<Fields> = fc.dictionary(
  fc.constantFrom(
    "name",
    "extra",
    "fields",
    "without",
    "inner",
    "as",
    "cache",
    "refusal",
    "__proto__",
  ),
  fc.oneof(text, fc.constantFrom<JsonValue[]>(null, 0, {}, [1], { without: ["role"] })),
  { maxKeys: 2, noNullPrototype },
);

function withUnknown<Message extends ChatMessageLike>(
  message: fc.Arbitrary<Message>,
): fc.Arbitrary<ChatMessageLike> {
  return fc.tuple(message, fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, unknownFields)).map(
    // Spread keeps an own `__proto__`; order is no part of a JSON object.
    ([known, unknown]) => ({ ...unknown, ...known }),
  );
}

const textPart: fc.Arbitrary<JsonValue> = fc.record(
  { type: fc.constant("text"), text },
  { noNullPrototype },
);

const userPart: fc.Arbitrary<JsonValue> = fc.oneof(
  textPart,
  fc.constantFrom<JsonValue[]>(
    { type: "image_url", image_url: { url: "https://example.com/a.png", detail: "low" } },
    { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
    { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } },
    { type: "file", file: { file_id: "file-1", filename: "a.pdf" } },
    { type: "file", file: { file_data: "data:audio/wav;base64,UklGRg==", filename: "c.wav" } },
  ),
);

const strangePart = fc.constantFrom<JsonValue[]>(
  { type: "text" },
  { type: "text", text: "Marked.", cache_control: { type: "ephemeral" } },
  { type: "refusal", refusal: "No." },
  { type: "image_url", image_url: { url: "a", detail: "ultra" }, alt: 1 },
  { type: "input_audio", input_audio: { data: "T2dnUw==", format: "ogg" } },
  { type: "file", file: {} },
  { type: "video_url", video_url: { url: "b" } },
  "bare",
  null,
);

/** Few ids, so that they come again. */
const callId = fc.constantFrom("call_1", "call_2", "__proto__");

function callOf(id: fc.Arbitrary<string>): fc.Arbitrary<Fields> {
  const named = fc.record(
    { name: fc.constantFrom("search", "read"), arguments: text },
    { noNullPrototype },
  );
  const custom = fc.record({ name: fc.constant("python"), input: text }, { noNullPrototype });
  return fc.oneof(
    fc.record({ id, type: fc.constant("function"), function: named }, { noNullPrototype }),
    fc.record({ id, type: fc.constant("custom"), custom }, { noNullPrototype }),
  );
}

const strangeCall = fc.constantFrom<JsonValue[]>(
  { type: "function", function: { name: "no_id", arguments: "{}" } },
  { id: "c", type: "function", function: { name: "read", arguments: { no: "text" } } },
  { id: "", function: { name: "no_type", arguments: "", strict: true } },
  { id: "d", type: "mcp", mcp: {} },
  null,
);

function contentOf(part: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonValue> {
  return fc.oneof(text, fc.array(part, { minLength: 1, maxLength: 3 }));
}

const anyContent: fc.Arbitrary<JsonValue> = fc.oneof(
  contentOf(fc.oneof(userPart, strangePart)),
  fc.constantFrom<JsonValue[]>(null, "", [], 7, { text: "an object" }),
);

const anyAssistant = fc.record(
  {
    role: fc.constant("assistant"),
    content: anyContent,
    refusal: fc.oneof(text, fc.constant(null)),
    reasoning_content: text,
    audio: fc.constantFrom(null, { id: "audio_1" }),
    tool_calls: fc.array(fc.oneof(callOf(callId), strangeCall), { maxLength: 4 }),
    function_call: fc.constantFrom(null, { name: "read", arguments: "{}" }),
  },
  { requiredKeys: ["role"], noNullPrototype },
);

const anyMessage: fc.Arbitrary<ChatMessageLike> = fc.oneof(
  fc.record(
    { role: fc.constantFrom("system", "developer", "user", "critic"), content: anyContent },
    { requiredKeys: ["role"], noNullPrototype },
  ),
  anyAssistant,
  fc.record(
    {
      role: fc.constantFrom("tool", "function"),
      tool_call_id: fc.oneof(callId, fc.constantFrom("", null)),
      name: fc.constantFrom("read", "", null),
      content: anyContent,
    },
    { requiredKeys: ["role"], noNullPrototype },
  ),
);

/** Generates chats: calls without results, results without calls and what OpenAI would never send are among them. */
export const arbitraryChat: fc.Arbitrary<readonly ChatMessageLike[]> = fc.array(
  withUnknown(anyMessage),
  { maxLength: 10 },
);

const said = (role: string, part: fc.Arbitrary<JsonValue>): fc.Arbitrary<ChatMessageLike[]> =>
  fc
    .record({ role: fc.constant(role), content: contentOf(part) }, { noNullPrototype })
    .map((message) => [message]);

const long = arbitraryText({ maxLength: 600 });

/** An answer with calls and their results, in any order. */
const exchange: fc.Arbitrary<ChatMessageLike[]> = fc
  .uniqueArray(callId, { minLength: 1, maxLength: 3 })
  .chain((ids) =>
    fc.tuple(
      fc.oneof(text, fc.constant(null)),
      fc.tuple(...ids.map((id) => callOf(fc.constant(id)))),
      fc.shuffledSubarray(ids, { minLength: ids.length, maxLength: ids.length }),
      fc.array(long, { minLength: ids.length, maxLength: ids.length }),
    ),
  )
  .map(([content, calls, ids, results]) => [
    { role: "assistant", content, tool_calls: calls },
    ...ids.map((id, index) => ({ role: "tool", tool_call_id: id, content: results[index] })),
  ]);

/** Generates chats that OpenAI takes, with long results. */
export const arbitrarySoundChat: fc.Arbitrary<readonly ChatMessageLike[]> = fc
  .array(
    fc.oneof(
      said("system", textPart),
      said("developer", textPart),
      said("user", textPart),
      said("assistant", textPart),
      { weight: 3, arbitrary: exchange },
    ),
    { maxLength: 14 },
  )
  .map((pieces) => pieces.flat());
