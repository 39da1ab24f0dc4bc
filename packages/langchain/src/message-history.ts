import { HistoryError, isHistoryError } from "@agent-history/core";
import type { HistoryEntry, HistoryStore } from "@agent-history/core";
import { storeBatches } from "@agent-history/format-kit";

import { fromMessages, toMessages } from "./messages.ts";
import type { LangChainMessage, LangChainMessageLike } from "./messages.ts";

/** Options of {@link messageHistory}. */
export interface MessageHistoryOptions<Message extends object> {
  /** Creates a message: `coerceMessageLikeToMessage` of `@langchain/core/messages`. A store holds the content of messages, not instances of LangChain's classes. */
  readonly toMessage: (fields: LangChainMessage) => Message;
  /** Returns the id of an entry. Default: UUIDs. */
  readonly newId?: (() => string) | undefined;
  readonly now?: (() => number) | undefined;
}

/** A `BaseListChatMessageHistory` of LangChain, for `RunnableWithMessageHistory` and custom loops. */
export interface MessageHistory<Message extends object> extends NotSerialized {
  getMessages(): Promise<Message[]>;
  addMessage(message: LangChainMessageLike): Promise<void>;
  addMessages(messages: readonly LangChainMessageLike[]): Promise<void>;
  addUserMessage(message: string): Promise<void>;
  addAIMessage(message: string): Promise<void>;
  /** Removes all messages from the thread. Only keyed hashes of their text remain, so that a late retry of an append is recognized. */
  clear(): Promise<void>;
}

/** Serialization members of LangChain's own histories. Here nothing of the object is serialized. */
interface NotSerialized {
  lc_serializable: boolean;
  lc_kwargs: { [key: string]: unknown };
  lc_namespace: string[];
  lc_id: string[];
  lc_secrets: undefined;
  lc_attributes: undefined;
  lc_aliases: undefined;
  lc_serializable_keys: undefined;
  toJSON(): { lc: number; type: "not_implemented"; id: string[] };
  toJSONNotImplemented(): { lc: number; type: "not_implemented"; id: string[] };
}

/**
 * Stores a LangChain conversation in a thread of a store: SQLite, Redis, Postgres or memory. Messages are written as they are added, those of one call
 * in one write of at most 500.
 *
 * @param threadId - The session's id.
 * @throws `HistoryError` as the store does, and with code `INVALID_OPTION` if `toMessage` is missing.
 *
 * @example
 * ```ts
 * import { memoryStore } from "@agent-history/store-kit";
 * import { messageHistory } from "@agent-history/langchain";
 *
 * const store = memoryStore();
 * // import { coerceMessageLikeToMessage as toMessage } from "@langchain/core/messages";
 * const toMessage = (fields: object) => fields;
 * const history = messageHistory(store, "session-1", { toMessage });
 * await history.addUserMessage("To Rome, please.");
 * await history.addAIMessage("Two flights go there.");
 * (await history.getMessages()).length;
 * // => 2
 * ```
 */
export function messageHistory<Message extends object>(
  store: HistoryStore,
  threadId: string,
  options: MessageHistoryOptions<Message>,
): MessageHistory<Message> {
  const { toMessage, newId = randomId, now = Date.now } = options;
  if (typeof toMessage !== "function") {
    throw new HistoryError(
      "Expected `toMessage` to return messages. Pass coerceMessageLikeToMessage of @langchain/core/messages.",
      { code: "INVALID_OPTION", details: { option: "toMessage" } },
    );
  }
  const addMessages = async (messages: readonly LangChainMessageLike[]): Promise<void> => {
    const entries = fromMessages(messages, { newId, now });
    for (const batch of storeBatches(entries)) await store.append(threadId, batch);
  };
  return {
    getMessages: async () => toMessages(await readAll(store, threadId), { toMessage }),
    addMessages,
    addMessage: (message) => addMessages([message]),
    addUserMessage: (content) => addMessages([{ type: "human", content }]),
    addAIMessage: (content) => addMessages([{ type: "ai", content }]),
    clear: () => clear(store, threadId),
    ...NOT_SERIALIZED,
  };
}

const ID = ["agent_history", "messageHistory"];

const NOT_SERIALIZED: NotSerialized = {
  lc_serializable: false,
  lc_kwargs: {},
  lc_namespace: ["agent_history"],
  lc_id: ID,
  lc_secrets: undefined,
  lc_attributes: undefined,
  lc_aliases: undefined,
  lc_serializable_keys: undefined,
  toJSON: () => ({ lc: 1, type: "not_implemented", id: ID }),
  toJSONNotImplemented: () => ({ lc: 1, type: "not_implemented", id: ID }),
};

function randomId(): string {
  return crypto.randomUUID();
}

async function readAll(store: HistoryStore, threadId: string): Promise<readonly HistoryEntry[]> {
  const { entries, problems } = await store.read(threadId, { originals: true });
  const problem = problems.find(({ kind }) => kind === "broken");
  if (problem !== undefined) {
    throw new HistoryError("Some rows of the thread cannot be read; `store.verify` lists them.", {
      code: "THREAD_CORRUPT",
      details: { threadId, position: problem.position },
    });
  }
  return entries;
}

async function clear(store: HistoryStore, threadId: string): Promise<void> {
  const { entries } = await store.read(threadId, { originals: true });
  const [first] = entries;
  if (first === undefined) return;
  const nothing = { expectedVersion: "any", replacement: [], operationId: randomId() } as const;
  await store.replaceSuffix(threadId, { from: first.id, ...nothing }).catch((error: unknown) => {
    // Another process has cleared it meanwhile.
    if (!isHistoryError(error, "NOT_FOUND")) throw error;
  });
}
