import { sameJson, throwIfAborted } from "@agent-history/core";
import type { HistoryEntry, JsonObject, JsonValue } from "@agent-history/core";
import {
  countedIds,
  isJsonObject,
  messageReader,
  packBinary,
  toJson,
} from "@agent-history/format-kit";
import type { ModelMessage, ToolSet, UIMessage } from "ai";

import type { FromModelOptions } from "./from-model-messages.ts";
import { modelFormat } from "./internal/model-format.ts";

/** How UI messages become entries. */
export interface FromUIOptions extends FromModelOptions {
  /** The tools of the conversation: their `toModelOutput` says what the model is shown of a result. */
  readonly tools?: ToolSet;
  /** Leaves out calls that have no result yet. Default `false`. */
  readonly ignoreIncompleteToolCalls?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * Turns UI messages (`useChat`, or a database of them) into entries, by the AI SDK's own `convertToModelMessages`, message by
 * message. Linear.
 *
 * Entries have the id of their message: `msg1` the first, `msg1/1` the second. What a prompt has no place for (the message's
 * metadata, sources, data parts) stands in `metadata.uiMessage` of the first entry that its message became. A request for an approval that a later user message passed over is left out, as the AI SDK does.
 *
 * @throws `HistoryError` with code `ABORTED` where the signal fired.
 *
 * @example
 * ```ts
 * import { fromUIMessages, toModelMessages } from "@agent-history/ai-sdk";
 *
 * const entries = await fromUIMessages([
 *   { id: "u1", role: "user", parts: [{ type: "text", text: "To Rome, please." }] },
 * ]);
 * toModelMessages(entries);
 * // => [{ role: "user", content: [{ type: "text", text: "To Rome, please." }] }]
 * ```
 */
export async function fromUIMessages(
  messages: readonly UIMessage[],
  options: FromUIOptions = {},
): Promise<readonly HistoryEntry[]> {
  const { tools, ignoreIncompleteToolCalls, signal, ...bears } = options;
  const { convertToModelMessages } = await import("ai");
  const convert = {
    ...(tools !== undefined && { tools }),
    ...(ignoreIncompleteToolCalls !== undefined && { ignoreIncompleteToolCalls }),
  };
  const newest = messages.findLastIndex(({ role }) => role === "user");
  const converted: { readonly of: UIMessage; readonly message: ModelMessage }[] = [];
  for (const [index, message] of messages.entries()) {
    throwIfAborted(signal);
    const shown = index < newest ? withoutOpenRequests(message) : message;
    const became = recallMessages(message, await convertToModelMessages([shown], convert));
    for (const one of became) converted.push({ of: message, message: one });
  }
  const reader = messageReader(modelFormat, bears);
  const idsOf = ownIds();
  const read = converted.map(({ of, message }) => reader(message, idsOf(of)));
  return read.flatMap(([first, ...others], index) => {
    const came = converted[index]?.of;
    const isFirst = came !== converted[index - 1]?.of;
    if (first === undefined || came === undefined || !isFirst) return read[index] ?? [];
    return [withMetadata(first, came), ...others];
  });
}

/** Gives the source of a UI message's ids; none where it has no id, or another message has it too. */
function ownIds(): (message: UIMessage) => (() => string) | undefined {
  const known = new Map<string, { readonly of: UIMessage; readonly nextId: () => string }>();
  return (message) => {
    if (typeof message.id !== "string" || message.id === "") return undefined;
    const ids = known.get(message.id) ?? { of: message, nextId: countedIds(message.id) };
    known.set(message.id, ids);
    return ids.of === message ? ids.nextId : undefined;
  };
}

/** What was asked and passed over is not asked again. */
function withoutOpenRequests(message: UIMessage): UIMessage {
  const parts = message.parts.filter(
    (part) => !("state" in part) || part.state !== "approval-requested",
  );
  return parts.length === message.parts.length ? message : { ...message, parts };
}

const messagesOf = new WeakMap<UIMessage, readonly ModelMessage[]>();

/** Gives the messages that this UI message became before, where they say the same: what a counter knows by object holds. */
function recallMessages(
  message: UIMessage,
  became: readonly ModelMessage[],
): readonly ModelMessage[] {
  const known = messagesOf.get(message);
  if (known !== undefined && sameJson(known.map(packBinary), became.map(packBinary))) return known;
  messagesOf.set(message, became);
  return became;
}

const withMetadataOf = new WeakMap<HistoryEntry, HistoryEntry>();

function withMetadata(entry: HistoryEntry, { id, metadata, parts }: UIMessage): HistoryEntry {
  const beside = parts.filter(({ type }) => type.startsWith("source-") || type.startsWith("data-"));
  const uiMessage: JsonObject = {
    id,
    ...(metadata !== undefined && { metadata: toJson(metadata) }),
    ...(beside.length > 0 && { parts: beside.map((part): JsonValue => toJson(part)) }),
  };
  const known = withMetadataOf.get(entry)?.metadata?.["uiMessage"];
  if (isJsonObject(known) && sameJson(known, uiMessage)) return withMetadataOf.get(entry) ?? entry;
  const bearing = { ...entry, metadata: { uiMessage } };
  withMetadataOf.set(entry, bearing);
  return bearing;
}
