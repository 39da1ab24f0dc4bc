import { customEntry, throwIfAborted } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import {
  countedIds,
  positionIds,
  readConversation,
  readMessage,
  requireMessages,
  toJson,
} from "@agent-history/format-kit";
import type { ConversationCache, ReadOptions, WaitingCalls } from "@agent-history/format-kit";
import type { ModelMessage, ToolSet, UIMessage } from "ai";

import { loadAi } from "./internal/load-ai.ts";
import { modelFormat } from "./internal/model-format.ts";
import { uiMetadata } from "./internal/ui-parts.ts";

/** How UI messages become entries. */
export interface FromUIOptions extends ReadOptions {
  /** The tools of the conversation: their `toModelOutput` says what the model is shown of a result. */
  readonly tools?: ToolSet | undefined;
  /** Leaves out calls that have no result yet. Default `false`. */
  readonly ignoreIncompleteToolCalls?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The type of the entry of a message that a prompt has no place for at all. A model is not shown it. */
const CARRIER = "ui_message";

const cache: ConversationCache = [];

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
  const converted: ConvertedMessage[] = [];
  const ids = new Set<string>();
  let position = 0;
  for (const [index, message] of messages.entries()) {
    throwIfAborted(signal);
    const became = await convert(message, { isPassedOver: index < newest });
    const id = idOf(message);
    const ownId = id === undefined || ids.has(id) ? undefined : id;
    if (id !== undefined) ids.add(id);
    converted.push({ message, became, ownId, index, position });
    position += became?.length ?? 1;
  }
  return readConversation(cache, {
    messages,
    options: stamp,
    said: (_, index) => converted[index],
    read: (index, waiting) => {
      const one = converted[index];
      const entries = one === undefined ? [] : entriesOf(one, { ...stamp, waiting });
      return { messages: [messages[index]], entries };
    },
  });
}

/** A UI message and what the AI SDK made of it. */
interface ConvertedMessage {
  readonly message: UIMessage;
  readonly became: readonly ModelMessage[] | undefined;
  /** Its id, unless a message before has the same. */
  readonly ownId: string | undefined;
  readonly index: number;
  /** The position of its first model message. */
  readonly position: number;
}

function entriesOf(
  { message, became, ownId, index, position }: ConvertedMessage,
  { waiting, ...stamp }: ReadOptions & { readonly waiting: WaitingCalls },
): readonly HistoryEntry[] {
  const newId = stamp.newId ?? (ownId === undefined ? undefined : countedIds(ownId));
  const options = { ...stamp, ...(newId !== undefined && { newId }), waiting };
  if (became === undefined)
    return readMessage(modelFormat, message, { ...options, index: position });
  const [first, ...others] = became.flatMap((one, at) =>
    readMessage(modelFormat, one, { ...options, index: position + at }),
  );
  const uiMessage = uiMetadata(message, became);
  if (first !== undefined) return [{ ...first, metadata: { uiMessage } }, ...others];
  const nextId = newId ?? positionIds({ prefix: "ui-message", index, text: "" });
  return [
    customEntry({
      type: CARRIER,
      id: nextId(),
      createdAtMs: (stamp.now ?? Date.now)(),
      metadata: { uiMessage: { ...uiMessage, role: toJson(message.role) } },
    }),
  ];
}

function isUsers(message: UIMessage): boolean {
  try {
    return message.role === "user";
  } catch {
    return false;
  }
}

function idOf(message: UIMessage): string | undefined {
  try {
    return typeof message.id === "string" && message.id !== "" ? message.id : undefined;
  } catch {
    return undefined;
  }
}

/** How the AI SDK converts UI messages. */
interface ConvertOptions {
  readonly tools?: ToolSet;
  readonly ignoreIncompleteToolCalls?: boolean;
}

/** Converts one message; gives `undefined` where it is none. */
type ConvertMessage = (
  message: UIMessage,
  options: { readonly isPassedOver: boolean },
) => Promise<readonly ModelMessage[] | undefined>;

/** Makes a converter of UI messages by the AI SDK's own. What a tool's `toModelOutput` throws is thrown on. */
async function uiConverter(options: ConvertOptions): Promise<ConvertMessage> {
  const { convertToModelMessages } = await loadAi();
  const { tools, ...others } = options;
  return async (message, { isPassedOver }) => {
    try {
      const shown = isPassedOver ? withoutOpenRequests(message) : message;
      return await convertToModelMessages([shown], options);
    } catch (error) {
      if (tools === undefined) return undefined;
      // Not `.then`: AI SDK 5 converts synchronously.
      try {
        await convertToModelMessages([message], others);
      } catch {
        return undefined;
      }
      throw error;
    }
  };
}

/** What was asked and passed over is not asked again. */
function withoutOpenRequests(message: UIMessage): UIMessage {
  const parts = message.parts.filter(
    (part) => !("state" in part) || part.state !== "approval-requested",
  );
  return parts.length === message.parts.length ? message : { ...message, parts };
}
