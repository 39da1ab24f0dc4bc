import type { JsonObject } from "@agent-history/core";
import * as z from "zod";

import type { JudgedThought } from "./bound-reasoning.ts";
import { has, isObject, objectAt, objectsAt, textIn } from "./read-wire.ts";
import type { Refused, Rules } from "./wire.ts";

const docs = "https://ai.google.dev/gemini-api/docs";
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
function readGemini(body: JsonObject): GeminiRequest {
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

/** The fields of a part: those that hold something, and those that say how. */
const DATA = [
  ..."text inlineData fileData executableCode codeExecutionResult toolCall toolResponse".split(" "),
  ..."audioTranscription functionCall functionResponse".split(" "),
];
const FIELDS = [
  ...DATA,
  ..."thought thoughtSignature videoMetadata mediaResolution partMetadata".split(" "),
  ..."mediaProcessing speechMetadata".split(" "),
];
const struct = z.record(z.string(), z.unknown()).nullish();
const called = z.looseObject({
  name: z.string().regex(/^[a-zA-Z_][\w.:-]{0,63}$/u),
  args: struct,
});
const absent = z.undefined().optional();

function contentOf(role: "user" | "model", own: z.ZodRawShape) {
  const fields: z.ZodRawShape = {
    ...Object.fromEntries(FIELDS.map((field) => [field, z.unknown().optional()])),
    thoughtSignature: z.string().refine(isSigned).optional(),
    ...own,
  };
  const part = z
    .strictObject(fields)
    .refine(
      (given) => "thoughtSignature" in given || DATA.some((key) => (given[key] ?? "") !== ""),
      { path: ["data"] },
    );
  return z.strictObject({ role: z.literal(role), parts: z.array(part).min(1) });
}
const ofUser = contentOf("user", {
  functionCall: absent,
  functionResponse: z.looseObject({ response: struct }).nullish(),
});
const ofModel = contentOf("model", { functionCall: called.nullish(), functionResponse: absent });

const rules: Rules<GeminiRequest> = {
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
  "missing-signature": {
    source: signaturesPage,
    answer: "Function call `look` in the `2.` content block is missing a `thought_signature`.",
    refused: sending(asks, { role: "model", parts: [{ functionCall: look }] }, responds),
    breaks: (request) =>
      stepsOf(request).some((step) => step.length > 0 && !has(step[0] ?? {}, "thoughtSignature")),
  },
};

/** What Gemini's `generateContent` refuses. */
export const gemini: Refused<GeminiRequest> = {
  reference: "https://ai.google.dev/api/caching#Content",
  shape: z.looseObject({
    contents: z
      .array(
        z.preprocess(
          (content) =>
            isObject(content) && content["role"] === "function"
              ? { ...content, role: "user" }
              : content,
          z.discriminatedUnion("role", [ofUser, ofModel]),
        ),
      )
      .min(1),
  }),
  misshapen: {
    contents: sending(),
    // https://github.com/BerriAI/litellm/issues/20806
    "contents.role": sending(asks, { role: "critic", parts: [{ text: "No." }] }, asks),
    // https://github.com/crewAIInc/crewAI/issues/7134
    "contents.parts": sending(asks, { role: "model", parts: [] }, asks),
    "contents.parts.data": sending({ role: "user", parts: [{ text: "" }] }),
    "contents.parts.functionCall": sending({ role: "user", parts: [call] }, responds),
    "contents.parts.functionCall.name": sending(asks, callBy({ name: "look up" }), {
      role: "user",
      parts: [{ functionResponse: { name: "look up", response: {} } }],
    }),
    "contents.parts.functionCall.args": sending(
      asks,
      callBy({ name: "look", args: "{}" }),
      responds,
    ),
    "contents.parts.thoughtSignature": sending(
      asks,
      { role: "model", parts: [{ functionCall: look, thoughtSignature: "none" }] },
      responds,
    ),
    "contents.usage": sending({ ...asks, usage: 3 }),
  },
  read: readGemini,
  rules,
};

function callBy(made: JsonObject): JsonObject {
  return { role: "model", parts: [{ functionCall: made, thoughtSignature: signCall(made) }] };
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
