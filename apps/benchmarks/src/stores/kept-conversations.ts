import type { HistoryStore } from "@agent-history/core";
import { createHistoryManager } from "@agent-history/history-manager";
import { createReducer } from "@agent-history/reducer";
import { memoryStore } from "@agent-history/store-kit";
import { redisStore } from "@agent-history/store-redis";
import { sqliteStore } from "@agent-history/store-sqlite";
import { gptTokenizerCounter } from "@agent-history/tokens/gpt-tokenizer";
import { createClient } from "redis";

import { conversationEntries } from "./conversation-entries.ts";
import type { StoreSystem } from "./store-system.ts";

/** A conversation that is kept somewhere, and goes on turn by turn. */
export interface KeptConversation {
  readonly system: string;
  readonly backend: StoreSystem["backend"] | "memory";
  /** Adds a question, does what comes before the model's call, adds the answer, and says what the second of these took, in milliseconds. */
  readonly oneMoreTurn: () => Promise<number>;
  readonly close: () => Promise<unknown>;
}

/** Entries in a batch while a conversation is made as long as it is to be. */
const FILL = 500;
const WINDOW = { contextTokens: 32_000 };
const CALL = { systemMessage: "You answer." };

/** Ours: `historyForModelCall` of one manager, from its second call on. */
export async function managedConversation(
  backend: KeptConversation["backend"],
  at: { readonly entries: number; readonly path: string; readonly url: string | undefined },
): Promise<KeptConversation> {
  const { store, close } = await openStore(backend, at);
  const threadId = `managed-${at.entries}`;
  for (let from = 0; from < at.entries; from += FILL) {
    await store.append(threadId, conversationEntries(from, Math.min(FILL, at.entries - from)));
  }
  const counter = gptTokenizerCounter({ encoding: "o200k_base" });
  const reducer = createReducer({ counter });
  const manager = createHistoryManager({ store, threadId, counter, reducer, window: WINDOW });
  await manager.historyForModelCall(CALL);
  let length = at.entries;
  return {
    system: "agent-history, historyForModelCall",
    backend,
    oneMoreTurn: async () => {
      const [question, answer] = conversationEntries(length, 2);
      length += 2;
      await manager.addUserMessage({ content: question?.content ?? "" });
      const start = performance.now();
      await manager.historyForModelCall(CALL);
      const ms = performance.now() - start;
      await manager.addAssistantMessage({ content: answer?.content ?? "" });
      return ms;
    },
    close,
  };
}

/** What reads a conversation and fits nothing: the newest entries, or all of them where it knows no other way. */
export async function readConversation(
  system: StoreSystem,
  { entries, newest }: { readonly entries: number; readonly newest: number },
): Promise<KeptConversation> {
  const thread = await system.open(`read-${entries}`);
  for (let from = 0; from < entries; from += FILL) {
    await thread.append(conversationEntries(from, Math.min(FILL, entries - from)));
  }
  let length = entries;
  return {
    system: system.name,
    backend: system.backend,
    oneMoreTurn: async () => {
      const [question, answer] = conversationEntries(length, 2);
      length += 2;
      if (question !== undefined) await thread.append([question]);
      const start = performance.now();
      await thread.tail(newest);
      const ms = performance.now() - start;
      if (answer !== undefined) await thread.append([answer]);
      return ms;
    },
    close: () => thread.close(),
  };
}

async function openStore(
  backend: KeptConversation["backend"],
  { path, url }: { readonly path: string; readonly url: string | undefined },
): Promise<{ readonly store: HistoryStore; readonly close: () => Promise<unknown> }> {
  if (backend === "memory") return closing(memoryStore());
  if (backend === "SQLite") return closing(sqliteStore({ path }));
  const client = createClient(url === undefined ? {} : { url });
  await client.connect();
  const store = redisStore({ client, namespace: "benchmark" });
  return { store, close: async () => store.close().then(() => client.close()) };
}

function closing(store: HistoryStore): {
  readonly store: HistoryStore;
  readonly close: () => Promise<unknown>;
} {
  return { store, close: async () => store.close() };
}
