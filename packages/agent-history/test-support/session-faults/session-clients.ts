import { isHistoryError } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";
import type { UIMessage } from "ai";

import { chatStore } from "../../src/ai-sdk.ts";
import { claudeSessionStore } from "../../src/anthropic.ts";
import { messageHistory } from "../../src/langchain.ts";
import { historySession } from "../../src/openai-agents.ts";

/** A session of an SDK, used as the SDK uses it: numbered items, one after another. */
export interface SessionClient {
  /** Writes the item of a number; the same again where nobody knows what became of it. */
  readonly write: (number: number) => Promise<unknown>;
  /** The numbers that stand in the session, in order. */
  readonly read: () => Promise<readonly number[]>;
}

/** Opens the session of each SDK in a store. */
export const sessionClients: Readonly<Record<string, (store: HistoryStore) => SessionClient>> = {
  historySession: (store) => {
    const session = historySession({ store, threadId: "session" });
    return {
      write: (number) => {
        const items = [{ role: "user", content: textOf(number) }];
        const transaction = { type: "append_items" as const, items };
        return session.applyHistoryTransaction({ operationId: `turn ${number}`, transaction });
      },
      read: async () => (await session.getItems()).map(numberIn),
    };
  },
  claudeSessionStore: (store) => {
    const sessions = claudeSessionStore(store);
    const key = { projectKey: "shop", sessionId: "3f2a" };
    return {
      write: (number) => {
        const line = { type: "user", uuid: `u${number}`, text: textOf(number) };
        return sessions.append(key, [line]);
      },
      read: async () => ((await sessions.load(key)) ?? []).map(numberIn),
    };
  },
  messageHistory: (store) => {
    const toMessage = (fields: object): object => fields;
    const open = (number: number) =>
      // Ids and times that are the same when a message is sent again.
      messageHistory(store, "session", { toMessage, newId: () => `m${number}`, now: () => number });
    return {
      write: (number) => open(number).addUserMessage(textOf(number)),
      read: async () => (await open(0).getMessages()).map(numberIn),
    };
  },
  chatStore: (store) => {
    const chats = chatStore(store);
    const chatId = "chat";
    return {
      // As a route does: it loads the chat, and saves it with the message that is not there yet.
      write: async (number) => {
        const { messages, revision } = await chats.loadChat(chatId);
        const id = `u${number}`;
        if (messages.some((message) => message.id === id)) return;
        const parts: UIMessage["parts"] = [{ type: "text", text: textOf(number) }];
        const saved: readonly UIMessage[] = [...messages, { id, role: "user", parts }];
        await chats.saveChat({ chatId, revision, messages: saved });
      },
      read: async () => (await chats.loadChat(chatId)).messages.map(numberIn),
    };
  },
};

/** Writes an item until it is acknowledged. */
export async function writeUntilAcknowledged(
  { write }: SessionClient,
  number: number,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await write(number);
      return;
    } catch (error) {
      if (attempt === 100 || isHistoryError(error, "INVALID_OPTION")) throw error;
    }
  }
}

function textOf(number: number): string {
  return `item ${number}. ${"x".repeat((number * 37) % 997)}`;
}

function numberIn(item: unknown): number {
  return Number(/item (\d+)\./u.exec(JSON.stringify(item))?.[1] ?? Number.NaN);
}
