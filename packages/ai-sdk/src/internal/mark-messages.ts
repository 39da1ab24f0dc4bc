import type { HistoryEntry, JsonObject, ReductionPlan } from "@agent-history/core";
import { marksIn, markStable } from "@agent-history/format-kit";
import type { CacheMarks } from "@agent-history/format-kit";

/** Writes entries with marks for Claude's prompt cache in the provider options of messages, at most four with those that came. */
export function writeMarked(
  entries: readonly HistoryEntry[],
  plan: ReductionPlan,
  {
    isFixed = () => false,
    ...marks
  }: Pick<CacheMarks, "write" | "beside"> & {
    /** Messages that must go out as they came. */
    readonly isFixed?: (message: object) => boolean;
  },
): readonly object[] {
  return markStable(entries, plan, {
    ...marks,
    mark: (message) => (isFixed(message) || !mayCarry(message) ? undefined : withMark(message)),
    isSystem: (message) => "role" in message && message.role === "system",
  });
}

/** Marks the last system message, unless one of them has a mark. */
export function markInstructions<Message extends object>(messages: readonly Message[]): Message[] {
  const isMarked = marksIn(messages).length > 0;
  return messages.map((one, at) => (at < messages.length - 1 || isMarked ? one : withMark(one)));
}

const CARRYING = new Set<unknown>(["text", "image", "file", "tool-call", "tool-result"]);

/** A message's mark stands on its last part: thinking and texts without words carry none. */
function mayCarry({ content }: { readonly content?: unknown }): boolean {
  const last: unknown = Array.isArray(content) ? content.at(-1) : { type: "text", text: content };
  const { type, text }: { readonly type?: unknown; readonly text?: unknown } = Object(last);
  return CARRYING.has(type) && (type !== "text" || (typeof text === "string" && /\S/u.test(text)));
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
