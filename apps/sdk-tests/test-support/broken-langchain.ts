import type { JsonObject } from "@agent-history/core";

import { signAlone } from "../src/servers/anthropic-signatures.ts";
import { objectsAt, textIn } from "../src/servers/read-wire.ts";
import {
  askedText,
  breaksOfLists,
  changing,
  changingAll,
  foundText,
  PNG,
  saidText,
} from "./script.ts";
import type { Breaker, Script, ScriptRound } from "./script.ts";

const image = { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } };

/** Writes a script as LangChain's messages, as fields that it makes its classes of. */
export function langchainOf(script: Script): readonly JsonObject[] {
  return script.flatMap(({ rounds, showsImage }, turn): JsonObject[] => {
    const text = askedText(turn);
    const isLast = turn === script.length - 1;
    return [
      { role: "user", content: showsImage ? [{ type: "text", text }, image] : text },
      ...(isLast ? [] : rounds).flatMap((round, index) => exchange(turn, index, round)),
      ...(isLast ? [] : [{ role: "assistant", content: saidText(turn) }]),
    ];
  });
}

function exchange(
  turn: number,
  round: number,
  { calls, speaks, fails }: ScriptRound,
): JsonObject[] {
  const ids = Array.from({ length: calls }, (_, index) => `call_${turn}_${round}_${index}`);
  return [
    {
      role: "assistant",
      content: speaks ? saidText(turn, round) : "",
      tool_calls: ids.map((id) => ({ id, name: "find", args: { to: "Rome" }, type: "tool_call" })),
    },
    ...ids.map((id, index) => ({
      role: "tool",
      tool_call_id: id,
      name: "find",
      content: foundText(turn, round, index),
      status: fails ? "error" : "success",
    })),
  ];
}

const isUser = ({ role }: JsonObject): boolean => role === "user";
const isAnswer = ({ role }: JsonObject): boolean => role === "assistant";
const isCall = ({ type }: JsonObject): boolean => type === "tool_call";
const isResult = ({ role }: JsonObject): boolean => role === "tool";
const isPaired = (one: JsonObject): boolean => isCall(one) || isResult(one);
const key = (one: JsonObject): string => (isCall(one) ? "id" : "tool_call_id");
const makesCalls = (message: JsonObject): boolean => objectsAt(message, "tool_calls").length > 0;
const before = (...messages: readonly JsonObject[]): Breaker =>
  changing(isUser, (one) => [...messages, one]);
const raw = {
  id: "call_raw",
  type: "function",
  function: { name: "find", arguments: '{"to":"Ro' },
};
const invalid = {
  role: "assistant",
  content: "",
  tool_calls: [],
  invalid_tool_calls: [
    {
      id: "call_raw",
      name: "find",
      args: '{"to":"Ro',
      error: "Malformed args.",
      type: "invalid_tool_call",
    },
  ],
  additional_kwargs: { tool_calls: [raw] },
};

/** What breaks LangChain's messages. */
export const langchainBreakers: Readonly<Record<string, Breaker>> = {
  ...Object.fromEntries(
    Object.entries(breaksOfLists).filter(([kind]) => kind !== "field of nobody"),
  ),
  "malformed call, answered": before(invalid, {
    role: "tool",
    tool_call_id: "call_raw",
    content: "Arguments were cut off. found-98",
    status: "error",
  }),
  "malformed call": before(invalid),
  "malformed call beside a sound one": changing(makesCalls, (one) => ({
    ...one,
    invalid_tool_calls: invalid.invalid_tool_calls,
  })),
  "empty answer": before({ role: "assistant", content: "" }),
  "answer with no parts": before({ role: "assistant", content: [] }),
  "blank answer": before({ role: "assistant", content: " \n" }),
  "blank user": before({ role: "user", content: " " }),
  "blank newest": (messages) => [...messages, { role: "user", content: "" }],
  "no parts": (messages) => [...messages, { role: "user", content: [] }],
  "ids empty": changingAll(isPaired, (one) => ({ ...one, [key(one)]: "" })),
  "ids missing": changingAll(isCall, ({ id: _, ...one }) => one),
  "one id for all": changingAll(isPaired, (one) => ({ ...one, [key(one)]: "call_0" })),
  "odd ids": changingAll(isPaired, (one) => ({
    ...one,
    [key(one)]: `${textIn(one[key(one)])}.é:`,
  })),
  "long ids": changingAll(isPaired, (one) => ({
    ...one,
    [key(one)]: `${textIn(one[key(one)])}_${"x".repeat(80)}`,
  })),
  "odd tool name": changing(isCall, (one) => ({ ...one, name: "look up!" })),
  "author with a space": changing(isUser, (one) => ({ ...one, name: "Ann Lee" })),
  "reasoning of others": changing(isAnswer, (one) => ({
    ...one,
    additional_kwargs: { reasoning_content: "Hm." },
  })),
  "thinking as a part": changing(isAnswer, (one) => ({
    ...one,
    content: [
      { type: "thinking", thinking: "Hm.", signature: signAlone("Hm.") },
      ...(typeof one["content"] === "string" && one["content"] !== ""
        ? [{ type: "text", text: one["content"] }]
        : []),
    ],
  })),
  "call as a part alone": before({
    role: "assistant",
    content: [{ type: "tool_use", id: "toolu_1", name: "find", input: { to: "Rome" } }],
    tool_calls: [],
  }),
  "image in a result": changing(isResult, (one) => ({
    ...one,
    content: [{ type: "text", text: textIn(one["content"]) }, image],
  })),
  "image in an answer": changing(
    (one) => isAnswer(one) && !makesCalls(one),
    (one) => ({ ...one, content: [{ type: "text", text: textIn(one["content"]) }, image] }),
  ),
  "result of nobody": before({
    role: "tool",
    tool_call_id: "call_lost",
    content: "Three fly. found-90",
  }),
  "result twice": changing(isResult, (one) => [one, { ...one }]),
  "call lost": changing(isCall, () => []),
};
