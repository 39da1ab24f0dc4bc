import { sameJson } from "@agent-history/core";
import type { JsonObject, JsonValue } from "@agent-history/core";
import { isJsonObject, parseJson, textOf, toJson, toJsonObject } from "@agent-history/format-kit";

/**
 * OpenAI's answers hold themselves once more, in `response_metadata.output`, and LangChain sends that: where it does not say what the message says now,
 * it is left out.
 */
export function withoutRawAnswer(fields: JsonObject): JsonObject {
  const { response_metadata: metadata } = fields;
  if (!isJsonObject(metadata) || !hasStaleAnswer(fields)) return fields;
  const { output: _, ...others } = metadata;
  return { ...fields, response_metadata: others };
}

/** Returns whether OpenAI's copy of an answer does not say what the message says, because calls were edited or rejected. */
export function hasStaleAnswer(message: object): boolean {
  const metadata: unknown = Reflect.get(message, "response_metadata");
  const output = isRecord(metadata) ? metadata["output"] : undefined;
  if (!Array.isArray(output)) return false;
  const items: JsonValue = toJson(output);
  return !saysSame(Array.isArray(items) ? items.filter(isJsonObject) : [], toJsonObject(message));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function saysSame(
  items: readonly JsonObject[],
  { content, tool_calls: calls }: JsonObject,
): boolean {
  const raw = items.filter(({ type }) => type === "function_call");
  const said = Array.isArray(calls) ? calls.filter(isJsonObject) : [];
  const areCalls =
    raw.length === said.length &&
    said.every(({ args }, at) => {
      const text = parseJson(textOf(raw[at]?.["arguments"]) ?? "");
      return text !== undefined && sameJson(text, args ?? null);
    });
  return areCalls && textsOf(content) === textsOf(items.flatMap(blocksOf));
}

function blocksOf({ type, content }: JsonObject): readonly JsonValue[] {
  return type === "message" && Array.isArray(content) ? content : [];
}

function textsOf(content: JsonValue | undefined): string {
  if (typeof content === "string") return content;
  const blocks = Array.isArray(content) ? content.filter(isJsonObject) : [];
  return blocks.map(({ text }) => textOf(text) ?? "").join("");
}
