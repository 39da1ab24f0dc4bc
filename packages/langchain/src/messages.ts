import { sameJson } from "@agent-history/core";
import type { HistoryEntry, JsonObject, JsonValue, Viewer } from "@agent-history/core";
import {
  cameAs,
  isJsonObject,
  parseJson,
  readMessages,
  textOf,
  toJson,
  toJsonObject,
  writeMessages,
} from "@agent-history/format-kit";
import type { MessageFormat, ReadOptions } from "@agent-history/format-kit";

import { KWARGS } from "./internal/langchain-parts.ts";
import { classOf, messageFields, typeOf } from "./internal/message-fields.ts";
import { readLangChainMessage } from "./internal/read-langchain.ts";
import { writeLangChainMessage } from "./internal/write-langchain.ts";

/** Messages of LangChain's. */
export const langChainFormat: MessageFormat = {
  name: "langchain",
  idPrefix: "langchain",
  types: ["system_message", "user_message", "assistant_message", "action", "observation"],
  shape: "one-to-one",
  said: messageFields,
  pack: toJsonObject,
  came: new WeakMap(),
  read: (message, context) => {
    const draft = readLangChainMessage(message, context);
    return draft === undefined ? [] : [draft];
  },
  write: ([entry], context) => writeLangChainMessage(entry, context),
};

/** What `fromMessages` takes: any message of LangChain's, of any version of `@langchain/core`, or a plain object that LangChain takes for one. */
export interface LangChainMessageLike {
  readonly type?: unknown;
  readonly role?: unknown;
  readonly content?: unknown;
  readonly id?: unknown;
  readonly name?: unknown;
  readonly tool_calls?: unknown;
  readonly tool_call_id?: unknown;
  readonly status?: unknown;
  readonly additional_kwargs?: unknown;
  readonly response_metadata?: unknown;
}

/**
 * A message as a plain object, which LangChain's models, prompts and agents take beside their own (`BaseMessageLike`): with `tool_calls` (`{ id, name, args }`) where a model calls tools, and with the `tool_call_id`
 * of the call that it answers. Fields that came with a message are there all the same.
 */
export interface LangChainMessage {
  type: "system" | "human" | "ai" | "tool";
  content: string | LangChainBlock[];
  [field: string]: unknown;
}

/** A block of a content: text, an image, reasoning, and whatever a provider has. */
export interface LangChainBlock {
  type: string;
  [field: string]: unknown;
}

/** What the entries of messages carry beside what the messages say. */
export type FromMessagesOptions = ReadOptions;

/**
 * Converts LangChain's messages to entries, one for each, so that `toMessages` gives the same messages back. Takes the objects of its classes, and the plain ones
 * that it takes for them (`{ role: "user", content }`). Linear.
 *
 * A message with `tool_calls` is an `action`, a tool's message an `observation`. A message of no known type goes through whole, as an opaque part of an
 * `assistant_message`.
 *
 * Without `newId`, ids come from position and text (`langchain-3-1k2x9f`): pass the whole conversation at each call, longer each time, and the entries of the messages
 * before keep their ids, so that a reducer's previous plan goes on. The same message object gives the same entry object.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if `messages` is not a list.
 *
 * @example
 * ```ts
 * import { fromMessages } from "@agent-history/langchain";
 *
 * const entries = fromMessages([
 *   { role: "system", content: "You book flights." }, // or new SystemMessage("You book flights.")
 *   { role: "user", content: "To Rome, please." },
 * ]);
 * entries.map(({ type, content }) => `${type}: ${content}`);
 * // => ["system_message: You book flights.", "user_message: To Rome, please."]
 * ```
 */
export function fromMessages(
  messages: readonly LangChainMessageLike[],
  options: FromMessagesOptions = {},
): readonly HistoryEntry[] {
  const entries = readMessages(langChainFormat, messages, options);
  for (const [index, { origin }] of entries.entries()) {
    const message: unknown = messages[index];
    if (origin !== undefined && typeof message === "object" && message !== null) {
      messageOf.set(origin, message);
    }
  }
  return entries;
}

/** How messages are made. */
export interface ToMessagesOptions<Message extends object = LangChainMessage> {
  /** Whose prompt it is: one's own `final` is a model's message, another agent's a user's. Default: nobody's. */
  readonly viewer?: Viewer | undefined;
  /**
   * Makes a message of its fields: `coerceMessageLikeToMessage` of `@langchain/core/messages`. Default: as the messages that the other entries came from, and
   * where there is none of its type, a plain object, which LangChain's models, prompts and agents take too.
   */
  readonly toMessage?: ((fields: LangChainMessage) => Message) | undefined;
}

/**
 * Converts entries to LangChain's messages, one for each, in their order. An entry that `fromMessages` gave becomes the same message object again; one that was changed
 * since, a new message that says what it says now. A recall block or a summary directly before a user's message becomes the beginning of it. Linear.
 *
 * @example
 * ```ts
 * import { fromMessages, toMessages } from "@agent-history/langchain";
 *
 * const messages = [{ role: "user", content: "To Rome, please." }];
 * toMessages(fromMessages(messages))[0] === messages[0];
 * // => true
 * ```
 */
export function toMessages<Message extends object = LangChainMessage>(
  entries: readonly HistoryEntry[],
  { viewer = {}, toMessage }: ToMessagesOptions<Message> = {},
): Message[] {
  const like = makeMessagesLike(entries);
  const make = (fields: JsonObject): object => {
    const said = withoutRawAnswer(fields);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is written has the fields of a message
    return toMessage === undefined ? like(said) : toMessage(said as object as LangChainMessage);
  };
  const format = { ...langChainFormat, unpack: make, join: joinHumanMessages(make) };
  const messages = writeMessages(format, entries, {
    viewer,
    known: (run) => {
      const message = cameAs(langChainFormat, run);
      return message === undefined || hasStaleAnswer(message) ? undefined : message;
    },
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what came in as a message goes out as one, whatever its provider put there
  return messages as Message[];
}

/** Puts what a user's message says before the blocks of the next one, as a message of its own; neither is changed. */
function joinHumanMessages(
  make: MakeMessage,
): (before: object, message: object) => object | undefined {
  return (before, message) => {
    const first = toJsonObject(messageFields(before));
    const next = toJsonObject(messageFields(message));
    if (!isHuman(first) || !isHuman(next)) return undefined;
    const content = [...blocksOf(first["content"]), ...blocksOf(next["content"])];
    const { role: _, ...said } = next;
    return make({ ...said, type: "human", content });
  };
}

function isHuman({ type, role, content }: JsonObject): boolean {
  const name = type ?? role;
  const isSaid = typeof content === "string" || Array.isArray(content);
  return (name === "human" || name === "user") && isSaid;
}

function blocksOf(content: JsonValue | undefined): readonly JsonValue[] {
  if (Array.isArray(content)) return content;
  const text = textOf(content);
  return text === undefined || text === "" ? [] : [{ type: "text", text }];
}

/** The message that an entry was read from, by what a change of the entry leaves as it is. */
const messageOf = new WeakMap<object, object>();

/** Makes a message of its fields. */
type MakeMessage = (fields: JsonObject) => object;

/**
 * Makes messages as those of the same conversation are made: of LangChain's classes, where one of the same type was among them, else plain
 * objects.
 */
function makeMessagesLike(entries: readonly HistoryEntry[]): MakeMessage {
  let classes: Map<unknown, unknown> | undefined;
  return (fields) => {
    classes ??= new Map(
      entries.toReversed().flatMap(({ origin }): [unknown, unknown][] => {
        const message = origin && messageOf.get(origin);
        const made = message && classOf(message);
        return made === undefined ? [] : [[typeOf(message ?? {}), made]];
      }),
    );
    const { type, ...said } = fields;
    const made = classes.get(type);
    // A class says its type itself.
    return typeof made === "function" ? Reflect.construct(made, [said]) : fields;
  };
}

/**
 * OpenAI's answers hold themselves once more, in `response_metadata.output`, and LangChain sends that: where it does not say what the message says now,
 * it is left out.
 */
function withoutRawAnswer(fields: JsonObject): JsonObject {
  const { response_metadata: metadata } = fields;
  if (!isJsonObject(metadata) || !hasStaleAnswer(fields)) return fields;
  const { output, ...others } = metadata;
  // LangChain sends texts alone: of an answer that only thinks and calls, OpenAI would be sent a message without content.
  const { content } = fields;
  const isNothing = Array.isArray(content) && objectsOf(content).every(isUnsent);
  const left = { ...fields, ...(isNothing && { content: "" }), response_metadata: others };
  return hasLostThoughts(objectsOf(output), fields) ? withoutItemIds(left) : left;
}

function isUnsent({ type }: JsonObject): boolean {
  return type !== "text" && type !== "output_text" && type !== "refusal";
}

/** Returns whether OpenAI's copy of an answer does not say what the message says, because calls were edited or rejected. */
function hasStaleAnswer(message: object): boolean {
  const { response_metadata: metadata }: LangChainMessageLike = message;
  const { output }: { readonly output?: unknown } = Object(metadata);
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

function saysSame(
  items: readonly JsonObject[],
  { content, tool_calls: calls }: JsonObject,
): boolean {
  const raw = items.filter(({ type }) => type === "function_call");
  const said = objectsOf(calls);
  const areCalls =
    raw.length === said.length &&
    said.every(({ args, id }, at) => {
      if (raw[at]?.["call_id"] !== id) return false;
      const text = parseJson(textOf(raw[at]?.["arguments"]) ?? "");
      return text !== undefined && sameJson(text, args ?? null);
    });
  const blocks = items.flatMap((item) =>
    item["type"] === "message" ? objectsOf(item["content"]) : [],
  );
  return areCalls && textsOf(content) === textsOf(blocks);
}

function textsOf(content: JsonValue | undefined): string {
  if (typeof content === "string") return content;
  return objectsOf(content)
    .map(({ text }) => textOf(text) ?? "")
    .join("");
}
