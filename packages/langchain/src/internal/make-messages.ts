import { sameJson } from "@agent-history/core";
import type { HistoryEntry, JsonObject, JsonValue } from "@agent-history/core";
import { isJsonObject, parseJson, textOf } from "@agent-history/format-kit";

import { messageBehind } from "./came-as.ts";
import { classOf } from "./message-fields.ts";

/** Makes a message of its fields. */
export type MakeMessage = (fields: JsonObject) => object;

/**
 * Makes messages as those of the same conversation are made: of LangChain's classes, where one of the same type was among them, else plain
 * objects.
 */
export function makeMessagesLike(entries: readonly HistoryEntry[]): MakeMessage {
  let classes: ReadonlyMap<unknown, new (fields: object) => object> | undefined;
  return (fields) => {
    classes ??= classesOf(entries);
    const made = classes.get(fields["type"]);
    if (made === undefined) return fields;
    // A class says its type itself.
    const { type: _, ...said } = fields;
    return new made(said);
  };
}

function classesOf(
  entries: readonly HistoryEntry[],
): ReadonlyMap<unknown, new (fields: object) => object> {
  const classes = new Map<unknown, new (fields: object) => object>();
  for (const entry of entries) {
    const message = messageBehind(entry);
    if (message === undefined || !("type" in message) || classes.has(message.type)) continue;
    const made = classOf(message);
    if (isConstructor(made)) classes.set(message.type, made);
  }
  return classes;
}

function isConstructor(value: unknown): value is new (fields: object) => object {
  return typeof value === "function";
}

/**
 * OpenAI's answers hold themselves once more, in `response_metadata.output`, and LangChain sends that: where it does not say what the message says now,
 * it is left out.
 */
export function withoutRawAnswer(fields: JsonObject): JsonObject {
  const { response_metadata: metadata } = fields;
  if (!isJsonObject(metadata) || !Array.isArray(metadata["output"])) return fields;
  const { output, ...others } = metadata;
  const items = Array.isArray(output) ? output.filter(isJsonObject) : [];
  return saysSame(items, fields) ? fields : { ...fields, response_metadata: others };
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
