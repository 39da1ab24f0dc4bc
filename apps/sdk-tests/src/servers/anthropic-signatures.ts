import { createHash } from "node:crypto";

import type { JsonObject, JsonValue } from "@agent-history/core";

import { isThinking, readAnthropic } from "./anthropic-request.ts";
import type { AnthropicRequest } from "./anthropic-request.ts";
import { isObject, textIn } from "./read-wire.ts";

// What a signature of thinking is made of: https://platform.claude.com/docs/en/build-with-claude/preserved-thinking

/** A block of thinking, and what stands before it. */
interface Thought {
  readonly signature: string;
  readonly thinking: string;
  readonly prefix: string;
}

/** Signs what a model thinks after a request: the thinking, all that stands before it, and the thinking before it. */
export function signThinking(thinking: string, body: JsonObject): string {
  const request = readAnthropic(body);
  const before = thoughtsOf(request).at(-1)?.signature ?? "";
  return [hash(thinking), hash(prefixOf(request, request.messages.length)), hash(before)].join(".");
}

/** Signs thinking that stands before no check of what came before it. */
export function signAlone(thinking: string): string {
  return hash(thinking);
}

/** Returns whether each block of thinking has the signature of its own text. */
export function isSigned(block: JsonObject): boolean {
  return textIn(block["signature"]).split(".")[0] === hash(textIn(block["thinking"]));
}

/**
 * Returns the thinking that is not valid where it stands: what is before it is not what it was made after, or the thinking before it is missing while earlier thinking is there.
 * All that follows such a block is not valid either.
 */
export function unboundThinking(body: JsonObject): readonly string[] {
  const thoughts = thoughtsOf(readAnthropic(body));
  let before = "";
  const firstInvalid = thoughts.findIndex(({ signature, prefix }, index) => {
    const [, signedPrefix, signedBefore] = signature.split(".");
    const isChained = index === 0 || signedBefore === hash(before);
    before = signature;
    return signedPrefix !== hash(prefix) || !isChained;
  });
  const invalid = firstInvalid < 0 ? [] : thoughts.slice(firstInvalid);
  return invalid.map(({ thinking }) => thinking);
}

function thoughtsOf(request: AnthropicRequest): readonly Thought[] {
  return request.messages.flatMap(({ role, blocks }, index): readonly Thought[] => {
    if (role !== "assistant") return [];
    return blocks.flatMap((block, blockIndex): readonly Thought[] => {
      if (block["type"] !== "thinking") return [];
      const prefix = prefixOf(request, index, blockIndex);
      const thinking = textIn(block["thinking"]);
      return [{ signature: textIn(block["signature"]), thinking, prefix }];
    });
  });
}

/** System, tools and what was said before a place, without thinking and without cache marks; messages in a row are one. */
function prefixOf({ body, messages, tools }: AnthropicRequest, index: number, block = 0): string {
  const before = [
    ...messages.slice(0, index),
    ...messages
      .slice(index, index + 1)
      .map((one) => ({ ...one, blocks: one.blocks.slice(0, block) })),
  ];
  const said = before.flatMap(({ role, blocks }) =>
    blocks.filter((one) => !isThinking(one)).map((one) => [role, one]),
  );
  const named = tools.filter(({ defer_loading: isDeferred }) => isDeferred !== true);
  return JSON.stringify(withoutMarks([body["system"] ?? "", named, said]));
}

function withoutMarks(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (!isObject(value)) return value.map(withoutMarks);
  const { cache_control: _, ...fields } = value;
  return Object.fromEntries(
    Object.entries(fields).map(([key, field]) => [key, withoutMarks(field)]),
  );
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
