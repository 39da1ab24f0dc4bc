import type { JsonObject } from "@agent-history/core";

import { signThought } from "../src/servers/interactions-rules.ts";
import { objectsAt } from "../src/servers/read-wire.ts";
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

const image = { type: "image", mime_type: "image/png", data: PNG };

/** Writes a script as steps of Gemini's Interactions API. */
export function stepsOfScript(script: Script): readonly JsonObject[] {
  return script.flatMap(({ rounds, thinks, showsImage }, turn): JsonObject[] => {
    const text = { type: "text", text: askedText(turn) };
    const asked = { type: "user_input", content: showsImage ? [text, image] : [text] };
    if (turn === script.length - 1) return [asked];
    return [
      asked,
      ...rounds.flatMap((round, index) => exchange(turn, index, round)),
      ...(thinks ? [signThought([])] : []),
      said(saidText(turn)),
    ];
  });
}

function said(text: string): JsonObject {
  return { type: "model_output", content: [{ type: "text", text }] };
}

function exchange(
  turn: number,
  round: number,
  { calls, speaks, fails, showsImage }: ScriptRound,
): JsonObject[] {
  const made = Array.from({ length: calls }, (_, index) => ({
    type: "function_call",
    id: `call_${turn}_${round}_${index}`,
    name: "find",
    arguments: { to: "Rome" },
  }));
  const results = made.map(({ id, name }, index): JsonObject => {
    const text = foundText(turn, round, index);
    const result = showsImage ? [{ type: "text", text }, image] : text;
    return { type: "function_result", call_id: id, name, result, ...(fails && { is_error: true }) };
  });
  return [signThought(made), ...(speaks ? [said(saidText(turn, round))] : []), ...made, ...results];
}

const isOf =
  (name: string) =>
  ({ type }: JsonObject): boolean =>
    type === name;
const asks = isOf("user_input");
const isCall = isOf("function_call");
const isResult = isOf("function_result");
const isThought = isOf("thought");
const before = (...steps: readonly JsonObject[]): Breaker =>
  changing(asks, (one) => [...steps, one]);

/** What breaks steps of Gemini's Interactions API. */
export const stepBreakers: Readonly<Record<string, Breaker>> = {
  ...breaksOfLists,
  "thought lost": changing(isThought, () => []),
  "thoughts lost": (steps) => steps.filter((step) => !isThought(step)),
  "signatures lost": changingAll(isThought, ({ signature: _, ...one }) => one),
  "signature empty": changing(isThought, (one) => ({ ...one, signature: "" })),
  "thought with a summary alone": before({
    type: "thought",
    summary: [{ type: "text", text: "Hm." }],
  }),
  "ids missing": changingAll(
    (one) => isCall(one) || isResult(one),
    ({ id: _, call_id: _of, ...one }) => one,
  ),
  "call id missing": changing(isCall, ({ id: _, ...one }) => one),
  "result id missing": changing(isResult, ({ call_id: _, ...one }) => one),
  "result twice": changing(isResult, (one) => [one, { ...one }]),
  "result lost": changing(isResult, () => []),
  "call lost": changing(isCall, () => []),
  "result of nobody": before({
    type: "function_result",
    call_id: "none",
    result: "Three fly. found-90",
  }),
  "results among contents": changing(isResult, (one) => ({ type: "user_input", content: [one] })),
  "result a value": changing(isResult, (one) => ({
    ...one,
    result: { found: one["result"] ?? 0 },
  })),
  "odd tool name": changing(isCall, (one) => ({ ...one, name: "look up!" })),
  "long tool name": changing(isCall, (one) => ({ ...one, name: "f".repeat(90) })),
  "no tool name": changing(isCall, ({ name: _, ...one }) => one),
  "arguments a text": changing(isCall, (one) => ({ ...one, arguments: '{"to":"Ro' })),
  "arguments missing": changing(isCall, ({ arguments: _, ...one }) => one),
  "words before calls": changing(isCall, (one) => [said("I look."), one]),
  "no content": (steps) => [...steps, { type: "user_input", content: [] }],
  "content missing": changing(asks, (one) => [one, { type: "user_input" }]),
  "answer with no content": before({ type: "model_output", content: [] }),
  "answer without content": before({ type: "model_output" }),
  "blank answer": before(said(" ")),
  "empty answer": before(said("")),
  "blank newest": (steps) => [
    ...steps,
    { type: "user_input", content: [{ type: "text", text: "" }] },
  ],
  "step of nobody": changing(asks, (one) => [one, { type: "critic", content: "No. asked-93" }]),
  "content of nobody": changing(isOf("model_output"), (one) => ({
    ...one,
    content: [...objectsAt(one, "content"), { type: "tool_use", input: {} }],
  })),
  "odd content of a user": changing(asks, (one) => ({
    ...one,
    content: [...objectsAt(one, "content"), { type: "file", name: "a" }],
  })),
  "content a text": changing(asks, (one) => {
    const [{ text = "" } = {}] = objectsAt(one, "content");
    return { ...one, content: text };
  }),
  "of another API": changing(asks, (one) => [
    one,
    { role: "model", parts: [{ text: "Of another." }] },
  ]),
};
