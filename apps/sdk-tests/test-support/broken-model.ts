import type { JsonObject } from "@agent-history/core";

import { signAlone } from "../src/servers/anthropic-signatures.ts";
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
import type { Breaker, Script, ScriptRound } from "./script.ts";

const image = { type: "file", mediaType: "image/png", data: PNG };

/** Writes a script as model messages of the AI SDK, with what Anthropic and OpenAI remember beside them. */
export function modelOf(script: Script): readonly JsonObject[] {
  const thinks = script[0]?.thinks ?? false;
  return script.flatMap(({ rounds, showsImage }, turn): JsonObject[] => {
    const text = { type: "text", text: askedText(turn) };
    const isLast = turn === script.length - 1;
    const said = { type: "text", text: saidText(turn) };
    return [
      { role: "user", content: showsImage ? [text, image] : [text] },
      ...(isLast ? [] : rounds).flatMap((round, index) =>
        exchange(turn, index, { ...round, thinks }),
      ),
      ...(isLast ? [] : [{ role: "assistant", content: [...reasoning(thinks, turn), said] }]),
    ];
  });
}

function reasoning(thinks: boolean, ...place: readonly number[]): JsonObject[] {
  const text = `Hm, at ${place.join("-")}.`;
  const providerOptions = {
    anthropic: { signature: signAlone(text) },
    openai: { itemId: `rs_${place.join("_")}`, reasoningEncryptedContent: "RQ==" },
  };
  return thinks ? [{ type: "reasoning", text, providerOptions }] : [];
}

function exchange(
  turn: number,
  round: number,
  { calls, speaks, fails, thinks }: ScriptRound & { thinks: boolean },
): JsonObject[] {
  const ids = Array.from({ length: calls }, (_, index) => `call_${turn}_${round}_${index}`);
  return [
    {
      role: "assistant",
      content: [
        ...reasoning(thinks, turn, round),
        ...(speaks ? [{ type: "text", text: saidText(turn, round) }] : []),
        ...ids.map((toolCallId) => ({
          type: "tool-call",
          toolCallId,
          toolName: "find",
          input: { to: "Rome" },
        })),
      ],
    },
    {
      role: "tool",
      content: ids.map((toolCallId, index) => ({
        type: "tool-result",
        toolCallId,
        toolName: "find",
        output: { type: fails ? "error-text" : "text", value: foundText(turn, round, index) },
      })),
    },
  ];
}

const isUser = ({ role }: JsonObject): boolean => role === "user";
const isAnswer = ({ role }: JsonObject): boolean => role === "assistant";
const isCall = ({ type }: JsonObject): boolean => type === "tool-call";
const isResult = ({ type }: JsonObject): boolean => type === "tool-result";
const isPaired = (part: JsonObject): boolean => isCall(part) || isResult(part);
const isReasoning = ({ type }: JsonObject): boolean => type === "reasoning";
const before = (...content: readonly JsonObject[]): Breaker =>
  changing(isUser, (one) => [{ role: "assistant", content }, one]);
const within = (...parts: readonly JsonObject[]): Breaker =>
  changing(isAnswer, (one) => ({ ...one, content: [...objectsAt(one, "content"), ...parts] }));

/** What breaks model messages. */
export const modelBreakers: Readonly<Record<string, Breaker>> = {
  ...Object.fromEntries(
    Object.entries(breaksOfLists).filter(
      ([kind]) => !["field of nobody", "empty text"].includes(kind),
    ),
  ),
  "reasoning at the end": within({ type: "reasoning", text: "Hm." }),
  "reasoning only": before({
    type: "reasoning",
    text: "Hm.",
    providerOptions: {
      anthropic: { signature: signAlone("Hm.") },
      openai: { itemId: "rs_alone", reasoningEncryptedContent: null },
    },
  }),
  "reasoning unsigned": changing(isReasoning, ({ providerOptions: _, ...one }) => one),
  "reasoning lost": changing(isReasoning, () => []),
  "answer with no parts": before(),
  "blank answer": before({ type: "text", text: " " }),
  "empty answer": before({ type: "text", text: "" }),
  "answer as an empty text": changing(isUser, (one) => [{ role: "assistant", content: "" }, one]),
  "blank user": changing(isUser, (one) => [{ role: "user", content: " " }, one]),
  "blank newest": (messages) => [...messages, { role: "user", content: "" }],
  "no parts": (messages) => [...messages, { role: "user", content: [] }],
  "tool message with no parts": changing(isUser, (one) => [{ role: "tool", content: [] }, one]),
  "ids empty": changingAll(isPaired, (one) => ({ ...one, toolCallId: "" })),
  "one id for all": changingAll(isPaired, (one) => ({ ...one, toolCallId: "call_0" })),
  "odd ids": changingAll(isPaired, (one) => ({
    ...one,
    toolCallId: `${textIn(one["toolCallId"])}.é:`,
  })),
  "long ids": changingAll(isPaired, (one) => ({
    ...one,
    toolCallId: `${textIn(one["toolCallId"])}_${"x".repeat(80)}`,
  })),
  "odd tool name": changing(isCall, (one) => ({ ...one, toolName: "look up!" })),
  "long tool name": changing(isCall, (one) => ({ ...one, toolName: "f".repeat(90) })),
  "input cut off": changing(isCall, (one) => ({ ...one, input: '{"to":"Ro', invalid: true })),
  "input a list": changing(isCall, (one) => ({ ...one, input: [1] })),
  "result of nobody": changing(isUser, (one) => [
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "call_lost",
          toolName: "find",
          output: { type: "text", value: "Three fly. found-90" },
        },
      ],
    },
    one,
  ]),
  "result twice": changing(isResult, (one) => [one, { ...one }]),
  "call lost": changing(isCall, () => []),
  "result lost": changing(isResult, () => []),
  "result denied": changing(isResult, (one) => ({
    ...one,
    output: { type: "execution-denied", reason: textIn(objectAt(one, "output")["value"]) },
  })),
  "result as JSON": changing(isResult, (one) => ({
    ...one,
    output: { type: "json", value: { said: textIn(objectAt(one, "output")["value"]) } },
  })),
  "image in a result": changing(isResult, (one) => ({
    ...one,
    output: {
      type: "content",
      value: [
        { type: "text", text: textIn(objectAt(one, "output")["value"]) },
        { type: "file", mediaType: "image/png", data: { type: "data", data: PNG } },
      ],
    },
  })),
  "call of the provider that was interrupted": before({
    type: "tool-call",
    toolCallId: "srvtoolu_1",
    toolName: "web_search",
    input: { query: "a" },
    providerExecuted: true,
  }),
  "approval that nobody gave": within({
    type: "tool-approval-request",
    approvalId: "appr_1",
    toolCallId: "call_0_0_0",
  }),
  "item id twice": changingAll(
    (one) => one["type"] === "text",
    (one) => ({ ...one, providerOptions: { openai: { itemId: "msg_0" } } }),
  ),
  "system in the middle": changing(isUser, (one) => [
    { role: "system", content: "Be brief." },
    one,
  ]),
};
