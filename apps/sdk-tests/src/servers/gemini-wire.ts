import type { JsonObject } from "@agent-history/core";

import { gemini, judgeSignatures, signCall } from "./gemini-rules.ts";
import { halvesOf, objectAt, objectsAt, textIn } from "./read-wire.ts";
import { refusing } from "./wire.ts";
import type { Wire, WireReply } from "./wire.ts";

/** Gemini's `generateContent` and `streamGenerateContent`. It signs the calls that its model makes. */
export const geminiWire: Wire = {
  path: "/v1beta/models/gemini-3-pro:generateContent",
  route: (path) => {
    const [, model, verb] =
      /^\/v1(?:beta)?\/models\/([^/:]+):(generateContent|streamGenerateContent)$/u.exec(path) ?? [];
    return model === undefined ? undefined : { model, isStream: verb === "streamGenerateContent" };
  },
  ...refusing(gemini),
  windowPage: "https://ai.google.dev/gemini-api/docs/models",
  thoughts: judgeSignatures,
  write: (reply, id) => ({
    responseId: id,
    modelVersion: "gemini-3-pro",
    candidates: [
      { index: 0, finishReason: "STOP", content: { role: "model", parts: partsOf(reply) } },
    ],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  }),
  stream: (answer) => {
    const [candidate = {}] = objectsAt(answer, "candidates");
    const chunk = (part: JsonObject): JsonObject => ({
      ...answer,
      candidates: [{ ...candidate, content: { role: "model", parts: [part] } }],
    });
    return objectsAt(objectAt(candidate, "content"), "parts").flatMap((part) => {
      const pieces = halvesOf(textIn(part["text"]));
      return pieces.length === 0 ? [chunk(part)] : pieces.map((text) => chunk({ ...part, text }));
    });
  },
  writeError: (message) => ({ error: { code: 400, message, status: "INVALID_ARGUMENT" } }),
};

function partsOf({ thinking, text, calls = [] }: WireReply): readonly JsonObject[] {
  return [
    ...(thinking === undefined ? [] : [{ text: thinking, thought: true }]),
    ...(text === undefined ? [] : [{ text }]),
    ...calls.map(({ id, name, arguments: given }, index): JsonObject => {
      const args: JsonObject = JSON.parse(given);
      const made = { id, name, args };
      return { functionCall: made, ...(index === 0 && { thoughtSignature: signCall(made) }) };
    }),
  ];
}
