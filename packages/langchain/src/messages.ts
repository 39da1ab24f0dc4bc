import { sameJson } from "@agent-history/core";
import type { HistoryEntry, JsonObject, JsonValue, Viewer } from "@agent-history/core";
import {
  cameAs,
  isJsonObject,
  joinUserMessages,
  objectOf,
  parseJson,
  readMessages,
  textOf,
  toJsonObject,
  withoutUndefined,
  writeMessages,
} from "@agent-history/format-kit";
import type { MessageFormat, ReadOptions } from "@agent-history/format-kit";

import { KWARGS } from "./internal/langchain-parts.ts";
import { classOf, messageFields, typeOf } from "./internal/message-fields.ts";
import { readLangChainMessage } from "./internal/read-langchain.ts";
import { writeLangChainMessage } from "./internal/write-langchain.ts";

/** The format of LangChain's messages. */
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

/** Input of `fromMessages`: a LangChain message of any version of `@langchain/core`, or a plain object that LangChain accepts as a message. */
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
 * A message as a plain object, which LangChain's models, prompts and agents accept (`BaseMessageLike`): with `tool_calls` (`{ id, name, args }`) if a model calls tools, and with the `tool_call_id`
 * of the call that it answers. Other fields of the source message are kept.
 */
export interface LangChainMessage {
  type: "system" | "human" | "ai" | "tool";
  content: string | LangChainBlock[];
  [field: string]: unknown;
}

/** A content block: text, an image, reasoning, or a provider's own block. */
export interface LangChainBlock {
  type: string;
  [field: string]: unknown;
}

/** Fields for the entries that messages do not contain. */
export type FromMessagesOptions = ReadOptions;

/**
 * Converts LangChain's messages to entries, one each, so that `toMessages` returns the same messages. Takes instances of its classes, and the plain objects
 * that it accepts (`{ role: "user", content }`). Linear.
 *
 * A message with `tool_calls` becomes an `action`, a tool's message an `observation`. A message of an unknown type is kept whole, as an opaque part of an
 * `assistant_message`.
 *
 * Without `newId`, ids are derived from position and text (`langchain-3-1k2x9f`). Pass the full conversation at each call: the entries of earlier messages
 * keep their ids, so that a reducer can continue its previous plan. The same message object gives the same entry object.
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

/** Options of {@link toMessages}. */
export interface ToMessagesOptions<Message extends object = LangChainMessage> {
  /** The viewer of the prompt: its own `final` is a model's message, another agent's a user message. Default: none. */
  readonly viewer?: Viewer | undefined;
  /**
   * Creates a message from its fields: `coerceMessageLikeToMessage` of `@langchain/core/messages`. Default: an instance of the class of another message of the same type in the
   * conversation, else a plain object, which LangChain's models, prompts and agents accept, too.
   */
  readonly toMessage?: ((fields: LangChainMessage) => Message) | undefined;
}

/**
 * Converts entries to LangChain's messages, one each, in order. An entry from `fromMessages` becomes the same message object again; one that was changed
 * since becomes a new message with its present content. A recall block or summary directly before a user message is merged into its beginning. Linear.
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
    const said = withoutStaleCopy(fields);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the written object has the fields of a message
    return toMessage === undefined ? like(said) : toMessage(said as object as LangChainMessage);
  };
  const fieldsOf = (message: object): JsonObject => toJsonObject(messageFields(message));
  const format: MessageFormat = {
    ...langChainFormat,
    unpack: make,
    join: (before, message) => {
      const joined = joinUserMessages(fieldsOf(before), fieldsOf(message));
      if (joined === undefined) return undefined;
      const { role: _, ...said } = toJsonObject(joined);
      return make({ ...said, type: "human" });
    },
  };
  const messages = writeMessages(format, entries, {
    viewer,
    known: (run) => {
      const message = cameAs(langChainFormat, run);
      return message && withoutStaleCopy(message) === message ? message : undefined;
    },
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each message of the input is returned as a message, with any unknown fields
  return messages as Message[];
}

/** Maps an entry's origin to its message. The origin survives changes of the entry. */
const messageOf = new WeakMap<object, object>();

/** Creates a message from its fields. */
type MakeMessage = (fields: JsonObject) => object;

/**
 * Creates messages like those of the same conversation: instances of LangChain's classes if one of the same type was among them, else plain
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
    // A class sets its type itself.
    return typeof made === "function" ? Reflect.construct(made, [said]) : fields;
  };
}

/**
 * OpenAI's answers contain a copy of themselves in `response_metadata.output`, which LangChain sends instead of the message. The copy is removed if it differs from the message, because calls were
 * edited or rejected, or reasoning was removed. Returns the same message if it does not.
 */
function withoutStaleCopy<Message extends object>(message: Message): Message | JsonObject {
  const { response_metadata: given }: LangChainMessageLike = message;
  if (!Array.isArray(Object(given).output)) return message;
  const fields = toJsonObject(message);
  const { content, id, tool_calls: calls, response_metadata: metadata } = fields;
  const { output, ...others } = objectOf(metadata);
  const items = objectsOf(output);
  const parts = objectsOf(content);
  const { reasoning, [CALL_IDS]: _, ...kwargs } = objectOf(fields[KWARGS]);
  const isThought = ({ type }: JsonObject): boolean => type === "reasoning";
  const isThoughtLost = items.some(isThought) && reasoning === undefined && !parts.some(isThought);
  const blocks = items.flatMap(({ type, content: said }) =>
    type === "message" ? objectsOf(said) : [],
  );
  const isSaid = textsOf(content) === textsOf(blocks);
  if (isSaid && !isThoughtLost && areCalls(items, objectsOf(calls))) return message;
  // LangChain sends only texts: for an answer of reasoning and calls only, OpenAI would receive a message without content.
  const isNothing = Array.isArray(content) && !parts.some(({ type }) => SENT.has(type));
  const left = { ...fields, ...(isNothing && { content: "" }), response_metadata: others };
  if (!isThoughtLost) return left;
  // By the ids of its items, OpenAI would demand the reasoning.
  const isItem = textOf(id)?.startsWith("msg_") === true;
  return withoutUndefined({ ...left, id: isItem ? undefined : id, [KWARGS]: kwargs });
}

const CALL_IDS = "__openai_function_call_ids__";

const SENT: ReadonlySet<JsonValue | undefined> = new Set(["text", "output_text", "refusal"]);

function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** Returns whether the calls of OpenAI's copy are those of the message. */
function areCalls(items: readonly JsonObject[], calls: readonly JsonObject[]): boolean {
  const raw = items.filter(({ type }) => type === "function_call");
  const isSame = ({ args, id }: JsonObject, at: number): boolean => {
    const { call_id: callId, arguments: text } = raw[at] ?? {};
    return callId === id && sameJson(parseJson(textOf(text) ?? "") ?? "", args ?? null);
  };
  return raw.length === calls.length && calls.every(isSame);
}

function textsOf(content: JsonValue | undefined): string {
  return (
    textOf(content) ??
    objectsOf(content)
      .map(({ text }) => textOf(text) ?? "")
      .join("")
  );
}
