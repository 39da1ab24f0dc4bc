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

const image = { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } };

/** Writes a script as messages of Anthropic's API. */
export function anthropicOf(script: Script): readonly JsonObject[] {
  return script.flatMap(({ rounds, thinks, showsImage }, turn): JsonObject[] => {
    const text = askedText(turn);
    const isLast = turn === script.length - 1;
    return [
      { role: "user", content: showsImage ? [image, { type: "text", text }] : text },
      ...(isLast ? [] : rounds).flatMap((round, index) =>
        exchange(turn, index, { ...round, thinks }),
      ),
      ...(isLast
        ? []
        : [
            {
              role: "assistant",
              content: [...thinking(thinks, turn), { type: "text", text: saidText(turn) }],
            },
          ]),
    ];
  });
}

function thinking(thinks: boolean, ...place: readonly number[]): JsonObject[] {
  const thought = `Hm, at ${place.join("-")}.`;
  return thinks ? [{ type: "thinking", thinking: thought, signature: signAlone(thought) }] : [];
}

function exchange(
  turn: number,
  round: number,
  { calls, speaks, fails, showsImage, thinks }: ScriptRound & { thinks: boolean },
): JsonObject[] {
  const ids = Array.from({ length: calls }, (_, index) => `toolu_${turn}_${round}_${index}`);
  return [
    {
      role: "assistant",
      content: [
        ...thinking(thinks, turn, round),
        ...(speaks ? [{ type: "text", text: saidText(turn, round) }] : []),
        ...ids.map((id) => ({ type: "tool_use", id, name: "find", input: { to: "Rome" } })),
      ],
    },
    {
      role: "user",
      content: ids.map((id, index) => {
        const text = foundText(turn, round, index);
        const content = showsImage && !fails ? [{ type: "text", text }, image] : text;
        return { type: "tool_result", tool_use_id: id, content, ...(fails && { is_error: true }) };
      }),
    },
  ];
}

const isUser = ({ role }: JsonObject): boolean => role === "user";
const asks = (message: JsonObject): boolean =>
  isUser(message) && !objectsAt(message, "content").some(isResult);
const isAnswer = ({ role }: JsonObject): boolean => role === "assistant";
const isCall = ({ type }: JsonObject): boolean => type === "tool_use";
const isResult = ({ type }: JsonObject): boolean => type === "tool_result";
const isPaired = (block: JsonObject): boolean => isCall(block) || isResult(block);
const isThinking = ({ type }: JsonObject): boolean => type === "thinking";
const idKey = (block: JsonObject): string => (isCall(block) ? "id" : "tool_use_id");
const before = (...content: readonly JsonObject[]): Breaker =>
  changing(asks, (one) => [{ role: "assistant", content }, one]);
const within = (...blocks: readonly JsonObject[]): Breaker =>
  changing(isAnswer, (one) => ({ ...one, content: [...objectsAt(one, "content"), ...blocks] }));
const marked = { cache_control: { type: "ephemeral" } };

/** What breaks messages of Anthropic's API. */
export const anthropicBreakers: Readonly<Record<string, Breaker>> = {
  ...breaksOfLists,
  "thinking at the end": within({ type: "thinking", thinking: "Hm.", signature: signAlone("Hm.") }),
  "thinking only": before({ type: "thinking", thinking: "Hm.", signature: signAlone("Hm.") }),
  "thinking without signature": changing(isThinking, ({ signature: _, ...one }) => one),
  "unsigned thinking": changing(isThinking, (one) => ({ ...one, signature: "" })),
  "unsigned thinking only": before({ type: "thinking", thinking: "Hm." }),
  "redacted thinking only": before({ type: "redacted_thinking", data: "RQ==" }),
  "blank text": changing(isAnswer, (one) => ({
    ...one,
    content: [{ type: "text", text: "\n" }, ...objectsAt(one, "content")],
  })),
  "blank answer": before({ type: "text", text: " " }),
  "answer with no blocks": before(),
  "blank user": changing(asks, (one) => [{ role: "user", content: " " }, one]),
  "blank newest": (messages) => [...messages, { role: "user", content: "" }],
  "no blocks": (messages) => [...messages, { role: "user", content: [] }],
  "result with no blocks": changing(isResult, (one) =>
    one["content"] === undefined ? one : [one],
  ),
  "blank text in a result": changing(isResult, (one) => ({
    ...one,
    content: [
      { type: "text", text: "" },
      ...(typeof one["content"] === "string"
        ? [{ type: "text", text: one["content"] }]
        : objectsAt(one, "content")),
    ],
  })),
  "ids empty": changingAll(isPaired, (one) => ({ ...one, [idKey(one)]: "" })),
  "one id for all": changingAll(isPaired, (one) => ({ ...one, [idKey(one)]: "toolu_0" })),
  "odd ids": changingAll(isPaired, (one) => ({
    ...one,
    [idKey(one)]: `${textIn(one[idKey(one)])}.é:`,
  })),
  "ids that collide when cleaned": changing(isAnswer, (one) => {
    const made = (id: string): JsonObject => ({ type: "tool_use", id, name: "find", input: {} });
    const given = (id: string, text: string): JsonObject => ({
      type: "tool_result",
      tool_use_id: id,
      content: text,
    });
    return [
      one,
      { role: "user", content: "Both? asked-93" },
      { role: "assistant", content: [made("a.b"), made("a:b")] },
      { role: "user", content: [given("a.b", "One. found-93"), given("a:b", "Two. found-94")] },
    ];
  }),
  "odd tool name": changing(isCall, (one) => ({ ...one, name: "look up!" })),
  "long tool name": changing(isCall, (one) => ({ ...one, name: "f".repeat(90) })),
  "input a text": changing(isCall, (one) => ({ ...one, input: '{"to":"Ro' })),
  "input a list": changing(isCall, (one) => ({ ...one, input: [1] })),
  "input missing": changing(isCall, ({ input: _, ...one }) => one),
  "image in an error": changing(isResult, (one) => ({
    ...one,
    is_error: true,
    content: [
      ...(typeof one["content"] === "string"
        ? [{ type: "text", text: one["content"] }]
        : objectsAt(one, "content")),
      image,
    ],
  })),
  "image in an answer": within(image, { type: "text", text: "So." }),
  "image of another kind": changing(asks, (one) => ({
    ...one,
    content: [
      ...blocksIn(one),
      { type: "image", source: { type: "base64", media_type: "image/bmp", data: "AAAA" } },
    ],
  })),
  "block of chat": changing(asks, (one) => ({
    ...one,
    content: [
      ...blocksIn(one),
      { type: "image_url", image_url: { url: "https://example.com/a.png" } },
    ],
  })),
  "marks on all": changingAll(
    (one) => one["type"] === "text" || isPaired(one),
    (one) => ({ ...one, ...marked }),
  ),
  "mark on thinking": changing(isThinking, (one) => ({ ...one, ...marked })),
  "marks in the wrong order": changing(asks, (one) => ({
    ...one,
    content: [
      ...blocksIn(one).map((block) => ({ ...block, ...marked })),
      { type: "text", text: "Please.", cache_control: { type: "ephemeral", ttl: "1h" } },
    ],
  })),
  "fields of an answer": changing(isAnswer, (one) => ({
    ...one,
    id: "msg_1",
    type: "message",
    model: "m",
    stop_reason: "end_turn",
    stop_sequence: null,
  })),
  "field in a block": changing(
    (one) => one["type"] === "text",
    (one) => ({ ...one, index: 0 }),
  ),
  "result of nobody": changing(asks, (one) => ({
    ...one,
    content: [
      { type: "tool_result", tool_use_id: "toolu_lost", content: "Three fly. found-90" },
      ...blocksIn(one),
    ],
  })),
  "result twice": changing(isResult, (one) => [one, { ...one }]),
  "text before results": changing(
    (one) => isUser(one) && !asks(one),
    (one) => ({
      ...one,
      content: [{ type: "text", text: "Go on. asked-95" }, ...objectsAt(one, "content")],
    }),
  ),
  "call with text behind it": within({ type: "text", text: "I wait." }),
  "server call that was interrupted": before({
    type: "server_tool_use",
    id: "srvtoolu_1",
    name: "web_search",
    input: { query: "a" },
  }),
  "server result of nobody": before(
    { type: "web_search_tool_result", tool_use_id: "srvtoolu_9", content: [] },
    { type: "text", text: "So." },
  ),
  "server call with an odd id": before(
    { type: "server_tool_use", id: "call_s", name: "web_search", input: {} },
    { type: "web_search_tool_result", tool_use_id: "call_s", content: [] },
    { type: "text", text: "So." },
  ),
  "system in the middle": changing(isAnswer, (one) => [
    one,
    { role: "system", content: "Be brief." },
  ]),
  "citations of some": (messages) => {
    const document = (enabled: boolean): JsonObject => ({
      type: "document",
      source: { type: "text", media_type: "text/plain", data: "Two." },
      citations: { enabled },
    });
    return [
      { role: "user", content: [document(true), { type: "text", text: "Read. asked-96" }] },
      { role: "assistant", content: "Read." },
      { role: "user", content: [document(false), { type: "text", text: "This. asked-97" }] },
      { role: "assistant", content: "Read." },
      ...messages,
    ];
  },
  "role of nobody": changing(asks, (one) => [one, { role: "critic", content: "No. asked-93" }]),
  "toolset not echoed": changing(isCall, (one) => ({ ...one, toolset_name: "desk" })),
};

function blocksIn(message: JsonObject): readonly JsonObject[] {
  const { content } = message;
  return typeof content === "string"
    ? [{ type: "text", text: content }]
    : objectsAt(message, "content");
}
