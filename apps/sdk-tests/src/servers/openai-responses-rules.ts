import type { JsonObject, JsonValue } from "@agent-history/core";
import * as z from "zod";

import { areUnique, has, isObject, objectsAt, textIn } from "./read-wire.ts";
import { listOrText, partsOrText } from "./wire.ts";
import type { Refused, Rules } from "./wire.ts";

const asks = { role: "user", content: "Which flights?" };
const call = { type: "function_call", call_id: "a", name: "look", arguments: "{}" };
const output = { type: "function_call_output", call_id: "a", output: "" };
const answer = {
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "Two.", annotations: [] }],
};
const thought = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "E" };
const clicks = {
  type: "computer_call",
  id: "cu_1",
  call_id: "a",
  status: "completed",
  action: {},
  pending_safety_checks: [],
};
const shot = { type: "computer_screenshot", image_url: "data:image/png;base64,AAAA" };
const clicked = { type: "computer_call_output", call_id: "a", output: shot };

/** A request for a response, as its rules look at it. */
export interface ResponsesRequest {
  readonly body: JsonObject;
  readonly items: readonly JsonObject[];
}

/** Returns the items of a request; a text is a user's message. */
export function itemsOf(body: JsonObject): readonly JsonObject[] {
  const { input } = body;
  return typeof input === "string" ? [{ role: "user", content: input }] : objectsAt(body, "input");
}

/** Returns the type of an item. */
function kindOf({ type, role }: JsonObject): string {
  return typeof type === "string" ? type : typeof role === "string" ? "message" : "item_reference";
}

/** Calls whose result is an item of its own; what else OpenAI runs by itself holds its result. */
const CALLS = [
  ..."function_call custom_tool_call computer_call local_shell_call shell_call".split(" "),
  ..."apply_patch_call tool_search_call program".split(" "),
];
const OUTPUTS = CALLS.map((kind) =>
  kind === "tool_search_call" ? "tool_search_output" : `${kind}_output`,
);
/** Items of which the server looks at no field but their ids. */
const OTHERS = [
  ..."computer_call local_shell_call shell_call apply_patch_call tool_search_call program".split(
    " ",
  ),
  ..."apply_patch_call_output".split(" "),
  ..."tool_search_output program_output file_search_call web_search_call".split(" "),
  ..."code_interpreter_call image_generation_call mcp_list_tools mcp_call".split(" "),
  ..."mcp_approval_request mcp_approval_response compaction compaction_trigger".split(" "),
  ..."additional_tools configuration_update".split(" "),
];

const any = z.unknown().optional();
const text = z.string().max(10_485_760);
const itemId = z.string().min(1).max(64);
const idOf = (prefix: string) => itemId.startsWith(prefix).nullish();
const name = z.string().regex(/^[\w-]{1,128}$/u);
/** Fields that an answer alone has: https://github.com/openai/openai-python/issues/3146 */
const answerOnly = Object.fromEntries(
  ["parsed", "parsed_arguments", "created_by", "usage"].map((key) => [
    key,
    z.undefined().optional(),
  ]),
);
const part = (...types: readonly string[]) =>
  z.looseObject({ type: z.enum(types), text: text.optional(), ...answerOnly });
const asked = ["input_text", "input_image", "input_file"];
const messageFields = { type: z.literal("message"), id: idOf("msg"), status: any, phase: any };
const callFields = { call_id: itemId, status: any, namespace: any, caller: any };
const outputFields = {
  ...callFields,
  id: itemId.nullish(),
  name: any,
  output: partsOrText("input_text", part(...asked)).or(z.tuple([])),
};

const knownItem = z.discriminatedUnion("type", [
  z.discriminatedUnion("role", [
    z.strictObject({
      ...messageFields,
      role: z.enum(["system", "developer", "user"]),
      content: partsOrText("input_text", part(...asked, "input_audio")),
    }),
    z.strictObject({
      ...messageFields,
      role: z.literal("assistant"),
      content: partsOrText("output_text", part("output_text", "refusal")),
    }),
  ]),
  z.strictObject({
    type: z.literal("reasoning"),
    id: idOf("rs"),
    summary: z.array(z.unknown()),
    content: any,
    encrypted_content: any,
    status: any,
  }),
  z.strictObject({
    type: z.literal("function_call"),
    ...callFields,
    id: idOf("fc"),
    name,
    arguments: z.string(),
    async: any,
  }),
  z.strictObject({
    type: z.literal("custom_tool_call"),
    ...callFields,
    id: idOf("ctc"),
    name,
    input: any,
    async: any,
  }),
  z.strictObject({
    type: z.enum(["function_call_output", "custom_tool_call_output"]),
    ...outputFields,
  }),
  z.looseObject({
    type: z.literal("computer_call_output"),
    call_id: itemId,
    output: z.looseObject({ type: z.literal("computer_screenshot") }),
    ...answerOnly,
  }),
  z.looseObject({
    type: z.enum(["local_shell_call_output", "shell_call_output"]),
    output: z.json().refine((given) => given !== null),
    ...answerOnly,
  }),
  z.looseObject({
    type: z.enum(OTHERS),
    id: itemId.nullish(),
    call_id: itemId.nullish(),
    ...answerOnly,
  }),
]);
const anyItem = z.preprocess(
  (one) => (isObject(one) ? { ...one, type: kindOf(one) } : one),
  knownItem,
);

const rules: Rules<ResponsesRequest> = {
  "orphan-result": {
    source: "https://github.com/openai/openai-agents-js/issues/345",
    answer: "No tool call found for function call output with call_id a.",
    refused: sending(asks, output),
    breaks: ({ items }) => pairingOf(items).isOrphan,
  },
  "unanswered-call": {
    source: "https://github.com/openai/openai-agents-js/issues/345",
    answer: "No tool output found for function call a.",
    refused: sending(asks, call, asks),
    breaks: ({ items }) => pairingOf(items).isUnanswered,
  },
  "duplicate-call-id": {
    source: "https://developers.openai.com/api/docs/guides/function-calling",
    answer: "Duplicate function call with call_id a.",
    refused: sending(asks, call, call, output),
    breaks: ({ items }) => pairingOf(items).isDouble,
  },
  "reasoning-alone": {
    source: "https://github.com/continuedev/continue/issues/8933",
    answer: "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
    refused: sending(asks, thought, asks),
    breaks: ({ items }) =>
      items.some((item, index) => kindOf(item) === "reasoning" && !isLedTo(items[index + 1])),
  },
  "reasoning-cut": {
    source: "https://github.com/mpfaffenberger/code_puppy/issues/853",
    answer:
      "Item 'msg_1_of_rs_1' of type 'message' was provided without its required 'reasoning' item: 'rs_1'.",
    refused: sending(asks, { ...answer, id: "msg_1_of_rs_1" }, asks),
    // Not where nothing is stored: https://github.com/jin-bo/agentao/pull/321
    breaks: ({ body, items }) =>
      body["store"] !== false && items.some((item) => lacksReasoning(item, items)),
  },
  "reasoning-not-stored": {
    source: "https://github.com/Wei-Shaw/sub2api/issues/2068",
    answer:
      "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.",
    refused: {
      ...sending(asks, { ...thought, encrypted_content: null }, answer, asks),
      store: false,
    },
    breaks: ({ body, items }) =>
      body["store"] === false &&
      items.some(
        (item) =>
          kindOf(item) === "reasoning" && has(item, "id") && !has(item, "encrypted_content"),
      ),
  },
  "duplicate-item-id": {
    source: "https://github.com/earendil-works/pi/issues/5151",
    answer:
      "Duplicate item found with id msg_1. Remove duplicate items from your input and try again.",
    refused: sending(asks, answer, asks, answer, asks),
    breaks: ({ items }) => !areUnique(idsOf(items)),
  },
  "safety-check-pending": {
    source: "https://developers.openai.com/api/docs/guides/tools-computer-use",
    answer: "Computer call has pending safety checks that were not acknowledged.",
    refused: sending(asks, { ...clicks, pending_safety_checks: [{ id: "s" }] }, clicked),
    breaks: ({ items }) => items.some((item) => isUnchecked(item, items)),
  },
  "orphan-approval": {
    source: "https://developers.openai.com/api/docs/guides/tools-connectors-mcp",
    answer: "No approval request found for approval response with id mcpr_1.",
    refused: sending(asks, {
      type: "mcp_approval_response",
      approval_request_id: "mcpr_1",
      approve: true,
    }),
    breaks: ({ items }) =>
      items.some(
        ({ approval_request_id: id, type }, index) =>
          type === "mcp_approval_response" &&
          !items.slice(0, index).some((item) => item["id"] === id),
      ),
  },
  "trigger-not-last": {
    source: "https://github.com/bman654/clodex/issues/53",
    answer: "compaction_trigger must be the last item of the input.",
    refused: sending({ type: "compaction_trigger" }, asks),
    breaks: ({ items }) => items.slice(0, -1).some((item) => kindOf(item) === "compaction_trigger"),
  },
};

/** What OpenAI's Responses API refuses. */
export const openaiResponses: Refused<ResponsesRequest> = {
  reference: "https://github.com/openai/openai-openapi/blob/master/openapi.yaml",
  // There are no stored responses.
  shape: z.looseObject({
    input: listOrText(anyItem, (content) => ({ role: "user", content })),
    previous_response_id: z.null().optional(),
  }),
  misshapen: {
    input: sending(),
    previous_response_id: { ...sending(asks), previous_response_id: "resp_0" },
    "input.type": sending(asks, { type: "tool_use", id: "a", name: "look", input: {} }),
    "input.role": sending({ role: "critic", content: "No." }),
    "input.content": sending({ role: "user", content: [] }),
    "input.content.type": sending(
      { role: "assistant", content: [{ type: "input_text", text: "Two." }] },
      asks,
    ),
    "input.call_id": sending(
      asks,
      { ...call, call_id: "a".repeat(70) },
      { ...output, call_id: "a".repeat(70) },
    ),
    // https://github.com/nodetool-ai/nodetool/issues/4252, https://github.com/NousResearch/hermes-agent/issues/10788
    "input.id": sending(asks, { ...call, id: "call_1" }, output),
    // https://github.com/newo-ether/Agora/issues/141
    "input.summary": sending(asks, { type: "reasoning", encrypted_content: "E" }, answer, asks),
    "input.arguments": sending(asks, { ...call, arguments: {} }, output),
    "input.name": sending(asks, { ...call, name: "look up" }, output),
    "input.output": sending(asks, call, { ...output, output: null }),
    "input.parsed_arguments": sending(asks, { ...call, parsed_arguments: {} }, output),
  },
  read: (body) => ({ body, items: itemsOf(body) }),
  rules,
};

function pairingOf(items: readonly JsonObject[]): {
  readonly isOrphan: boolean;
  readonly isUnanswered: boolean;
  readonly isDouble: boolean;
} {
  const open = new Set<string>();
  let [isOrphan, isDouble] = [false, false];
  for (const item of items) {
    const kind = kindOf(item);
    // The provider answers its own search for tools.
    if (kind.startsWith("tool_search") && !has(item, "call_id")) continue;
    const key = (nth: number, id: JsonValue | undefined): string => `${nth} ${textIn(id)}`;
    const called = CALLS.indexOf(kind);
    if (called >= 0) {
      isDouble ||= open.has(key(called, item["call_id"]));
      open.add(key(called, item["call_id"]));
    }
    const answered = OUTPUTS.indexOf(kind);
    const id = kind === "local_shell_call_output" ? item["id"] : item["call_id"];
    if (answered >= 0) isOrphan = !open.delete(key(answered, id)) || isOrphan;
  }
  return { isOrphan, isUnanswered: open.size > 0, isDouble };
}

/** An assistant's message, a call, or more reasoning. */
function isLedTo(item: JsonObject | undefined): boolean {
  if (item === undefined) return false;
  const kind = kindOf(item);
  if (kind === "message") return item["role"] === "assistant";
  return !/_output$|^configuration_update$|^additional_tools$|^compaction_trigger$/u.test(kind);
}

/** This server's ids name the reasoning that an item came with: `msg_1_of_rs_1`. */
function lacksReasoning({ id }: JsonObject, items: readonly JsonObject[]): boolean {
  const [, reasoning] = /_of_(rs_\w+)$/u.exec(textIn(id)) ?? [];
  return reasoning !== undefined && !items.some((item) => item["id"] === reasoning);
}

function idsOf(items: readonly JsonObject[]): readonly string[] {
  return items.flatMap((item) =>
    has(item, "id") && kindOf(item) !== "local_shell_call_output" ? [textIn(item["id"])] : [],
  );
}

function isUnchecked(item: JsonObject, items: readonly JsonObject[]): boolean {
  if (kindOf(item) !== "computer_call") return false;
  const given = items.find(
    (one) => kindOf(one) === "computer_call_output" && one["call_id"] === item["call_id"],
  );
  const acknowledged = new Set(objectsAt(given, "acknowledged_safety_checks").map(({ id }) => id));
  return objectsAt(item, "pending_safety_checks").some(({ id }) => !acknowledged.has(id));
}

function sending(...input: readonly JsonObject[]): JsonObject {
  return { model: "gpt-5.1", input };
}
