import { sameJson, throwIfAborted } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import {
  countedIds,
  messageReader,
  packBinary,
  positionIds,
  requireMessages,
} from "@agent-history/format-kit";
import type { ReadOptions } from "@agent-history/format-kit";
import type { ModelMessage, ToolSet, UIMessage } from "ai";

import { modelFormat } from "./internal/model-format.ts";
import { uiConverter } from "./internal/ui-converter.ts";
import { carrierEntry, withMetadata } from "./internal/with-metadata.ts";

/** How UI messages become entries. */
export interface FromUIOptions extends ReadOptions {
  /** The tools of the conversation: their `toModelOutput` says what the model is shown of a result. */
  readonly tools?: ToolSet | undefined;
  /** Leaves out calls that have no result yet. Default `false`. */
  readonly ignoreIncompleteToolCalls?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Turns UI messages (`useChat`, or a database of them) into entries, by the AI SDK's own `convertToModelMessages`, message by
 * message. Linear.
 *
 * Entries have the id of their message: `msg1` the first, `msg1/1` the second. What a prompt has no place for (the message's
 * metadata, sources, data parts, states) stands in `metadata.uiMessage` of the first entry that its message became, so that `toUIMessages` gives the
 * same message back. A message of which a prompt shows nothing is an entry of the type `ui_message`, which is never sent. A message that the AI SDK cannot convert is
 * carried whole, as `fromModelMessages` carries one of no known kind. A request for an approval that a later user message passed over is left out, as the AI SDK does.
 *
 * @throws `HistoryError` with code `ABORTED` if the signal fired, `INVALID_OPTION` if `messages` is not a list.
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
  requireMessages(messages);
  const { tools, ignoreIncompleteToolCalls, signal, ...stamp } = options;
  const convert = await uiConverter({
    ...(tools !== undefined && { tools }),
    ...(ignoreIncompleteToolCalls !== undefined && { ignoreIncompleteToolCalls }),
  });
  const newest = messages.findLastIndex(isUsers);
  const reader = messageReader(modelFormat, stamp);
  const idsOf = ownIds();
  const read: (readonly HistoryEntry[])[] = [];
  const { newId, now } = stamp;
  for (const [index, message] of messages.entries()) {
    throwIfAborted(signal);
    const became = await convert(message, { isPassedOver: index < newest });
    if (became === undefined) {
      read.push(reader(message, idsOf(message)));
      continue;
    }
    const known = recallMessages(message, became);
    const [first, ...others] = known.flatMap((one) => reader(one, idsOf(message)));
    if (first !== undefined) read.push([withMetadata(first, message, became), ...others]);
    else
      read.push([
        carrierEntry(message, { now, newId: newId ?? idsOf(message) ?? indexedId(index) }),
      ]);
  }
  return read.flat();
}

function indexedId(index: number): () => string {
  return positionIds({ prefix: "ui-message", index, text: "" });
}

function isUsers(message: UIMessage): boolean {
  try {
    return message.role === "user";
  } catch {
    return false;
  }
}

/** Returns the source of a UI message's ids; none where it has no id, or another message has it too. */
function ownIds(): (message: UIMessage) => (() => string) | undefined {
  const known = new Map<string, { readonly of: UIMessage; readonly nextId: () => string }>();
  return (message) => {
    const id = idOf(message);
    if (id === undefined) return undefined;
    const ids = known.get(id) ?? { of: message, nextId: countedIds(id) };
    known.set(id, ids);
    return ids.of === message ? ids.nextId : undefined;
  };
}

function idOf(message: UIMessage): string | undefined {
  try {
    return typeof message.id === "string" && message.id !== "" ? message.id : undefined;
  } catch {
    return undefined;
  }
}

const messagesOf = new WeakMap<UIMessage, readonly ModelMessage[]>();

/** Returns the messages that this UI message became before, where they say the same: what a counter knows by object holds. */
function recallMessages(
  message: UIMessage,
  became: readonly ModelMessage[],
): readonly ModelMessage[] {
  const known = messagesOf.get(message);
  if (known !== undefined && sameJson(known.map(packBinary), became.map(packBinary))) return known;
  messagesOf.set(message, became);
  return became;
}
