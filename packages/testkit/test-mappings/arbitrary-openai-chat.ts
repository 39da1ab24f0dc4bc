import type { JsonObject, JsonValue } from "@agent-history/core";
import * as fc from "fast-check";

import { arbitraryText } from "../src/arbitrary-text.ts";
import { arbitraryRecord } from "../src/internal/arbitrary-record.ts";

const text = arbitraryText({ maxLength: 60 });

const textPart: fc.Arbitrary<JsonObject> = arbitraryRecord({ type: fc.constant("text"), text });

const userPart: fc.Arbitrary<JsonObject> = fc.oneof(
  textPart,
  fc.constantFrom<JsonObject[]>(
    { type: "image_url", image_url: { url: "https://example.com/a.png", detail: "low" } },
    { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
    { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } },
    { type: "file", file: { file_id: "file-1" } },
  ),
);

function contentOf(part: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonValue> {
  return fc.oneof(text, fc.array(part, { maxLength: 3 }));
}

/** Few ids, so that they come again. */
const callId = fc.constantFrom("call_1", "call_2", "__proto__", "");

const toolCall: fc.Arbitrary<JsonObject> = fc.oneof(
  arbitraryRecord({
    id: callId,
    type: fc.constant("function"),
    function: arbitraryRecord({ name: fc.constantFrom("search", "read"), arguments: text }),
  }),
  arbitraryRecord({
    id: callId,
    type: fc.constant("custom"),
    custom: arbitraryRecord({ name: fc.constant("python"), input: text }),
  }),
);

const assistant: fc.Arbitrary<JsonObject> = fc.record(
  {
    role: fc.constant("assistant"),
    content: fc.oneof(contentOf(textPart), fc.constant(null)),
    refusal: fc.oneof(text, fc.constant(null)),
    name: fc.constant("worker_a"),
    tool_calls: fc.array(toolCall, { minLength: 1, maxLength: 4 }),
  },
  { requiredKeys: ["role"], noNullPrototype: true },
);

const message: fc.Arbitrary<JsonObject> = fc.oneof(
  arbitraryRecord({ role: fc.constantFrom("system", "developer"), content: contentOf(textPart) }),
  arbitraryRecord({ role: fc.constant("user"), content: contentOf(userPart) }),
  assistant,
  arbitraryRecord({
    role: fc.constant("tool"),
    tool_call_id: callId,
    content: contentOf(textPart),
  }),
);

/** Generates OpenAI chats: calls without results and results without calls are among them. */
export const arbitraryOpenAIChat: fc.Arbitrary<readonly JsonObject[]> = fc.array(message, {
  maxLength: 10,
});
