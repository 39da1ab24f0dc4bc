import type { HistoryEntry, JsonObject, ReductionPlan } from "@agent-history/core";
import { isJsonObject, markStable } from "@agent-history/format-kit";

/** Places marks for Claude's prompt cache in the provider options of messages, at most four with those that came. */
export function markMessages(
  messages: readonly object[],
  entries: readonly HistoryEntry[],
  plan: ReductionPlan,
  {
    lengthOf,
    beside,
    isFixed = () => false,
  }: {
    readonly lengthOf: (entries: readonly HistoryEntry[]) => number;
    /** What else of the request may carry marks: instructions, tools, options of the call. */
    readonly beside: readonly unknown[];
    /** Messages that must go out as they came. */
    readonly isFixed?: (message: object) => boolean;
  },
): readonly object[] {
  return markStable(messages, entries, plan, {
    mark: (message) => (isFixed(message) || !mayCarry(message) ? undefined : withMark(message)),
    marksOf,
    isSystem: (message) => roleOf(message) === "system",
    lengthOf,
    beside: beside.flatMap(marksOf).length,
  });
}

/** Marks the last system message, unless one of them has a mark. */
export function markInstructions<Message extends object>(messages: readonly Message[]): Message[] {
  const isMarked = messages.some((message) => marksOf(message).length > 0);
  return messages.map((one, at) => (at < messages.length - 1 || isMarked ? one : withMark(one)));
}

const CARRYING = new Set<unknown>(["text", "image", "file", "tool-call", "tool-result"]);

/** A message's mark stands on its last part: thinking and texts without words carry none. */
function mayCarry(message: object): boolean {
  const { content }: { readonly content?: unknown } = message;
  if (typeof content === "string") return content.trim() !== "";
  const last: { readonly type?: unknown; readonly text?: unknown } | undefined = Array.isArray(
    content,
  )
    ? content.at(-1)
    : undefined;
  if (!CARRYING.has(last?.type)) return false;
  return last?.type !== "text" || (typeof last.text === "string" && last.text.trim() !== "");
}

function withMark<Message extends { readonly providerOptions?: Options }>(
  message: Message,
): Message {
  const { providerOptions } = message;
  const anthropic = { ...providerOptions?.anthropic, cacheControl: { type: "ephemeral" } };
  return { ...message, providerOptions: { ...providerOptions, anthropic } };
}

interface Options {
  readonly anthropic?: JsonObject;
}

/** Returns the lifetimes of the marks in a value: of a message, its parts, a tool. */
function marksOf(value: unknown): readonly ("5m" | "1h")[] {
  if (Array.isArray(value)) return value.flatMap(marksOf);
  if (typeof value !== "object" || value === null) return [];
  const { providerOptions, content, output, value: parts }: Marked = value;
  const { anthropic } = providerOptions ?? {};
  const own = anthropic?.["cacheControl"] ?? anthropic?.["cache_control"];
  const lifetime = isJsonObject(own) && own["ttl"] === "1h" ? "1h" : "5m";
  return [
    ...(own === undefined ? [] : ([lifetime] as const)),
    ...[content, output, parts].flatMap(marksOf),
  ];
}

interface Marked {
  readonly providerOptions?: Options;
  readonly content?: unknown;
  readonly output?: unknown;
  readonly value?: unknown;
}

function roleOf(message: object): unknown {
  return "role" in message ? message.role : undefined;
}
