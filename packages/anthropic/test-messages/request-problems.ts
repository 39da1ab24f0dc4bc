import { checkAnthropicMessages } from "../src/index.ts";
import type { AnthropicRequest } from "../src/index.ts";

const FIELDS = new Set(["role", "content", "clear_at", "output_config"]);

/** Finds what Anthropic refuses of a request: rules of messages, and of the blocks in them. */
export function requestProblems({ system, messages }: AnthropicRequest): readonly string[] {
  const blocks = messages.flatMap(({ content }) => listOf(content));
  const nested = blocks.flatMap((block) => listOf(fieldOf(block, "content")));
  const found = {
    "empty-system": Array.isArray(system) ? system.some(isBlank) : system?.trim() === "",
    "empty-text": [...blocks, ...nested].some(isBlank),
    "unknown-field": messages.some((message) =>
      Object.keys(message).some((key) => !FIELDS.has(key)),
    ),
    "odd-call-id": blocks.some(
      (block) => isOdd(block, "id", "tool_use") || isOdd(block, "tool_use_id", "tool_result"),
    ),
    "odd-tool-name": blocks.some((block) => isOdd(block, "name", "tool_use")),
    "input-not-object": blocks.some(
      (block) => fieldOf(block, "type") === "tool_use" && !isPlainObject(fieldOf(block, "input")),
    ),
    "media-of-assistant": messages.some(
      ({ role, content }) =>
        role === "assistant" && listOf(content).some((block) => fieldOf(block, "type") === "image"),
    ),
  };
  const rules = checkAnthropicMessages(messages).map(({ rule }) => rule);
  return [
    ...rules,
    ...Object.entries(found).flatMap(([rule, isBroken]) => (isBroken ? [rule] : [])),
  ];
}

function isBlank(block: unknown): boolean {
  if (fieldOf(block, "type") !== "text") return typeof block !== "object" || block === null;
  const text = fieldOf(block, "text");
  return typeof text !== "string" || text.trim() === "";
}

function isOdd(block: unknown, key: string, type: string): boolean {
  const value = fieldOf(block, key);
  return fieldOf(block, "type") === type && !(typeof value === "string" && /^[\w-]+$/u.test(value));
}

function isPlainObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
