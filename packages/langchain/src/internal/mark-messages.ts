import type { HistoryEntry, JsonObject, JsonValue, ReductionPlan } from "@agent-history/core";
import { isJsonObject, markStable, toJsonObject } from "@agent-history/format-kit";

import { classOf, messageFields, typeOf } from "./message-fields.ts";

/** Places marks for Claude's prompt cache in the content of messages, at most four with those that came. */
export function markMessages(
  messages: readonly object[],
  entries: readonly HistoryEntry[],
  plan: ReductionPlan,
  {
    lengthOf,
    beside = [],
  }: {
    readonly lengthOf: (entries: readonly HistoryEntry[]) => number;
    /** What else of the request may carry marks: its system message, its tools. */
    readonly beside?: readonly unknown[];
  },
): readonly object[] {
  const human = classOf(messages.find((message) => isOf(message, "human", "user")) ?? {});
  return markStable(messages, entries, plan, {
    mark: (message) => marked(message, human),
    marksOf,
    isSystem: (message) => isOf(message, "system", "developer"),
    lengthOf,
    beside: beside.flatMap(marksOf).length,
  });
}

const MARK = { cache_control: { type: "ephemeral" } };

/** Returns a message that carries a mark on its last block; `undefined` for an answer, whose calls LangChain writes behind its content, and where nothing is said. */
function marked(message: object, human?: unknown): object | undefined {
  const fields = toJsonObject(messageFields(message));
  const blocks = blocksOf(fields["content"]);
  const last = blocks.at(-1);
  if (last === undefined || isOf(message, "ai", "assistant")) return undefined;
  if (!isOf(message, "tool")) {
    return copied(classOf(message), {
      ...fields,
      content: [...blocks.slice(0, -1), { ...last, ...MARK }],
    });
  }
  // Within a result the API refuses a mark, and LangChain writes none on it: https://github.com/langchain-ai/langchain/issues/34920
  const { tool_call_id: id } = fields;
  if (typeof id !== "string" || !blocks.every(({ type }) => type === "text")) return undefined;
  // The order of LangChain's fields: the prompt is the same with and without a mark.
  const said = { type: "tool_result", content: fields["content"] ?? "", tool_use_id: id };
  return copied(human, { type: "human", content: [{ ...said, ...MARK }] });
}

/** Returns a system message with a mark, unless it has one or says nothing. */
export function markedSystem<Message extends object>(message: Message): Message {
  const made = marksOf(message).length > 0 ? undefined : marked(message);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a message with a mark is of its class
  return (made ?? message) as Message;
}

function copied(made: unknown, fields: JsonObject): object {
  if (typeof made !== "function") return fields;
  const { type: _, ...said } = fields;
  return Reflect.construct(made, [said]);
}

function blocksOf(content: JsonValue | undefined): readonly JsonObject[] {
  if (typeof content === "string")
    return content.trim() === "" ? [] : [{ type: "text", text: content }];
  const blocks = Array.isArray(content) ? content : [];
  return blocks.every(isJsonObject) ? blocks : [];
}

function isOf(message: object, ...types: readonly unknown[]): boolean {
  return types.includes(typeOf(message) ?? ("role" in message ? message.role : undefined));
}

/** Returns the lifetimes of the marks in a value: of a message, its blocks, a tool. */
function marksOf(value: unknown): readonly ("5m" | "1h")[] {
  if (Array.isArray(value)) return value.flatMap(marksOf);
  if (typeof value !== "object" || value === null) return [];
  const { cache_control: own, extras, content }: Marked = value;
  const lifetime = typeof own === "object" && own?.ttl === "1h" ? "1h" : "5m";
  return [...(own ? ([lifetime] as const) : []), ...marksOf(extras), ...marksOf(content)];
}

interface Marked {
  readonly cache_control?: { readonly ttl?: unknown } | null;
  readonly extras?: unknown;
  readonly content?: unknown;
}
