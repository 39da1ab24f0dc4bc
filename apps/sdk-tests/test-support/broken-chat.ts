import type { JsonObject } from "@agent-history/core";

import { objectAt, objectsAt, textIn } from "../src/servers/read-wire.ts";
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

const image = { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } };

/** Writes a script as chat messages. */
export function chatOf(script: Script): readonly JsonObject[] {
  const turns = script.flatMap(({ rounds, showsImage }, turn): JsonObject[] => {
    const text = askedText(turn);
    const asked = showsImage ? [{ type: "text", text }, image] : text;
    const isLast = turn === script.length - 1;
    return [
      { role: "user", content: asked },
      ...(isLast ? [] : rounds).flatMap(({ calls, speaks }, round) =>
        exchange({ turn, round, calls, speaks }),
      ),
      ...(isLast ? [] : [{ role: "assistant", content: saidText(turn) }]),
    ];
  });
  return [{ role: "system", content: "You book flights." }, ...turns];
}

function exchange({
  turn,
  round,
  calls,
  speaks,
}: {
  turn: number;
  round: number;
  calls: number;
  speaks: boolean;
}): JsonObject[] {
  const ids = Array.from({ length: calls }, (_, index) => `call_${turn}_${round}_${index}`);
  return [
    {
      role: "assistant",
      content: speaks ? saidText(turn, round) : null,
      tool_calls: ids.map((id) => ({
        id,
        type: "function",
        function: { name: "find", arguments: '{"to":"Rome"}' },
      })),
    },
    ...ids.map((id, index) => ({
      role: "tool",
      tool_call_id: id,
      content: foundText(turn, round, index),
    })),
  ];
}

const isAnswer = ({ role }: JsonObject): boolean => role === "assistant";
const isCall = ({ function: made, type }: JsonObject): boolean =>
  made !== undefined && type === "function";
const isResult = ({ role }: JsonObject): boolean => role === "tool";
const isUser = ({ role }: JsonObject): boolean => role === "user";
const makesCalls = (message: JsonObject): boolean => objectsAt(message, "tool_calls").length > 0;

/** What breaks a chat. */
export const chatBreakers: Readonly<Record<string, Breaker>> = {
  ...breaksOfLists,
  "blank user": changing(isUser, (message) =>
    typeof message["content"] === "string" ? [{ role: "user", content: " \n" }, message] : message,
  ),
  "blank newest": (messages) => [...messages, { role: "user", content: "" }],
  "no parts": (messages) => [...messages, { role: "user", content: [] }],
  "answer with nothing": changing(isUser, (message) => [
    message,
    { role: "assistant", content: null },
  ]),
  "answer with no parts": changing(isUser, (message) => [
    { role: "assistant", content: [] },
    message,
  ]),
  "no calls in the list": changing(
    (one) => isAnswer(one) && !makesCalls(one),
    (one) => ({ ...one, tool_calls: [] }),
  ),
  "calls without ids": changingAll(
    (one) => isCall(one) || isResult(one),
    (one) => (isCall(one) ? { ...one, id: "" } : { ...one, tool_call_id: "" }),
  ),
  "ids missing": changingAll(isCall, ({ id: _, ...one }) => one),
  "an id lost": changing(isCall, (one) => ({ ...one, id: "" })),
  "an id lost at the result": changing(isResult, (one) => ({ ...one, tool_call_id: "" })),
  "one id for all": changingAll(
    (one) => isCall(one) || isResult(one),
    (one) => (isCall(one) ? { ...one, id: "call_0" } : { ...one, tool_call_id: "call_0" }),
  ),
  "long ids": changingAll(
    (one) => isCall(one) || isResult(one),
    (one) => {
      const key = isCall(one) ? "id" : "tool_call_id";
      return { ...one, [key]: `${textIn(one[key])}_${"x".repeat(80)}` };
    },
  ),
  "odd ids": changingAll(
    (one) => isCall(one) || isResult(one),
    (one) => {
      const key = isCall(one) ? "id" : "tool_call_id";
      return { ...one, [key]: `${textIn(one[key])}.é \u0000` };
    },
  ),
  "odd tool name": changing(isCall, (one) => ({
    ...one,
    function: { ...objectAt(one, "function"), name: "look up!" },
  })),
  "long tool name": changing(isCall, (one) => ({
    ...one,
    function: { ...objectAt(one, "function"), name: "f".repeat(90) },
  })),
  "no tool name": changing(isCall, (one) => ({
    ...one,
    function: { ...objectAt(one, "function"), name: "" },
  })),
  "author with a space": changing(isUser, (one) => ({ ...one, name: "Ann Lee" })),
  "arguments cut off": changing(isCall, (one) => ({
    ...one,
    function: { ...objectAt(one, "function"), arguments: '{"to":"Ro' },
  })),
  "arguments empty": changing(isCall, (one) => ({
    ...one,
    function: { ...objectAt(one, "function"), arguments: "" },
  })),
  "arguments a list": changing(isCall, (one) => ({
    ...one,
    function: { ...objectAt(one, "function"), arguments: "[1]" },
  })),
  "arguments an object": changing(isCall, (one) => ({
    ...one,
    function: { ...objectAt(one, "function"), arguments: { to: "Rome" } },
  })),
  "parsed answer": changing(isAnswer, (one) => ({
    ...one,
    parsed: { flights: 2 },
    refusal: null,
    annotations: [{ type: "url_citation" }],
  })),
  "parsed arguments": changing(isCall, (one) => ({
    ...one,
    function: { ...objectAt(one, "function"), parsed_arguments: { to: "Rome" } },
  })),
  "reasoning of others": changing(isAnswer, (one) => ({
    ...one,
    reasoning_content: "Hm.",
    reasoning: "Hm.",
    reasoning_details: [{ type: "reasoning.text", text: "Hm." }],
    thinking_blocks: [{ type: "thinking", thinking: "Hm.", signature: "s" }],
    provider_specific_fields: {},
  })),
  "thinking as a part": changing(isAnswer, (one) => ({
    ...one,
    content: [
      { type: "thinking", thinking: "Hm.", signature: "s" },
      { type: "text", text: "So." },
    ],
  })),
  voice: changing(
    (one) => isAnswer(one) && !makesCalls(one),
    (one) => ({ ...one, audio: { id: "audio_1", data: "AAAA", transcript: "So.", expires_at: 1 } }),
  ),
  "image in a result": changing(isResult, (one) => ({
    ...one,
    content: [{ type: "text", text: one["content"] ?? "" }, image],
  })),
  "image in an answer": changing(isAnswer, (one) => ({
    ...one,
    content: [{ type: "text", text: "So." }, image],
  })),
  "result null": changing(isUser, (one) => [
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call_n", type: "function", function: { name: "find", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "call_n", content: null },
    one,
  ]),
  "file that is no PDF": changing(isUser, (one) => ({
    ...one,
    content: [
      { type: "text", text: one["content"] ?? "" },
      { type: "file", file: { filename: "a.csv", file_data: "data:text/csv;base64,QQ==" } },
    ].filter((part) => typeof part.text !== "object"),
  })),
  "result of nobody": changing(isUser, (one) => [
    { role: "tool", tool_call_id: "call_lost", content: "Three fly. found-90" },
    one,
  ]),
  "result twice": changing(isResult, (one) => [one, { ...one }]),
  "function call of old": changing(isUser, (one) => [
    { role: "assistant", content: null, function_call: { name: "find", arguments: "{}" } },
    { role: "function", name: "find", content: "Four fly. found-91" },
    one,
  ]),
  "role of nobody": changing(isUser, (one) => [one, { role: "critic", content: "No. asked-93" }]),
};
