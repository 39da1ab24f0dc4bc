import type { JsonObject } from "@agent-history/core";

import { textIn } from "../src/servers/read-wire.ts";
import {
  askedText,
  breaksOfLists,
  changing,
  changingAll,
  foundText,
  PNG,
  saidText,
} from "./script.ts";
import type { Breaker, Script } from "./script.ts";

const image = { type: "input_image", image_url: `data:image/png;base64,${PNG}`, detail: "auto" };

/** Writes a script as items of the Responses API. */
export function itemsOfScript(script: Script): readonly JsonObject[] {
  const thinks = script[0]?.thinks ?? false;
  return script.flatMap(({ rounds, showsImage }, turn): JsonObject[] => {
    const text = askedText(turn);
    const asked = showsImage ? [{ type: "input_text", text }, image] : text;
    const isLast = turn === script.length - 1;
    const done = isLast ? [] : rounds;
    return [
      { role: "user", content: asked },
      ...done.flatMap((round, index) => exchange(turn, index, { ...round, thinks })),
      ...(isLast ? [] : answer(turn, thinks)),
    ];
  });
}

function answer(turn: number, thinks: boolean): JsonObject[] {
  const content = [{ type: "output_text", text: saidText(turn), annotations: [], logprobs: [] }];
  const id = thinks ? `msg_${turn}_of_rs_${turn}` : `msg_${turn}`;
  return [
    ...(thinks ? [reasoning(`rs_${turn}`)] : []),
    { type: "message", id, role: "assistant", status: "completed", content },
  ];
}

function reasoning(id: string): JsonObject {
  return { type: "reasoning", id, summary: [], encrypted_content: "RQ==" };
}

function exchange(
  turn: number,
  round: number,
  { calls, thinks, showsImage }: { calls: number; thinks: boolean; showsImage: boolean },
): JsonObject[] {
  const places = Array.from({ length: calls }, (_, index) => `${turn}_${round}_${index}`);
  const of = thinks ? `_of_rs_${turn}_${round}` : "";
  return [
    ...(thinks ? [reasoning(`rs_${turn}_${round}`)] : []),
    ...places.map((place) => ({
      type: "function_call",
      id: `fc_${place}${of}`,
      call_id: `call_${place}`,
      name: "find",
      arguments: '{"to":"Rome"}',
      status: "completed",
    })),
    ...places.map((place, index) => {
      const text = foundText(turn, round, index);
      const output = showsImage ? [{ type: "input_text", text }, image] : text;
      return { type: "function_call_output", call_id: `call_${place}`, output };
    }),
  ];
}

const isCall = ({ type }: JsonObject): boolean => type === "function_call";
const isOutput = ({ type }: JsonObject): boolean => type === "function_call_output";
const isPaired = (item: JsonObject): boolean => isCall(item) || isOutput(item);
const isReasoning = ({ type }: JsonObject): boolean => type === "reasoning";
const isUser = ({ role }: JsonObject): boolean => role === "user";
const isAnswer = ({ role }: JsonObject): boolean => role === "assistant";
const before = (...items: readonly JsonObject[]): Breaker =>
  changing(isUser, (one) => [...items, one]);

/** What breaks a list of items. */
export const itemBreakers: Readonly<Record<string, Breaker>> = {
  ...breaksOfLists,
  "reasoning lost": changing(isReasoning, () => []),
  "reasoning alone": before({
    type: "reasoning",
    id: "rs_alone",
    summary: [],
    encrypted_content: "RQ==",
  }),
  "reasoning at the end": (items) => [
    ...items,
    { type: "reasoning", id: "rs_end", summary: [], encrypted_content: "RQ==" },
  ],
  "reasoning without summary": changing(isReasoning, ({ summary: _, ...one }) => one),
  "item after reasoning lost": (items, at) => {
    const places = items.flatMap((item, index) => (isReasoning(item) ? [index + 1] : []));
    return places.length === 0 ? items : items.toSpliced(places[at % places.length] ?? 0, 1);
  },
  "another item of the id": changing(isAnswer, (one) => [
    one,
    { role: "user", content: "And? asked-92" },
    { ...one, content: [{ type: "output_text", text: "Else.", annotations: [] }] },
  ]),
  "call ids empty": changingAll(isPaired, (one) => ({ ...one, call_id: "" })),
  "one call id for all": changingAll(isPaired, (one) => ({ ...one, call_id: "call_0" })),
  "long call ids": changingAll(isPaired, (one) => ({
    ...one,
    call_id: `${textIn(one["call_id"])}_${"x".repeat(80)}`,
  })),
  "item ids of others": changingAll(isCall, (one) => ({
    ...one,
    id: `call_${textIn(one["call_id"])}`,
  })),
  "long item id": changing(isCall, (one) => ({ ...one, id: `fc_${"x".repeat(80)}` })),
  "item id empty": changing(isCall, (one) => ({ ...one, id: "" })),
  "odd tool name": changing(isCall, (one) => ({ ...one, name: "look up!" })),
  "long tool name": changing(isCall, (one) => ({ ...one, name: "f".repeat(140) })),
  "arguments cut off": changing(isCall, (one) => ({ ...one, arguments: '{"to":"Ro' })),
  "arguments an object": changing(isCall, (one) => ({ ...one, arguments: { to: "Rome" } })),
  "parsed arguments": changing(isCall, (one) => ({ ...one, parsed_arguments: { to: "Rome" } })),
  "created by": changing(isOutput, (one) => ({ ...one, created_by: "user" })),
  "parsed answer": changing(isAnswer, (one) => ({
    ...one,
    content: [{ type: "output_text", text: "So.", annotations: [], parsed: {} }],
  })),
  "output null": before(
    { type: "function_call", call_id: "call_n", name: "find", arguments: "{}" },
    { type: "function_call_output", call_id: "call_n", output: null },
  ),
  "blank user": before({ role: "user", content: " \n" }),
  "blank newest": (items) => [...items, { role: "user", content: "" }],
  "no parts": (items) => [...items, { role: "user", content: [] }],
  "answer with no parts": before({
    type: "message",
    id: "msg_none",
    role: "assistant",
    status: "incomplete",
    content: [],
  }),
  "parts of another role": changing(isAnswer, (one) => ({
    ...one,
    content: [{ type: "input_text", text: "So." }],
  })),
  "parts of chat": changing(isUser, (one) =>
    typeof one["content"] === "string"
      ? { ...one, content: [{ type: "text", text: one["content"] }] }
      : one,
  ),
  "output of nobody": before({
    type: "function_call_output",
    call_id: "call_lost",
    output: "Three fly. found-90",
  }),
  "output twice": changing(isOutput, (one) => [one, { ...one }]),
  reference: before({ type: "item_reference", id: "msg_stored" }),
  "trigger in the middle": before({ type: "compaction_trigger" }),
  "approval of nobody": before({
    type: "mcp_approval_response",
    approval_request_id: "mcpr_1",
    approve: true,
  }),
  "computer call without screenshot": before(
    {
      type: "computer_call",
      id: "cu_1",
      call_id: "call_c",
      status: "completed",
      action: { type: "wait" },
      pending_safety_checks: [{ id: "s" }],
    },
    {
      type: "computer_call_output",
      call_id: "call_c",
      output: { type: "computer_screenshot", image_url: `data:image/png;base64,${PNG}` },
    },
  ),
  "custom call without output": before({
    type: "custom_tool_call",
    id: "ctc_1",
    call_id: "call_t",
    name: "patch",
    input: "a",
  }),
  "item of nobody": before({ type: "tool_use", id: "a", name: "find", input: {} }),
  "role of nobody": before({ role: "critic", content: "No. asked-93" }),
  "audio in an output": changing(isOutput, (one) => ({
    ...one,
    output: [
      { type: "input_text", text: textIn(one["output"]) || "Heard." },
      { type: "input_audio", input_audio: { data: "QQ==", format: "wav" } },
    ],
  })),
};
