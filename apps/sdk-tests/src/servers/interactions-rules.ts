import type { JsonObject } from "@agent-history/core";
import * as z from "zod";

import { hasOrphan, hasUnanswered, pairedTurns } from "./paired-turns.ts";
import type { PairedTurn } from "./paired-turns.ts";
import { areUnique, objectsAt, textIn } from "./read-wire.ts";
import { listOrText } from "./wire.ts";
import type { Refused, Rules } from "./wire.ts";

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
  readonly turns: readonly PairedTurn<JsonObject>[];
}

/** Reads a request. */
function readInteractions(body: JsonObject): InteractionsRequest {
  const text = textIn(body["input"]);
  const steps =
    text === "" ? objectsAt(body, "input") : [{ ...asks, content: [{ type: "text", text }] }];
  const turns = pairedTurns(steps, ({ type, id, call_id: callId }) => ({
    by: SPEAKERS.get(type) ?? "model",
    calls: type === "function_call" ? [textIn(id)] : [],
    results: type === "function_result" ? [textIn(callId)] : [],
  }));
  return { body, turns };
}

const SPEAKERS: ReadonlyMap<unknown, string> = new Map([
  ["user_input", "user"],
  ["function_result", "tool"],
]);

/** Returns the thought before calls, as the model that makes them signs it. */
export function signThought(calls: readonly JsonObject[]): JsonObject {
  const text = SIGNED + JSON.stringify(calls.map(({ id }) => id ?? null));
  return { type: "thought", signature: Buffer.from(text).toString("base64") };
}

function isSigned(signature: string): boolean {
  const text = Buffer.from(signature, "base64").toString();
  return signature === DUMMY || text.startsWith(SIGNED);
}

const OF_API = "code_execution file_search google_maps google_search mcp_server_tool processing";
const OTHERS = `${OF_API} retrieval url_context`
  .split(" ")
  .flatMap((one) => [`${one}_call`, `${one}_result`]);
const someText = z.string().min(1);
const knownContent = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text"), text: someText }),
  z.looseObject({ type: z.enum(["image", "audio", "document", "video"]) }),
]);
const knownStep = z.discriminatedUnion("type", [
  z.looseObject({
    type: z.enum(["user_input", "model_output"]),
    content: z.array(knownContent).min(1),
  }),
  // https://github.com/googleapis/js-genai/issues/1735
  z.looseObject({ type: z.literal("thought"), signature: someText.refine(isSigned) }),
  z.looseObject({
    type: z.literal("function_call"),
    id: someText,
    name: z.string().regex(/^[a-zA-Z_][\w.:-]{0,63}$/u),
    arguments: z.record(z.string(), z.unknown()),
  }),
  z.looseObject({
    type: z.literal("function_result"),
    call_id: someText,
    result: z.array(knownContent).or(z.json()),
  }),
  z.looseObject({ type: z.enum(OTHERS) }),
]);

const rules: Rules<InteractionsRequest> = {
  "first-not-user": {
    source: `${docs}/interactions`,
    answer: "First content should be with role 'user', got model",
    refused: sending(says, asks),
    breaks: ({ turns }) => turns[0]?.by === "model",
  },
  "last-not-user": {
    source: "https://github.com/crewAIInc/crewAI/issues/6973",
    answer: "Please ensure that multiturn requests ends with a user role or a function response.",
    refused: sending(asks, says),
    breaks: ({ turns }) => {
      const last = turns.at(-1);
      return last?.by === "model" && last.items.at(-1)?.["type"] !== "function_call";
    },
  },
  "duplicate-id": {
    source: reference,
    answer: "Required. A unique ID for this specific tool call. Found it twice.",
    refused: sending(asks, thinks, call, result, asks, thinks, call, result),
    breaks: ({ turns }) => !areUnique(turns.flatMap(({ calls }) => calls)),
  },
  "unanswered-call": {
    source: `${docs}/function-calling`,
    answer:
      "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
    refused: sending(asks, thinks, call, asks),
    breaks: ({ turns }) => hasUnanswered(turns),
  },
  "orphan-result": {
    source: `${docs}/function-calling`,
    answer:
      "Please ensure that function response turn comes immediately after a function call turn.",
    refused: sending(asks, result),
    breaks: ({ turns }) => hasOrphan(turns),
  },
  "missing-signature": {
    source: "https://github.com/earendil-works/pi/pull/2172",
    answer: "Function call `look` is missing a `thought_signature`.",
    refused: sending(asks, call, result),
    breaks: ({ body, turns }) => {
      // The answers since the newest input, of models that sign.
      const current = turns.slice(turns.findLastIndex(({ by }) => by === "user"));
      return (
        !/gemini-[12][.-]/u.test(textIn(body["model"])) &&
        current.some(
          ({ items, calls }) => calls.length > 0 && !items.some(({ type }) => type === "thought"),
        )
      );
    },
  },
};

/** What Gemini's Interactions API refuses where it keeps no state. */
export const interactions: Refused<InteractionsRequest> = {
  reference,
  shape: z.looseObject({
    input: listOrText(knownStep, (text) => ({
      type: "user_input",
      content: [{ type: "text", text }],
    })),
  }),
  misshapen: {
    input: sending(),
    "input.type": sending(asks, { type: "critic" }, asks),
    // https://github.com/crewAIInc/crewAI/issues/7134
    "input.content": sending({ type: "user_input", content: [] }),
    "input.content.text": sending({ type: "user_input", content: [{ type: "text", text: "" }] }),
    "input.content.type": sending({ type: "user_input", content: [{ type: "tool_use" }] }),
    "input.id": sending(asks, thinks, { ...call, id: "" }, { ...result, call_id: "" }),
    "input.signature": sending(asks, { type: "thought", signature: "" }, says, asks),
    "input.arguments": sending(asks, thinks, { ...call, arguments: "{}" }, result),
    "input.name": sending(asks, thinks, { ...call, name: "look up" }, result),
  },
  read: readInteractions,
  rules,
};

function sending(...input: readonly JsonObject[]): JsonObject {
  return { model: "gemini-3-pro", store: false, input };
}
