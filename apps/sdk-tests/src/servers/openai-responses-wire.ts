import type { JsonObject } from "@agent-history/core";

import type { JudgedThought } from "./bound-reasoning.ts";
import { itemsOf, openaiResponses } from "./openai-responses-rules.ts";
import { encryptReasoning, judgeItems } from "./openai-seals.ts";
import { halvesOf, objectsAt, textIn } from "./read-wire.ts";
import { refusing } from "./wire.ts";
import type { Wire, WireReply } from "./wire.ts";

/**
 * OpenAI's Responses API, for requests that stand for themselves. It has no stored responses to refer to. What came with reasoning is named after it
 * (`msg_1_of_rs_1`), so that an item whose reasoning is gone can be told. From GPT-6 on, reasoning behind a changed prefix is dropped and reported.
 */
export const openaiResponsesWire: Wire = openaiResponsesWireOf("");

/** Makes the API for an organization: the reasoning of others is dropped. */
export function openaiResponsesWireOf(organization: string): Wire {
  const thoughts = (body: JsonObject): readonly JudgedThought[] => judgeItems(body, organization);
  return {
    path: "/v1/responses",
    ...refusing(openaiResponses),
    windowPage: "https://developers.openai.com/api/docs/models",
    thoughts,
    write: (reply, id, body) => ({
      id,
      object: "response",
      created_at: 0,
      status: "completed",
      model: body["model"] ?? "",
      error: null,
      incomplete_details: null,
      output: itemsSaid(reply, id, (thinking) => encryptReasoning(thinking, body, organization)),
      input_transformations: transformationsOf(body, thoughts(body)),
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
}

function transformationsOf(
  body: JsonObject,
  thoughts: readonly JudgedThought[],
): readonly JsonObject[] {
  return thoughts.flatMap(({ path, reason }): readonly JsonObject[] => {
    if (reason === undefined) return [];
    const id = itemsOf(body)[Number(path.split(".")[1])]?.["id"] ?? null;
    return [{ id, type: "reasoning", action: "removed", reason }];
  });
}

/** What came with reasoning has an id that names it. */
function itemsSaid(
  { text, thinking, calls = [] }: WireReply,
  id: string,
  encrypt: (thinking: string) => string,
): readonly JsonObject[] {
  const [reasoning, of] = thinking === undefined ? [] : [`rs_${id}`, `_of_rs_${id}`];
  const summary = thinking === undefined ? [] : [{ type: "summary_text", text: thinking }];
  const encrypted = thinking === undefined ? "" : encrypt(thinking);
  const content = [{ type: "output_text", text: text ?? "", annotations: [], logprobs: [] }];
  const status = "completed";
  return [
    ...(reasoning === undefined
      ? []
      : [{ type: "reasoning", id: reasoning, summary, encrypted_content: encrypted }]),
    ...(text === undefined
      ? []
      : [{ type: "message", id: `msg_${id}${of ?? ""}`, role: "assistant", status, content }]),
    ...calls.map(({ id: call, name, arguments: given }) => ({
      type: "function_call",
      id: `fc_${call}${of ?? ""}`,
      call_id: call,
      name,
      arguments: given,
      status,
    })),
  ];
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
