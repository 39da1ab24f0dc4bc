import type { JsonObject, JsonValue } from "@agent-history/core";

import {
  areUnique,
  has,
  hasHalfSurrogate,
  hasOnly,
  isObject,
  objectAt,
  objectsAt,
  textIn,
} from "./read-wire.ts";
import type { Rules } from "./wire.ts";

const apiPage = "https://platform.openai.com/docs/api-reference/responses/create";
const callsPage = "https://developers.openai.com/api/docs/guides/function-calling";
const statePage = "https://developers.openai.com/api/docs/guides/conversation-state";
const spec = "https://github.com/openai/openai-openapi/blob/master/openapi.yaml";
const types =
  "https://github.com/openai/openai-node/blob/master/src/resources/responses/responses.ts";

const asks = { role: "user", content: "Which flights?" };
const call = { type: "function_call", call_id: "a", name: "look", arguments: "{}" };
const output = { type: "function_call_output", call_id: "a", output: "" };
const tool = { type: "function", name: "look", parameters: {}, strict: false };
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
  readonly tools: readonly JsonObject[];
}

/** Reads a request. */
export function readResponses(body: JsonObject): ResponsesRequest {
  const tools = objectsAt(body, "tools").filter(({ type }) => type === "function");
  return { body, items: itemsOf(body), tools };
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

/** What ids of items begin with. */
const PREFIXES: Readonly<Record<string, string>> = {
  message: "msg",
  reasoning: "rs",
  function_call: "fc",
  custom_tool_call: "ctc",
};

/** The fields of items, as the types of the SDK name them; of other items those that an answer alone has are refused. */
const FIELDS: Readonly<Record<string, string>> = {
  message: "id role content status phase",
  reasoning: "id summary content encrypted_content status",
  function_call: "id call_id name arguments status namespace caller async",
  function_call_output: "id call_id output status name namespace caller",
  custom_tool_call: "id call_id name input namespace caller async status",
  custom_tool_call_output: "id call_id output caller status",
};
const OUTPUT_ONLY = ["parsed", "parsed_arguments", "created_by", "usage"];

/** What OpenAI's Responses API refuses. */
export const openaiResponsesRules: Rules<ResponsesRequest> = {
  "no-message": {
    source: apiPage,
    answer: "Missing required parameter: 'input'.",
    refused: sending(),
    breaks: ({ items }) => items.length === 0,
  },
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
    source: callsPage,
    answer: "Duplicate function call with call_id a.",
    refused: sending(asks, call, call, output),
    breaks: ({ items }) => pairingOf(items).isDouble,
  },
  "odd-call-id": {
    source: spec,
    answer:
      "Invalid 'input[1].call_id': string too long. Expected a string with maximum length 64, but got a string with length 70 instead.",
    refused: sending(
      asks,
      { ...call, call_id: "a".repeat(70) },
      { ...output, call_id: "a".repeat(70) },
    ),
    breaks: ({ items }) =>
      items.some(({ call_id: id }) => typeof id === "string" && (id === "" || id.length > 64)),
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
  "reasoning-without-summary": {
    source: "https://github.com/newo-ether/Agora/issues/141",
    answer: "Missing required parameter: 'input[1].summary'.",
    refused: sending(asks, { type: "reasoning", encrypted_content: "E" }, answer, asks),
    breaks: ({ items }) =>
      items.some((item) => kindOf(item) === "reasoning" && !Array.isArray(item["summary"])),
  },
  "duplicate-item-id": {
    source: "https://github.com/earendil-works/pi/issues/5151",
    answer:
      "Duplicate item found with id msg_1. Remove duplicate items from your input and try again.",
    refused: sending(asks, answer, asks, answer, asks),
    breaks: ({ items }) => !areUnique(idsOf(items)),
  },
  "odd-item-id": {
    source: "https://github.com/nodetool-ai/nodetool/issues/4252",
    answer: "Invalid 'input[1].id': 'call_1'. Expected an ID that begins with 'fc'.",
    refused: sending(asks, { ...call, id: "call_1" }, output),
    breaks: ({ items }) =>
      items.some(
        (item) => has(item, "id") && !textIn(item["id"]).startsWith(PREFIXES[kindOf(item)] ?? ""),
      ),
  },
  "long-item-id": {
    source: "https://github.com/NousResearch/hermes-agent/issues/10788",
    answer:
      "Invalid 'input[1].id': string too long. Expected a string with maximum length 64, but got a string with length 73 instead.",
    refused: sending(asks, { ...call, id: `fc_${"a".repeat(70)}` }, output),
    breaks: ({ items }) =>
      items.some(({ id }) => typeof id === "string" && (id === "" || id.length > 64)),
  },
  "empty-content": {
    source: apiPage,
    answer:
      "Invalid 'input[0].content': empty array. Expected an array with minimum length 1, but got an empty array instead.",
    refused: sending({ role: "user", content: [] }),
    breaks: ({ items }) =>
      items.some(
        (item) =>
          kindOf(item) === "message" &&
          typeof item["content"] !== "string" &&
          objectsAt(item, "content").length === 0,
      ),
  },
  "missing-model": {
    source: apiPage,
    answer: "Missing required parameter: 'model'.",
    refused: { input: [asks] },
    breaks: ({ body }) => typeof body["model"] !== "string",
  },
  "unknown-response": {
    source: statePage,
    answer: "Previous response with id 'resp_0' not found.",
    refused: { ...sending(asks), previous_response_id: "resp_0" },
    breaks: ({ body }) => has(body, "previous_response_id"),
  },
  "unknown-item": {
    source: statePage,
    answer: "Item with id 'item_0' not found.",
    refused: sending(asks, { type: "item_reference", id: "item_0" }, asks),
    breaks: ({ items }) => items.some((item) => kindOf(item) === "item_reference"),
  },
  "unknown-kind": {
    source: spec,
    answer:
      "Invalid value: 'tool_use'. Supported values are: 'message', 'reasoning', 'function_call', 'function_call_output', and others.",
    refused: sending(asks, { type: "tool_use", id: "a", name: "look", input: {} }),
    breaks: ({ items }) => items.some((item) => !KINDS.has(kindOf(item))),
  },
  "unknown-role": {
    source: apiPage,
    answer:
      "Invalid value: 'critic'. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
    refused: sending({ role: "critic", content: "No." }),
    breaks: ({ items }) =>
      items.some(
        (item) =>
          kindOf(item) === "message" &&
          !["system", "developer", "user", "assistant"].includes(textIn(item["role"])),
      ),
  },
  "part-of-another-role": {
    source: apiPage,
    answer: "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
    refused: sending({ role: "assistant", content: [{ type: "input_text", text: "Two." }] }, asks),
    breaks: ({ items }) => items.some(hasOddPart),
  },
  "arguments-not-text": {
    source: spec,
    answer: "Invalid type for 'input[1].arguments': expected a string, but got an object instead.",
    refused: sending(asks, { ...call, arguments: {} }, output),
    breaks: ({ items }) =>
      items.some(
        (item) => kindOf(item) === "function_call" && typeof item["arguments"] !== "string",
      ),
  },
  "odd-tool-name": {
    source: spec,
    answer:
      "Invalid 'input[1].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    refused: { ...sending(asks), tools: [{ ...tool, name: "look up" }] },
    breaks: ({ items, tools }) =>
      [
        ...tools,
        ...items.filter((item) => /^(function|custom_tool)_call$/u.test(kindOf(item))),
      ].some(({ name }) => !/^[\w-]{1,128}$/u.test(textIn(name))),
  },
  "duplicate-tool-name": {
    source: callsPage,
    answer: "Tool names must be unique.",
    refused: { ...sending(asks), tools: [tool, tool] },
    breaks: ({ tools }) => !areUnique(tools.map(({ name }) => name)),
  },
  "missing-output": {
    source: callsPage,
    answer: "Missing required parameter: 'input[2].output'.",
    refused: sending(asks, call, { ...output, output: null }),
    breaks: ({ items }) =>
      items.some(
        (item) =>
          kindOf(item).endsWith("_call_output") &&
          kindOf(item) !== "apply_patch_call_output" &&
          !has(item, "output"),
      ),
  },
  "output-not-screenshot": {
    source: types,
    answer: "Invalid value for 'input[2].output': expected a computer_screenshot.",
    refused: sending(asks, clicks, { ...clicked, output: "Clicked." }),
    breaks: ({ items }) =>
      items.some(
        (item) =>
          kindOf(item) === "computer_call_output" &&
          objectAt(item, "output")["type"] !== "computer_screenshot",
      ),
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
  "unknown-field": {
    source: "https://github.com/openai/openai-python/issues/3146",
    answer: "Unknown parameter: 'input[1].parsed_arguments'.",
    refused: sending(asks, { ...call, parsed_arguments: {} }, output),
    breaks: ({ items }) => items.some(hasUnknownField),
  },
  "long-text": {
    source: spec,
    answer:
      "Invalid 'input[0].content': string too long. Expected a string with maximum length 10485760, but got a string with length 10485761 instead.",
    refused: sending({ role: "user", content: "a".repeat(10_485_761) }),
    breaks: ({ items }) =>
      items.some(({ content, output: given }) => isLong(content) || isLong(given)),
  },
  "half-surrogate": {
    source: "https://github.com/elizaOS/eliza/issues/18079",
    answer:
      "We could not parse the JSON body of your request. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.",
    refused: sending({ role: "user", content: "So \ud83d." }),
    breaks: ({ body }) => hasHalfSurrogate(body),
  },
};

const KINDS = new Set([
  ...CALLS,
  ...OUTPUTS,
  ..."message reasoning item_reference file_search_call web_search_call code_interpreter_call".split(
    " ",
  ),
  ..."image_generation_call mcp_list_tools mcp_call mcp_approval_request mcp_approval_response".split(
    " ",
  ),
  ..."compaction compaction_trigger additional_tools configuration_update".split(" "),
]);

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

/** An answer is made of outputs, and what it answers of inputs. */
function hasOddPart(item: JsonObject): boolean {
  const parts = kindOf(item) === "message" ? objectsAt(item, "content") : objectsAt(item, "output");
  const isAnswer = kindOf(item) === "message" && item["role"] === "assistant";
  const isOutput = /^(function_call|custom_tool_call)_output$/u.test(kindOf(item));
  if (kindOf(item) !== "message" && !isOutput) return false;
  const inputs = isOutput ? /^input_(text|image|file)$/u : /^input_(text|image|file|audio)$/u;
  const allowed = isAnswer ? /^(output_text|refusal)$/u : inputs;
  return parts.some(({ type }) => !allowed.test(textIn(type)));
}

function isUnchecked(item: JsonObject, items: readonly JsonObject[]): boolean {
  if (kindOf(item) !== "computer_call") return false;
  const given = items.find(
    (one) => kindOf(one) === "computer_call_output" && one["call_id"] === item["call_id"],
  );
  const acknowledged = new Set(objectsAt(given, "acknowledged_safety_checks").map(({ id }) => id));
  return objectsAt(item, "pending_safety_checks").some(({ id }) => !acknowledged.has(id));
}

function hasUnknownField(item: JsonObject): boolean {
  const kind = kindOf(item);
  const known = FIELDS[kind]?.split(" ");
  return (
    OUTPUT_ONLY.some((key) => key in item) ||
    (known !== undefined && !hasOnly(item, ["type", ...known])) ||
    objectsAt(item, "content").some((part) => OUTPUT_ONLY.some((key) => key in part))
  );
}

function isLong(value: JsonValue | undefined): boolean {
  const texts = Array.isArray(value)
    ? value.map((part: JsonValue) => (isObject(part) ? textIn(part["text"]) : ""))
    : [textIn(value)];
  return texts.some((text) => text.length > 10_485_760);
}

function sending(...input: readonly JsonObject[]): JsonObject {
  return { model: "gpt-5.1", input };
}
