import type { JsonObject } from "@agent-history/core";
import { openaiResponsesProblems } from "@agent-history/testkit/provider-rules";

import { openaiResponsesRules } from "./openai-responses-rules.ts";
import { areUnique, brokenRules, halvesOf, objectsAt, textIn } from "./read-wire.ts";
import type { Wire } from "./wire.ts";

const ROLES = new Set(["system", "developer", "user", "assistant"]);

/** OpenAI's Responses API, for requests that stand for themselves. It has no stored responses to refer to. */
export const openaiResponsesWire: Wire = {
  path: "/v1/responses",
  rules: openaiResponsesRules,
  windowPage: "https://developers.openai.com/api/docs/models",
  problems: (body) => {
    const items = itemsOf(body);
    const tools = objectsAt(body, "tools").filter(({ type }) => type === "function");
    const calls = items.filter(({ type }) => type === "function_call");
    const messages = items.filter((item) => kindOf(item) === "message");
    return [
      ...new Set(openaiResponsesProblems(items).map(({ rule }) => rule)),
      ...brokenRules({
        "missing-model": typeof body["model"] !== "string",
        "unknown-response": (body["previous_response_id"] ?? null) !== null,
        "unknown-item": items.some(({ type }) => type === "item_reference"),
        "unknown-role": messages.some(({ role }) => !ROLES.has(textIn(role))),
        "part-of-another-role": messages.some(hasOddPart),
        "arguments-not-text": calls.some((call) => typeof call["arguments"] !== "string"),
        "odd-tool-name": [...tools, ...calls].some(({ name }) => !isName(name)),
        "duplicate-tool-name": !areUnique(tools.map(({ name }) => name)),
        "missing-output": items.some(
          (item) => kindOf(item).endsWith("call_output") && (item["output"] ?? null) === null,
        ),
      }),
    ];
  },
  counted: (body) => {
    const instructions = body["instructions"] ?? undefined;
    const said = instructions === undefined ? [] : [instructions];
    return [...said, ...objectsAt(body, "tools"), ...itemsOf(body)];
  },
  write: ({ text, calls = [] }, id, body) => ({
    id,
    object: "response",
    created_at: 0,
    status: "completed",
    model: body["model"] ?? "",
    error: null,
    incomplete_details: null,
    output: [
      ...(text === undefined ? [] : [messageOf(text, id)]),
      ...calls.map(({ id: call, name, arguments: given }) => {
        const status = "completed";
        return {
          type: "function_call",
          id: `fc_${call}`,
          call_id: call,
          name,
          arguments: given,
          status,
        };
      }),
    ],
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  }),
  stream: (answer) => {
    const output = objectsAt(answer, "output");
    const events: JsonObject[] = [
      { type: "response.created", response: { ...answer, status: "in_progress", output: [] } },
      ...output.flatMap((item, index): JsonObject[] => [
        { type: "response.output_item.added", output_index: index, item },
        ...deltasOf(item, index),
        { type: "response.output_item.done", output_index: index, item },
      ]),
      { type: "response.completed", response: answer },
    ];
    return events.map((event, number) => ({ ...event, sequence_number: number }));
  },
  writeError: (message) => ({ error: { message, type: "invalid_request_error", code: null } }),
};

function messageOf(text: string, id: string): JsonObject {
  const content = [{ type: "output_text", text, annotations: [] }];
  return { type: "message", id: `msg_${id}`, role: "assistant", status: "completed", content };
}

function deltasOf(item: JsonObject, index: number): JsonObject[] {
  return objectsAt(item, "content").flatMap(({ text }) =>
    halvesOf(textIn(text)).map((delta) => ({
      type: "response.output_text.delta",
      item_id: item["id"] ?? "",
      output_index: index,
      content_index: 0,
      delta,
      logprobs: [],
    })),
  );
}

function itemsOf(body: JsonObject): readonly JsonObject[] {
  const { input } = body;
  return typeof input === "string" ? [{ role: "user", content: input }] : objectsAt(body, "input");
}

function kindOf({ type }: JsonObject): string {
  return typeof type === "string" ? type : "message";
}

/** An answer is made of outputs, and what it answers of inputs. */
function hasOddPart(item: JsonObject): boolean {
  const prefix = item["role"] === "assistant" ? /^(output_text|refusal)$/u : /^input_/u;
  return objectsAt(item, "content").some(({ type }) => !prefix.test(textIn(type)));
}

function isName(name: unknown): boolean {
  return typeof name === "string" && /^[\w-]{1,128}$/u.test(name);
}
