import type { JsonObject, JsonValue } from "@agent-history/core";

import { areUnique, has, hasHalfSurrogate, isObject, objectsAt, textIn } from "./read-wire.ts";
import type { Rules } from "./wire.ts";

const docs = "https://ai.google.dev/gemini-api/docs";
const reference = "https://ai.google.dev/api/interactions-api";

const SIGNED = "signed by this server: ";
const DUMMY = "skip_thought_signature_validator";

const asks = { type: "user_input", content: [{ type: "text", text: "Which flights?" }] };
const says = { type: "model_output", content: [{ type: "text", text: "Two." }] };
const call = { type: "function_call", id: "c1", name: "look", arguments: {} };
const thinks = signThought([call]);
const result = { type: "function_result", call_id: "c1", name: "look", result: "Two." };

/** A request to `interactions`, as its rules look at it. */
export interface InteractionsRequest {
  readonly body: JsonObject;
  readonly steps: readonly JsonObject[];
  /** Runs of neighboring steps of the model. */
  readonly answers: readonly Answer[];
}

interface Answer {
  /** Where its first step stands. */
  readonly at: number;
  readonly steps: readonly JsonObject[];
  readonly calls: readonly JsonObject[];
}

/** Reads a request. */
export function readInteractions(body: JsonObject): InteractionsRequest {
  const { input } = body;
  const text = textIn(input);
  const steps =
    text === "" ? objectsAt(body, "input") : [{ ...asks, content: [{ type: "text", text }] }];
  const starts = steps.flatMap((step, at) =>
    isOfModel(step) && !isOfModel(steps[at - 1]) ? [at] : [],
  );
  const answers = starts.map((at): Answer => {
    const end = steps.findIndex((step, index) => index > at && !isOfModel(step));
    const run = steps.slice(at, end < 0 ? steps.length : end);
    return { at, steps: run, calls: run.filter(isCall) };
  });
  return { body, steps, answers };
}

function isOfModel(step: JsonObject | undefined): boolean {
  return step !== undefined && step["type"] !== "user_input" && step["type"] !== "function_result";
}

function isCall({ type }: JsonObject): boolean {
  return type === "function_call";
}

/** Returns the thought before calls, as the model that makes them signs it. */
export function signThought(calls: readonly JsonObject[]): JsonObject {
  const text = SIGNED + JSON.stringify(calls.map(({ id }) => id ?? null));
  return { type: "thought", signature: Buffer.from(text).toString("base64") };
}

/** An empty one is another rule's. */
function isSigned(signature: string): boolean {
  const text = Buffer.from(signature, "base64").toString();
  return signature === "" || signature === DUMMY || text.startsWith(SIGNED);
}

const OF_API = "code_execution file_search google_maps google_search mcp_server_tool processing";
const STEPS = new Set([
  ..."user_input model_output thought function_call function_result".split(" "),
  ...`${OF_API} retrieval url_context`
    .split(" ")
    .flatMap((one) => [`${one}_call`, `${one}_result`]),
]);
const CONTENTS = new Set(["text", "image", "audio", "document", "video"]);

/** What Gemini's Interactions API refuses where it keeps no state. */
export const interactionsRules: Rules<InteractionsRequest> = {
  "no-input": {
    source: reference,
    answer: "The input for the interaction is missing.",
    refused: sending(),
    breaks: ({ steps }) => steps.length === 0,
  },
  "unknown-step": {
    source: reference,
    answer: "Request contains an invalid argument: unknown step type.",
    refused: sending(asks, { type: "critic" }, asks),
    breaks: ({ steps }) => steps.some(({ type }) => !STEPS.has(textIn(type))),
  },
  "first-not-user": {
    source: `${docs}/interactions`,
    answer: "First content should be with role 'user', got model",
    refused: sending(says, asks),
    breaks: ({ steps }) => isOfModel(steps[0]),
  },
  "last-not-user": {
    source: "https://github.com/crewAIInc/crewAI/issues/6973",
    answer: "Please ensure that multiturn requests ends with a user role or a function response.",
    refused: sending(asks, says),
    breaks: ({ steps }) => isOfModel(steps.at(-1)) && !isCall(steps.at(-1) ?? {}),
  },
  "empty-step": {
    source: "https://github.com/crewAIInc/crewAI/issues/7134",
    answer: "Request contains an invalid argument: content must not be empty.",
    refused: sending({ type: "user_input", content: [] }),
    breaks: ({ steps }) =>
      steps.some((step) => holdsContent(step) && objectsAt(step, "content").length === 0),
  },
  "empty-text": {
    source: "https://github.com/crewAIInc/crewAI/issues/7134",
    answer: "Request contains an invalid argument: text must not be empty.",
    refused: sending({ type: "user_input", content: [{ type: "text", text: "" }] }),
    breaks: ({ steps }) =>
      steps.some((step) =>
        contentsOf(step).some(({ type, text }) => type === "text" && textIn(text) === ""),
      ),
  },
  "unknown-content": {
    source: reference,
    answer: "Request contains an invalid argument: unknown content type.",
    refused: sending({ type: "user_input", content: [{ type: "tool_use" }] }),
    breaks: ({ steps }) =>
      steps.some((step) => contentsOf(step).some(({ type }) => !CONTENTS.has(textIn(type)))),
  },
  "missing-id": {
    source: reference,
    answer: "Required. A unique ID for this specific tool call.",
    refused: sending(
      asks,
      thinks,
      { type: "function_call", name: "look", arguments: {} },
      { type: "function_result", name: "look", result: "Two." },
    ),
    breaks: ({ steps }) =>
      steps.some((step) => isCall(step) && textIn(step["id"]) === "") ||
      steps.some((step) => isResult(step) && textIn(step["call_id"]) === ""),
  },
  "duplicate-id": {
    source: reference,
    answer: "Required. A unique ID for this specific tool call. Found it twice.",
    refused: sending(asks, thinks, call, result, asks, thinks, call, result),
    breaks: ({ steps }) => !areUnique(steps.filter(isCall).flatMap(({ id }) => id ?? [])),
  },
  "unanswered-call": {
    source: `${docs}/function-calling`,
    answer:
      "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
    refused: sending(asks, thinks, call, asks),
    breaks: (request) =>
      request.answers.some((answer) =>
        answer.calls.some(
          ({ id = null }) => id !== null && !idsBehind(request, answer).includes(id),
        ),
      ),
  },
  "orphan-result": {
    source: `${docs}/function-calling`,
    answer:
      "Please ensure that function response turn comes immediately after a function call turn.",
    refused: sending(asks, result),
    breaks: (request) => {
      const answered = request.answers.flatMap((answer) => {
        const ids = new Set<JsonValue>(answer.calls.flatMap(({ id }) => id ?? []));
        return idsBehind(request, answer).filter((id) => ids.has(id));
      });
      const all = request.steps.filter(isResult).flatMap(({ call_id: id }) => id ?? []);
      return answered.length < all.length;
    },
  },
  "unsigned-thought": {
    source: "https://github.com/googleapis/js-genai/issues/1735",
    answer: "Request contains an invalid argument: a thought has no signature.",
    refused: sending(asks, { type: "thought", signature: "" }, says, asks),
    breaks: ({ steps }) =>
      steps.some(({ type, signature }) => type === "thought" && textIn(signature) === ""),
  },
  "missing-signature": {
    source: "https://github.com/earendil-works/pi/pull/2172",
    answer: "Function call `look` is missing a `thought_signature`.",
    refused: sending(asks, call, result),
    breaks: (request) =>
      currentAnswers(request).some(
        ({ steps, calls }) => calls.length > 0 && !steps.some(({ type }) => type === "thought"),
      ),
  },
  "corrupted-signature": {
    source: `${docs}/thinking`,
    answer: "You MUST always resend all `thought` blocks exactly as they were received.",
    refused: sending(asks, { type: "thought", signature: "none" }, call, result),
    breaks: (request) =>
      currentAnswers(request).some(({ steps }) =>
        steps.some(({ type, signature }) => type === "thought" && !isSigned(textIn(signature))),
      ),
  },
  "not-a-struct": {
    source: reference,
    answer: "Request contains an invalid argument: the arguments are no object.",
    refused: sending(asks, thinks, { ...call, arguments: "{}" }, result),
    breaks: ({ steps }) => steps.some((step) => isCall(step) && !isObject(step["arguments"])),
  },
  "odd-tool-name": {
    source: `${docs}/function-calling`,
    answer:
      "Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.) or dashes (-), with a maximum length of 64.",
    refused: sending(asks, thinks, { ...call, name: "look up" }, { ...result, name: "look up" }),
    breaks: ({ steps }) =>
      steps.some((step) => isCall(step) && !/^[a-zA-Z_][\w.:-]{0,63}$/u.test(textIn(step["name"]))),
  },
  "half-surrogate": {
    source: "https://github.com/elizaOS/eliza/issues/18079",
    answer: "Invalid JSON payload received. Invalid UTF-16: unpaired surrogate.",
    refused: sending({ type: "user_input", content: [{ type: "text", text: "So \ud83d." }] }),
    breaks: ({ body }) => hasHalfSurrogate(body),
  },
};

function isResult({ type }: JsonObject): boolean {
  return type === "function_result";
}

function holdsContent({ type }: JsonObject): boolean {
  return type === "user_input" || type === "model_output";
}

function contentsOf(step: JsonObject): readonly JsonObject[] {
  if (holdsContent(step)) return objectsAt(step, "content");
  return has(step, "result") ? objectsAt(step, "result").filter(() => isResult(step)) : [];
}

/** The ids that the results directly behind an answer name. */
function idsBehind({ steps }: InteractionsRequest, answer: Answer): readonly JsonValue[] {
  const from = answer.at + answer.steps.length;
  const end = steps.findIndex((step, at) => at >= from && !isResult(step));
  return steps.slice(from, end < 0 ? steps.length : end).flatMap(({ call_id: id }) => id ?? []);
}

/** The answers since the newest input, for models that sign. */
function currentAnswers({ body, steps, answers }: InteractionsRequest): readonly Answer[] {
  if (/gemini-[12][.-]/u.test(textIn(body["model"]))) return [];
  const start = steps.findLastIndex(({ type }) => type === "user_input");
  return answers.filter(({ at }) => at > start);
}

function sending(...input: readonly JsonObject[]): JsonObject {
  return { model: "gemini-3-pro", store: false, input };
}
