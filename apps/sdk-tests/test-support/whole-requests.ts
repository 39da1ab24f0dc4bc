import type { JsonObject, JsonValue, ReductionPlan } from "@agent-history/core";

import { signAlone } from "../src/servers/anthropic-signatures.ts";
import { signCall } from "../src/servers/gemini-rules.ts";
import { signThought } from "../src/servers/interactions-rules.ts";
import { isObject } from "../src/servers/read-wire.ts";

/** A conversation before it is written in a format, made from a seed. */
export interface Talk {
  readonly instructions: string;
  readonly events: readonly TalkEvent[];
  /** Tokens of the window that it is to fit. */
  readonly contextTokens: number;
  readonly tools: readonly TalkTool[];
}

export interface TalkTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

export type TalkEvent =
  | { readonly kind: "request"; readonly text: string; readonly hasImage: boolean }
  | { readonly kind: "answer"; readonly text: string; readonly extra: JsonObject }
  | {
      readonly kind: "calls";
      readonly thought: string;
      readonly seal: string;
      readonly extra: JsonObject;
      readonly calls: readonly {
        readonly id: string;
        readonly input: JsonObject;
        readonly result: string;
      }[];
    };

const WORDS = [
  ...'the flight to Rome leaves at nine and costs 31 EUR return const x = await fetch(url); {"a":[1,2,3]} null'.split(
    " ",
  ),
  ..."漢字 かな 한국어 Привет мир שלום नमस्ते สวัสดี 😀 👩‍👩‍👧 naïve Straße \n \t <|endoftext|> https://example.com/a?b=c#d 0x1f 3.14159".split(
    " ",
  ),
];

/** 512 × 512 pixels, by its header. */
export const IMAGE = "iVBORw0KGgoAAAANSUhEUgAAAgAAAAIACAIAAAB7GkOtAAAAAElFTkSuQmCC";

/** Makes a conversation; the same for the same seed. */
export function talkOf(seed: number): Talk {
  const { below, text, bytes, extra } = sourceOf(seed);
  const events: TalkEvent[] = [];
  for (let turn = 0, turns = 1 + below(6); turn < turns; turn += 1) {
    events.push({ kind: "request", text: text(40), hasImage: below(5) === 0 });
    for (let round = 0, rounds = below(3); round < rounds; round += 1) {
      const calls = Array.from({ length: 1 + below(2) }, (_, nth) => ({
        id: `call_${seed}_${turn}_${round}_${nth}`,
        input: { query: text(8), limit: below(100), deep: { flags: [true, null] } },
        result: text(80),
      }));
      events.push({ kind: "calls", thought: text(20), seal: bytes(80), extra: extra(), calls });
    }
    if (turn < turns - 1) events.push({ kind: "answer", text: text(60), extra: extra() });
  }
  const query = { type: "string", description: text(6) };
  const parameters = {
    type: "object",
    properties: { query, limit: { type: "integer" } },
    required: ["query"],
  };
  const windows = [600, 1500, 4000, 100_000];
  return {
    instructions: text(30),
    events: below(8) === 0 ? [] : events,
    contextTokens: windows[below(windows.length)] ?? 4000,
    tools: below(3) === 0 ? [] : [{ name: "search", description: text(15), parameters }],
  };
}

/** Makes numbers, texts and fields that gateways add; the same for the same seed. */
function sourceOf(seed: number) {
  const next = randomOf(seed);
  const below = (most: number): number => Math.floor(next() * most);
  const text = (most: number): string =>
    Array.from({ length: 1 + below(most) }, () => WORDS[below(WORDS.length)]).join(" ");
  const bytes = (length: number): string =>
    Array.from({ length }, () => "abcdefghijkmnopqrstuvwxyz0123456789+/"[below(37)]).join("");
  const extra = (): JsonObject => {
    const thought = text(30);
    const fields: readonly JsonObject[] = [
      {},
      { reasoning: thought },
      {
        reasoning_details: [{ type: "reasoning.text", text: thought, format: "unknown", index: 0 }],
      },
      { reasoning_details: [{ type: "reasoning.encrypted", data: bytes(200), id: "rs_1" }] },
      { reasoning_content: thought },
      { thinking_blocks: [{ type: "thinking", thinking: thought, signature: bytes(100) }] },
      {
        annotations: [
          {
            type: "url_citation",
            url_citation: {
              title: text(3),
              url: "https://a.example",
              start_index: 1,
              end_index: 2,
            },
          },
        ],
      },
      { of_next_year: { deep: [{ words: thought, number: below(1e6) }] } },
    ];
    return fields[below(fields.length)] ?? {};
  };
  return { below, text, bytes, extra };
}

/** mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** As the messages of chat completions, with the fields that gateways add to them. */
export function chatOfTalk({ instructions, events }: Talk): readonly JsonObject[] {
  const url = `data:image/png;base64,${IMAGE}`;
  return [
    { role: "system", content: instructions },
    ...events.flatMap((event): readonly JsonObject[] => {
      switch (event.kind) {
        case "request": {
          const image = { type: "image_url", image_url: { url, detail: "high" } };
          const content = event.hasImage ? [{ type: "text", text: event.text }, image] : event.text;
          return [{ role: "user", content, ...(event.text.length % 3 === 0 && { name: "ann" }) }];
        }
        case "answer":
          return [{ role: "assistant", content: event.text, ...event.extra }];
        case "calls": {
          const calls = event.calls.map(({ id, input }) => ({
            id,
            type: "function",
            function: { name: "search", arguments: JSON.stringify(input) },
          }));
          return [
            { role: "assistant", content: event.thought, tool_calls: calls, ...event.extra },
            ...event.calls.map(({ id, result }) => ({
              role: "tool",
              tool_call_id: id,
              content: result,
            })),
          ];
        }
      }
    }),
  ];
}

/** As items of the Responses API. */
export function itemsOfTalk({ events }: Talk): readonly JsonObject[] {
  return events.flatMap((event, nth): readonly JsonObject[] => {
    switch (event.kind) {
      case "request": {
        const image = {
          type: "input_image",
          image_url: `data:image/png;base64,${IMAGE}`,
          detail: "high",
        };
        const text = { type: "input_text", text: event.text };
        return [{ role: "user", content: event.hasImage ? [text, image] : event.text }];
      }
      case "answer": {
        const annotations = [
          {
            type: "url_citation",
            title: event.text.slice(0, 9),
            url: "https://a.example",
            start_index: 0,
            end_index: 1,
          },
        ];
        const content = [{ type: "output_text", text: event.text, annotations }];
        return [
          { type: "message", id: `msg_${nth}`, status: "completed", role: "assistant", content },
        ];
      }
      case "calls":
        return [
          {
            type: "reasoning",
            id: `rs_${nth}`,
            summary: [{ type: "summary_text", text: event.thought }],
            encrypted_content: event.seal,
          },
          ...event.calls.map(({ id, input }) => ({
            type: "function_call",
            call_id: id,
            name: "search",
            arguments: JSON.stringify(input),
          })),
          ...event.calls.map(({ id, result }) => ({
            type: "function_call_output",
            call_id: id,
            output: result,
          })),
        ];
    }
  });
}

/** As Anthropic's messages; a result shows an image where a request of a chat would. */
export function anthropicOfTalk({ events }: Talk): readonly JsonObject[] {
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: IMAGE } };
  return events.flatMap((event): readonly JsonObject[] => {
    switch (event.kind) {
      case "request":
        return [
          {
            role: "user",
            content: [{ type: "text", text: event.text }, ...(event.hasImage ? [image] : [])],
          },
        ];
      case "answer":
        return [{ role: "assistant", content: event.text }];
      case "calls":
        return [
          {
            role: "assistant",
            content: [
              { type: "thinking", thinking: event.thought, signature: signAlone(event.thought) },
              ...event.calls.map(({ id, input }) => ({
                type: "tool_use",
                id,
                name: "search",
                input,
              })),
            ],
          },
          {
            role: "user",
            content: event.calls.map(({ id, result }, nth) => ({
              type: "tool_result",
              tool_use_id: id,
              content: nth === 1 ? [{ type: "text", text: result }, image] : result,
            })),
          },
        ];
    }
  });
}

/** As contents of Gemini's `generateContent`. */
export function contentsOfTalk({ events }: Talk): readonly JsonObject[] {
  const image = { inlineData: { mimeType: "image/png", data: IMAGE } };
  return events.flatMap((event): readonly JsonObject[] => {
    switch (event.kind) {
      case "request":
        return [
          { role: "user", parts: [{ text: event.text }, ...(event.hasImage ? [image] : [])] },
        ];
      case "answer":
        return [{ role: "model", parts: [{ text: event.text, thoughtSignature: "U0lH" }] }];
      case "calls": {
        const calls = event.calls.map(({ id, input }, nth): JsonObject => {
          const functionCall = { id, name: "search", args: input };
          return nth === 0
            ? { functionCall, thoughtSignature: signCall(functionCall) }
            : { functionCall };
        });
        const responses = event.calls.map(({ id, result }) => ({
          functionResponse: { id, name: "search", response: { output: result } },
        }));
        return [
          { role: "model", parts: [{ text: event.thought, thought: true }, ...calls] },
          { role: "user", parts: responses },
        ];
      }
    }
  });
}

/** As steps of Gemini's Interactions API. */
export function stepsOfTalk({ events }: Talk): readonly JsonObject[] {
  const image = { type: "image", mime_type: "image/png", data: IMAGE };
  return events.flatMap((event): readonly JsonObject[] => {
    switch (event.kind) {
      case "request": {
        const text = { type: "text", text: event.text };
        return [{ type: "user_input", content: event.hasImage ? [text, image] : [text] }];
      }
      case "answer":
        return [
          signThought([]),
          { type: "model_output", content: [{ type: "text", text: event.text }] },
        ];
      case "calls": {
        const calls = event.calls.map(({ id, input }) => ({
          type: "function_call",
          id,
          name: "search",
          arguments: input,
        }));
        const results = event.calls.map(({ id, result }) => ({
          type: "function_result",
          call_id: id,
          name: "search",
          result,
        }));
        return [signThought(calls), ...calls, ...results];
      }
    }
  });
}

/** What a body has, by this oracle. */
export interface Weighed {
  readonly tokens: number;
  readonly bytes: number;
  /** Without those of media. */
  readonly textBytes: number;
  readonly images: number;
}

/** Fields that name or place something, and that no model reads. */
const STRUCTURE = new Set([
  "type",
  "role",
  "id",
  "call_id",
  "tool_call_id",
  "tool_use_id",
  "status",
  "cache_control",
  "detail",
  "media_type",
  "format",
  "mimeType",
  "mime_type",
]);

function isSeal(key: string, field: JsonValue): boolean {
  const isNamed = key === "signature" || key === "encrypted_content";
  return isNamed && typeof field === "string" && field.length >= 64;
}

const INSTRUCTIONS = ["system", "instructions", "systemInstruction", "system_instruction"];
const SENT = [...INSTRUCTIONS, "messages", "input", "contents", "tools"];

/**
 * Weighs a body as it was sent: each text in it, whatever field it stands in, and three tokens for each message, item and tool; of images their number. It
 * knows nothing of entries.
 *
 * @param imageTokens - What an image of 512 × 512 pixels counts.
 */
export function weighBody(
  body: JsonObject,
  countText: (text: string) => number,
  imageTokens: number,
): Weighed {
  let tokens = 3;
  let images = 0;
  let media = 0;
  const walk = (value: JsonValue): void => {
    if (typeof value === "string") {
      if (!value.includes(IMAGE)) return void (tokens += countText(value));
      images += 1;
      media += value.length;
      tokens += imageTokens;
    } else if (typeof value === "object" && value !== null) {
      const before = tokens;
      for (const [key, field] of Object.entries(value))
        if (!STRUCTURE.has(key) && !isSeal(key, field)) walk(field);
      // Encrypted reasoning is billed as what it hides, which the text beside it summarizes: 3 bytes of 4 characters.
      const seals = Object.entries(value).filter(([key, field]) => isSeal(key, field));
      const hidden = seals.reduce(
        (sum, [, seal]) => sum + Math.ceil((JSON.stringify(seal).length - 2) / 4),
        0,
      );
      tokens = Math.max(tokens, before + hidden);
    }
  };
  const sent = SENT.map((name) => body[name]).filter((part) => part !== undefined);
  for (const part of sent) {
    if (Array.isArray(part)) tokens += 3 * part.length;
    walk(part);
  }
  const fields = Object.entries(body).filter(([name]) => SENT.includes(name));
  const bytes = Buffer.byteLength(JSON.stringify(Object.fromEntries(fields)));
  return { tokens, bytes, textBytes: bytes - media, images };
}

/** What requests were counted as, beside what their bodies have. */
export interface Comparison {
  requests: number;
  tokens: number;
  textBytes: number;
  bytes: number;
  counted: number;
  countedBytes: number;
  /** Requests that have more than was counted, with their seeds. */
  readonly low: string[];
  /** Requests whose bytes are not those that were counted. */
  readonly inexact: string[];
}

export function newComparison(): Comparison {
  return {
    requests: 0,
    tokens: 0,
    textBytes: 0,
    bytes: 0,
    counted: 0,
    countedBytes: 0,
    low: [],
    inexact: [],
  };
}

/** Adds a request to a comparison. */
export function compare(
  sum: Comparison,
  seed: number,
  plan: Pick<ReductionPlan, "totalTokens" | "totalBytes" | "totalImages">,
  weighed: Weighed,
): void {
  sum.requests += 1;
  sum.tokens += weighed.tokens;
  sum.bytes += weighed.bytes;
  sum.textBytes += weighed.textBytes;
  sum.counted += plan.totalTokens;
  sum.countedBytes += plan.totalBytes;
  if (weighed.tokens > plan.totalTokens)
    sum.low.push(`${seed}: ${weighed.tokens} tokens, counted ${plan.totalTokens}`);
  if (weighed.bytes !== plan.totalBytes)
    sum.inexact.push(`${seed}: ${weighed.bytes} bytes, counted ${plan.totalBytes}`);
  if (weighed.bytes > plan.totalBytes)
    sum.low.push(`${seed}: ${weighed.bytes} bytes, counted ${plan.totalBytes}`);
  if (weighed.images !== plan.totalImages)
    sum.low.push(`${seed}: ${weighed.images} images, counted ${plan.totalImages}`);
}

/** Returns an object as JSON has it. */
export function bodyOf(value: unknown): JsonObject {
  const body: JsonValue = JSON.parse(JSON.stringify(value));
  if (!isObject(body)) throw new Error("Expected an object.");
  return body;
}
