import type { HistoryEntry, JsonObject, ReductionPlan } from "@agent-history/core";
import { markStable } from "@agent-history/format-kit";
import type { CacheMarks } from "@agent-history/format-kit";

/** Writes entries as messages with marks for Claude's prompt cache in their provider options: at most four, existing marks included. */
export function writeMarked(
  entries: readonly HistoryEntry[],
  plan: ReductionPlan,
  marks: Pick<CacheMarks, "write" | "beside">,
): readonly object[] {
  return markStable(entries, plan, {
    ...marks,
    mark: (message) => (mayCarry(message) ? withMark(message) : undefined),
    isSystem: (message) => "role" in message && message.role === "system",
  });
}

const CARRYING = new Set<unknown>(["text", "image", "file", "tool-call", "tool-result"]);

/** Returns whether a message can carry a mark. The mark applies to its last part, which must not be reasoning or blank text. */
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
