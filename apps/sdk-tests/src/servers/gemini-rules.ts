import type { JsonObject } from "@agent-history/core";

import type { JudgedThought } from "./bound-reasoning.ts";
import {
  has,
  hasHalfSurrogate,
  hasOnly,
  isObject,
  objectAt,
  objectsAt,
  textIn,
} from "./read-wire.ts";
import type { Rules } from "./wire.ts";

const docs = "https://ai.google.dev/gemini-api/docs";
const reference = "https://ai.google.dev/api/caching#Content";
const signaturesPage = `${docs}/thought-signatures`;

const SIGNED = "signed by this server: ";

const asks = { role: "user", parts: [{ text: "Which flights?" }] };
const says = { role: "model", parts: [{ text: "Two." }] };
const look = { name: "look", args: {} };
const call = { functionCall: look, thoughtSignature: signCall(look) };
const calls = callBy(look);
const response = { functionResponse: { name: "look", response: { output: "Two." } } };
const responds = { role: "user", parts: [response] };

/** A request to `generateContent`, as its rules look at it; the model stands in its path. */
export interface GeminiRequest {
  readonly body: JsonObject;
  readonly model: string;
  readonly contents: readonly GeminiContent[];
}

interface GeminiContent {
  readonly role: string;
  readonly fields: JsonObject;
  readonly parts: readonly JsonObject[];
  readonly calls: readonly JsonObject[];
  readonly responses: readonly JsonObject[];
}

/** Reads a request. */
export function readGemini(body: JsonObject): GeminiRequest {
  const contents = objectsAt(body, "contents").map((fields): GeminiContent => {
    const parts = objectsAt(fields, "parts");
    return {
      role: fields["role"] === "function" ? "user" : textIn(fields["role"]),
      fields,
      parts,
      calls: parts.filter((part) => has(part, "functionCall")),
      responses: parts.filter((part) => has(part, "functionResponse")),
    };
  });
  return { body, model: textIn(body["model"]), contents };
}

/** Signs a call, as the model that makes it does. */
export function signCall({ name, args }: JsonObject): string {
  return Buffer.from(SIGNED + JSON.stringify([name, args])).toString("base64");
}

function isSigned(signature: string): boolean {
  const text = Buffer.from(signature, "base64").toString();
  return text.startsWith(SIGNED) || DUMMIES.has(signature);
}

/** Returns what becomes of each signature: those of earlier turns are not checked, and a dummy carries no reasoning. */
export function judgeSignatures(body: JsonObject): readonly JudgedThought[] {
  return readGemini(body).contents.flatMap(({ parts }, index) =>
    parts.flatMap((part, place): readonly JudgedThought[] => {
      if (!has(part, "thoughtSignature")) return [];
      const signature = textIn(part["thoughtSignature"]);
      const path = `contents.${index}.parts.${place}`;
      const isLost = DUMMIES.has(signature);
      return [
        {
          path,
          text: signature,
          fate: isLost ? "dropped" : "valid",
          ...(isLost && { reason: "dummy" }),
        },
      ];
    }),
  );
}

/** What stands for a signature that was lost. */
const DUMMIES = new Set([
  "skip_thought_signature_validator",
  "context_engineering_is_the_way_to_go",
]);

const PART_FIELDS = [
  ..."text thought thoughtSignature inlineData fileData functionCall functionResponse".split(" "),
  ..."executableCode codeExecutionResult videoMetadata mediaResolution partMetadata".split(" "),
  ..."toolCall toolResponse audioTranscription mediaProcessing speechMetadata".split(" "),
];
const DATA = new Set(
  "text inlineData fileData functionCall functionResponse executableCode codeExecutionResult toolCall toolResponse audioTranscription".split(
    " ",
  ),
);

/** What Gemini's `generateContent` refuses. */
export const geminiRules: Rules<GeminiRequest> = {
  "no-message": {
    source: reference,
    answer: "* GenerateContentRequest.contents: contents is not specified",
    refused: sending(),
    breaks: ({ contents }) => contents.length === 0,
  },
  "unknown-role": {
    source: "https://github.com/BerriAI/litellm/issues/20806",
    answer: "Please use a valid role: user, model.",
    refused: sending(asks, { role: "critic", parts: [{ text: "No." }] }, asks),
    breaks: ({ contents }) => contents.some(({ role }) => role !== "user" && role !== "model"),
  },
  "first-not-user": {
    source: `${docs}/text-generation`,
    answer: "First content should be with role 'user', got model",
    refused: sending(says, asks),
    breaks: ({ contents }) => contents[0]?.role === "model",
  },
  "last-not-user": {
    source: "https://github.com/crewAIInc/crewAI/issues/6973",
    answer: "Please ensure that multiturn requests ends with a user role or a function response.",
    refused: sending(asks, says),
    breaks: ({ contents }) => contents.at(-1)?.role === "model",
  },
  "empty-content": {
    source: "https://github.com/crewAIInc/crewAI/issues/7134",
    answer: "* GenerateContentRequest.contents[1].parts: contents.parts must not be empty.",
    refused: sending(asks, { role: "model", parts: [] }, asks),
    breaks: ({ contents }) => contents.some(({ parts }) => parts.length === 0),
  },
  "empty-part": {
    source: "https://github.com/crewAIInc/crewAI/issues/7134",
    answer:
      "* GenerateContentRequest.contents[0].parts[0].data: required oneof field 'data' must have one initialized field",
    refused: sending({ role: "user", parts: [{ text: "" }] }),
    breaks: ({ contents }) =>
      contents.some(({ parts }) =>
        parts.some(
          (part) =>
            !has(part, "thoughtSignature") &&
            !Object.keys(part).some((key) => DATA.has(key) && part[key] !== "" && has(part, key)),
        ),
      ),
  },
  "call-after-model": {
    source: "https://github.com/google-gemini/gemini-cli/issues/26486",
    answer:
      "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
    refused: sending(asks, says, calls, responds),
    breaks: ({ contents }) =>
      contents.some(
        ({ role, calls: made }, index) =>
          role === "model" && made.length > 0 && contents[index - 1]?.role !== "user",
      ),
  },
  "unequal-responses": {
    source: "https://github.com/google-gemini/gemini-cli/issues/17208",
    answer:
      "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
    refused: sending(asks, { role: "model", parts: [call, { functionCall: look }] }, responds),
    breaks: ({ contents }) =>
      contents.some((one, index) => {
        const next = contents[index + 1];
        return one.calls.length > 0 && next?.responses.length !== one.calls.length;
      }),
  },
  "orphan-response": {
    source: `${docs}/function-calling`,
    answer:
      "Please ensure that function response turn comes immediately after a function call turn.",
    refused: sending(asks, responds),
    breaks: ({ contents }) =>
      contents.some((one, index) => {
        const calling = contents[index - 1]?.calls ?? [];
        const asked = new Set(calling.map((part) => nameIn(part, "functionCall")));
        return one.responses.some((part) => !asked.has(nameIn(part, "functionResponse")));
      }),
  },
  "part-of-another-role": {
    source: signaturesPage,
    answer:
      "Function calls stand in contents of the model, function responses in contents of the user.",
    refused: sending({ role: "user", parts: [call] }, responds),
    breaks: ({ contents }) =>
      contents.some((one) => (one.role === "model" ? one.responses : one.calls).length > 0),
  },
  "missing-signature": {
    source: signaturesPage,
    answer: "Function call `look` in the `2.` content block is missing a `thought_signature`.",
    refused: sending(asks, { role: "model", parts: [{ functionCall: look }] }, responds),
    breaks: (request) =>
      stepsOf(request).some((step) => step.length > 0 && !has(step[0] ?? {}, "thoughtSignature")),
  },
  "corrupted-signature": {
    source: "https://docs.apiyi.com/en/faq/gemini-thought-signature-missing",
    answer: "Corrupted thought signature.",
    refused: sending(
      asks,
      { role: "model", parts: [{ functionCall: look, thoughtSignature: "none" }] },
      responds,
    ),
    breaks: (request) =>
      stepsOf(request).some(([first = {}]) => {
        const signature = textIn(first["thoughtSignature"]);
        return signature !== "" && !isSigned(signature);
      }),
  },
  "unknown-field": {
    source: reference,
    answer:
      "Invalid JSON payload received. Unknown name \"usage\" at 'contents[0]': Cannot find field.",
    refused: sending({ ...asks, usage: 3 }),
    breaks: ({ contents }) =>
      contents.some(
        ({ fields, parts }) =>
          !hasOnly(fields, ["role", "parts"]) || parts.some((part) => !hasOnly(part, PART_FIELDS)),
      ),
  },
  "odd-tool-name": {
    source: `${docs}/function-calling`,
    answer:
      "Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.) or dashes (-), with a maximum length of 64.",
    refused: sending(asks, callBy({ name: "look up" }), {
      role: "user",
      parts: [{ functionResponse: { name: "look up", response: {} } }],
    }),
    breaks: ({ contents }) =>
      contents.some((one) =>
        one.calls.some((part) => !/^[a-zA-Z_][\w.:-]{0,63}$/u.test(nameIn(part, "functionCall"))),
      ),
  },
  "not-a-struct": {
    source: reference,
    answer:
      "Invalid value at 'contents[1].parts[0].function_call.args' (type.googleapis.com/google.protobuf.Struct), \"{}\"",
    refused: sending(asks, callBy({ name: "look", args: "{}" }), responds),
    breaks: ({ contents }) =>
      contents.some(
        (one) =>
          one.calls.some((part) => !isStruct(objectAt(part, "functionCall"), "args")) ||
          one.responses.some((part) => !isStruct(objectAt(part, "functionResponse"), "response")),
      ),
  },
  "half-surrogate": {
    source: "https://github.com/elizaOS/eliza/issues/18079",
    answer: "Invalid JSON payload received. Invalid UTF-16: unpaired surrogate.",
    refused: sending({ role: "user", parts: [{ text: "So \ud83d." }] }),
    breaks: ({ body }) => hasHalfSurrogate(body),
  },
};

function callBy(made: JsonObject): JsonObject {
  return { role: "model", parts: [{ functionCall: made, thoughtSignature: signCall(made) }] };
}

function isStruct(value: JsonObject, key: string): boolean {
  return !has(value, key) || isObject(value[key]);
}

function nameIn(part: JsonObject, key: string): string {
  return textIn(objectAt(part, key)["name"]);
}

/** The calls of each step since the newest content of the user that is no response, for models that sign. */
function stepsOf({ model, contents }: GeminiRequest): readonly (readonly JsonObject[])[] {
  if (/gemini-[12][.-]/u.test(model)) return [];
  const start = contents.findLastIndex(
    ({ role, responses }) => role === "user" && responses.length === 0,
  );
  return contents.slice(start).map((one) => one.calls);
}

function sending(...contents: readonly JsonObject[]): JsonObject {
  return { model: "gemini-3-pro", contents };
}
