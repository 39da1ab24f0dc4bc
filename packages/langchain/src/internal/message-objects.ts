import { sameJson } from "@agent-history/core";
import type { HistoryEntry, JsonObject, JsonValue } from "@agent-history/core";
import {
  cameAs,
  isJsonObject,
  parseJson,
  readMessages,
  textOf,
  toJson,
  toJsonObject,
} from "@agent-history/format-kit";
import type { ReadOptions } from "@agent-history/format-kit";

import { langChainFormat } from "./langchain-format.ts";
import { KWARGS } from "./langchain-parts.ts";
import { classOf, typeOf } from "./message-fields.ts";

/** The message that an entry was read from, by what a change of the entry leaves as it is. */
const messageOf = new WeakMap<object, object>();

/** Reads messages, one for each entry, and remembers which entry came from which. */
export function readFrom(
  messages: readonly unknown[],
  options: ReadOptions,
): readonly HistoryEntry[] {
  const entries = readMessages(langChainFormat, messages, options);
  for (const [index, { origin }] of entries.entries()) {
    const message = messages[index];
    if (origin !== undefined && typeof message === "object" && message !== null) {
      messageOf.set(origin, message);
    }
  }
  return entries;
}

/** Returns the message that an entry was read from, or one that said the same, whatever the entry says now. */
function messageBehind({ origin }: HistoryEntry): object | undefined {
  return origin === undefined ? undefined : messageOf.get(origin);
}

/** Returns the message that an entry was read from, if the entry is still the same object, and the message may be sent as it is. */
export function unchangedMessage(entry: HistoryEntry): object | undefined {
  const message = cameAs(langChainFormat, [entry]);
  const isStale = message !== undefined && hasStaleAnswer(message);
  return isStale ? undefined : message;
}

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
    if (message === undefined) continue;
    const [type, made] = [typeOf(message), classOf(message)];
    if (type !== undefined && !classes.has(type) && isConstructor(made)) classes.set(type, made);
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
  if (!isJsonObject(metadata) || !hasStaleAnswer(fields)) return fields;
  const { output, ...others } = metadata;
  // LangChain sends texts alone: of an answer that only thinks and calls, OpenAI would be sent a message without content.
  const { content } = fields;
  const isNothing = Array.isArray(content) && content.filter(isJsonObject).every(isUnsent);
  const left = { ...fields, ...(isNothing && { content: "" }), response_metadata: others };
  return hasLostThoughts(objectsOf(output), fields) ? withoutItemIds(left) : left;
}

function isUnsent({ type }: JsonObject): boolean {
  return type !== "text" && type !== "output_text" && type !== "refusal";
}

/** Returns whether OpenAI's copy of an answer does not say what the message says, because calls were edited or rejected. */
function hasStaleAnswer(message: object): boolean {
  const metadata: unknown = Reflect.get(message, "response_metadata");
  const output = isRecord(metadata) ? metadata["output"] : undefined;
  if (!Array.isArray(output)) return false;
  const items = objectsOf(toJson(output));
  const fields = toJsonObject(message);
  return hasLostThoughts(items, fields) || !saysSame(items, fields);
}

function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** Returns whether a message is sent without the reasoning that its answer had. */
function hasLostThoughts(items: readonly JsonObject[], fields: JsonObject): boolean {
  const kwargs = fields[KWARGS];
  const isBeside = isJsonObject(kwargs) && kwargs["reasoning"] !== undefined;
  const isThought = ({ type }: JsonObject): boolean => type === "reasoning";
  return items.some(isThought) && !isBeside && !objectsOf(fields["content"]).some(isThought);
}

/** Takes off the ids by which OpenAI would ask for the reasoning. */
function withoutItemIds({ id, ...fields }: JsonObject): JsonObject {
  const { [CALL_IDS]: _, ...kwargs } = isJsonObject(fields[KWARGS]) ? fields[KWARGS] : {};
  const isItem = textOf(id)?.startsWith("msg_") === true;
  return { ...fields, ...(!isItem && id !== undefined && { id }), [KWARGS]: kwargs };
}

const CALL_IDS = "__openai_function_call_ids__";

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
