import type { JsonObject } from "@agent-history/core";

import { signCall } from "../src/servers/gemini-rules.ts";
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

const image = { inlineData: { mimeType: "image/png", data: PNG } };

/** Writes a script as contents of Gemini's API. */
export function contentsOf(script: Script): readonly JsonObject[] {
  return script.flatMap(({ rounds, thinks, showsImage }, turn): JsonObject[] => {
    const text = { text: askedText(turn) };
    const isLast = turn === script.length - 1;
    return [
      { role: "user", parts: showsImage ? [text, image] : [text] },
      ...(isLast ? [] : rounds).flatMap((round, index) =>
        exchange(turn, index, { ...round, thinks }),
      ),
      ...(isLast ? [] : [{ role: "model", parts: [...thought(thinks), { text: saidText(turn) }] }]),
    ];
  });
}

function thought(thinks: boolean): JsonObject[] {
  return thinks ? [{ text: "Hm.", thought: true }] : [];
}

function exchange(
  turn: number,
  round: number,
  { calls, speaks, fails, thinks }: ScriptRound & { thinks: boolean },
): JsonObject[] {
  const made = Array.from({ length: calls }, (_, index) => ({
    id: `call_${turn}_${round}_${index}`,
    name: "find",
    args: { to: "Rome" },
  }));
  return [
    {
      role: "model",
      parts: [
        ...thought(thinks),
        ...(speaks ? [{ text: saidText(turn, round) }] : []),
        ...made.map((functionCall, index) => ({
          functionCall,
          ...(index === 0 && { thoughtSignature: signCall(functionCall) }),
        })),
      ],
    },
    {
      role: "user",
      parts: made.map(({ id, name }, index) => {
        const response = { [fails ? "error" : "output"]: foundText(turn, round, index) };
        return { functionResponse: { id, name, response } };
      }),
    },
  ];
}

const isUser = ({ role }: JsonObject): boolean => role === "user";
const asks = (content: JsonObject): boolean =>
  isUser(content) && !objectsAt(content, "parts").some(isResponse);
const isModel = ({ role }: JsonObject): boolean => role === "model";
const isCall = ({ functionCall: made }: JsonObject): boolean => made !== undefined;
const isResponse = ({ functionResponse: given }: JsonObject): boolean => given !== undefined;
const before = (...parts: readonly JsonObject[]): Breaker =>
  changing(asks, (one) => [{ role: "model", parts }, one]);
const ofCall = (change: (made: JsonObject) => JsonObject): Breaker =>
  changing(isCall, (one) => ({ ...one, functionCall: change(objectAt(one, "functionCall")) }));

/** What breaks contents of Gemini's API. */
export const googleBreakers: Readonly<Record<string, Breaker>> = {
  ...breaksOfLists,
  "signature lost": changing(isCall, ({ thoughtSignature: _, ...one }) => one),
  "signatures lost": changingAll(isCall, ({ thoughtSignature: _, ...one }) => one),
  "ids missing": changingAll(
    (one) => isCall(one) || isResponse(one),
    (one) => {
      const key = isCall(one) ? "functionCall" : "functionResponse";
      const { id: _, ...rest } = objectAt(one, key);
      return { ...one, [key]: rest };
    },
  ),
  "words before calls": changing(
    (one) => objectsAt(one, "parts").some(isCall),
    (one) => [{ role: "model", parts: [{ text: "I look." }] }, one],
  ),
  "responses apart": changing(
    (one) => objectsAt(one, "parts").some(isResponse),
    (one) => objectsAt(one, "parts").map((part) => ({ role: "user", parts: [part] })),
  ),
  "response under function": changing(
    (one) => objectsAt(one, "parts").some(isResponse),
    (one) => ({ ...one, role: "function" }),
  ),
  "response of nobody": changing(asks, (one) => ({
    ...one,
    parts: [
      { functionResponse: { name: "find", response: { output: "Three fly. found-90" } } },
      ...objectsAt(one, "parts"),
    ],
  })),
  "response twice": changing(isResponse, (one) => [one, { ...one }]),
  "call lost": changing(isCall, () => []),
  "response lost": changing(isResponse, () => []),
  "response a list": changing(isResponse, (one) => ({
    functionResponse: {
      ...objectAt(one, "functionResponse"),
      response: [textIn(Object.values(objectAt(objectAt(one, "functionResponse"), "response"))[0])],
    },
  })),
  "odd tool name": ofCall((made) => ({ ...made, name: "look up!" })),
  "long tool name": ofCall((made) => ({ ...made, name: "f".repeat(90) })),
  "no tool name": ofCall(({ name: _, ...made }) => made),
  "args a text": ofCall((made) => ({ ...made, args: '{"to":"Ro' })),
  "args missing": ofCall(({ args: _, ...made }) => made),
  "no parts": (contents) => [...contents, { role: "user", parts: [] }],
  "answer with no parts": before(),
  "blank answer": before({ text: " " }),
  "thought only": before({ text: "Hm.", thought: true }),
  "blank newest": (contents) => [...contents, { role: "user", parts: [{ text: "" }] }],
  "role missing": changing(asks, ({ role: _, ...one }) => one),
  "role of nobody": changing(asks, (one) => [
    one,
    { role: "critic", parts: [{ text: "No. asked-93" }] },
  ]),
  "field in a part": changing(
    (one) => typeof one["text"] === "string",
    (one) => ({ ...one, index: 0 }),
  ),
  "field of a call": changing(isCall, (one) => ({ ...one, extra: 1 })),
  "part of nobody": changing(isModel, (one) => ({
    ...one,
    parts: [...objectsAt(one, "parts"), { type: "text", tool_use: {} }],
  })),
  "answer in order of another": changing(
    (one) => objectsAt(one, "parts").some(isResponse),
    (one) => ({ ...one, parts: objectsAt(one, "parts").toReversed() }),
  ),
};
