import { HistoryError } from "@agent-history/core";
import type {
  EntrySources,
  ErasureReceipt,
  HistoryStore,
  ReductionPlan,
  StoredEntryProblem,
} from "@agent-history/core";
import { requireMessages, toJson } from "@agent-history/format-kit";
import type { ToolSet, UIMessage } from "ai";

import { fromUIMessages } from "./from-ui-messages.ts";
import {
  touchChat,
  conflict,
  readHead,
  requireBranch,
  writeHead,
  branchOff,
  goOn,
  keptLength,
  readChat,
  revisionOf,
  writePlan,
} from "./internal/chat-thread.ts";
import type { ChatBranch } from "./internal/chat-thread.ts";

export type { ChatBranch } from "./internal/chat-thread.ts";

/** How chats are kept. */
export interface ChatStoreOptions extends EntrySources {
  /** The tools of the chats: their `toModelOutput` says what the model is shown of a result. */
  readonly tools?: ToolSet | undefined;
  /** Changes messages before they are compared with what is stored, and stored: for example takes secrets out. It gives the same for the same message, and keeps its id. */
  readonly beforeStore?: ((message: UIMessage) => UIMessage | Promise<UIMessage>) | undefined;
}

/** What a load gives. */
export interface StoredChat {
  readonly messages: UIMessage[];
  /** The plan that was saved last, for `previousPlan`. */
  readonly plan: ReductionPlan | undefined;
  /** What the chat is at: pass it to {@link ChatStore.saveChat}. */
  readonly revision: string;
  readonly branch: string;
  /** The thread of the branch, for recall tools and other readers of the store. */
  readonly threadId: string;
  /** Rows that could not be read. */
  readonly problems: readonly StoredEntryProblem[];
}

/** What is saved. */
export interface ChatToSave {
  readonly chatId: string;
  /** The whole chat, as it stands from now on; each message has an id of its own. */
  readonly messages: readonly UIMessage[];
  /** The chat's revision when it was loaded, or saved before. Default: whatever it is. */
  readonly revision?: string | undefined;
  /** The plan of the newest fit, kept beside the chat. Default: none is written. */
  readonly plan?: ReductionPlan | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Keeps chats of the AI SDK: `UIMessage`s in threads of a store. */
export interface ChatStore {
  /** Reads a chat, the current branch of it or another. One that is not there is empty. */
  loadChat(
    chatId: string,
    options?: { readonly branch?: string | undefined; readonly signal?: AbortSignal | undefined },
  ): Promise<StoredChat>;
  /**
   * Saves a chat: new messages are appended. Where an earlier message was changed or left out (edited, regenerated, an answer that went on), the chat
   * goes on in a new branch, which becomes the current one; the old one stays. Nothing is written for what is there already. Where the answer of the store is lost (`OUTCOME_UNKNOWN`) or the signal
   * fires, the chat is as it was or as it was saved: load it again.
   *
   * @throws `HistoryError` with code `VERSION_CONFLICT` if the chat is at another revision, or a message is there already: of one that is
   * sent twice, one is taken; `INVALID_OPTION` for a message without an id; `TOO_LARGE` for a message that the store does not take.
   */
  saveChat(chat: ChatToSave): Promise<{ readonly revision: string; readonly branch: string }>;
  /** Lists the branches of a chat, the oldest first. */
  branches(
    chatId: string,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<readonly ChatBranch[]>;
  /** Makes a branch the current one. @throws `HistoryError` with code `NOT_FOUND`, `VERSION_CONFLICT`. */
  selectBranch(
    chatId: string,
    branch: string,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<void>;
  /** Erases a chat with all its branches, those that are being made included. What fails half way is finished by the same call once more. */
  deleteChat(
    chatId: string,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<ErasureReceipt>;
}

/**
 * Makes a chat store of a history store: `loadChat` and `saveChat` as the AI SDK's guide on message persistence has them, on SQLite, Redis, Postgres or in
 * memory.
 *
 * What is loaded is what was saved, as JSON: ids, metadata, data parts, files and every state of a tool. A save compares the whole chat, so it is
 * linear in its length; it writes what is new.
 *
 * @example
 * ```ts
 * import { chatStore } from "@agent-history/ai-sdk";
 * import { memoryStore } from "@agent-history/store-kit";
 *
 * const chats = chatStore(memoryStore());
 * const { messages, revision } = await chats.loadChat("chat-1");
 * messages.push({ id: "u1", role: "user", parts: [{ type: "text", text: "To Rome, please." }] });
 * await chats.saveChat({ chatId: "chat-1", messages, revision });
 *
 * // The same request once more, as from a second tab.
 * const again = await chats.saveChat({ chatId: "chat-1", messages, revision }).catch(({ code }) => code);
 * again;
 * // => "VERSION_CONFLICT"
 * ```
 */
export function chatStore(store: HistoryStore, options: ChatStoreOptions = {}): ChatStore {
  const { newId = shortId, now, tools, beforeStore = (message) => message } = options;
  return {
    loadChat: async (chatId, call = {}) => {
      const chat = await readChat(store, chatId, { branch: call.branch, signal: call.signal });
      const { runs, plan, head, threadId, problems } = chat;
      const messages = runs.map(({ message }) => message);
      return {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what was saved as a message is loaded as one
        messages: messages as UIMessage[],
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a fit looks at a plan before it continues it
        plan: plan?.value as ReductionPlan | undefined,
        revision: revisionOf(chat),
        branch: head.branch,
        threadId,
        problems,
      };
    },

    saveChat: async ({ chatId, messages: given, revision, plan, signal }) => {
      requireIds(given);
      const messages = await Promise.all(given.map(async (message) => beforeStore(message)));
      const chat = await readChat(store, chatId, { signal });
      if (revision !== undefined && revision !== revisionOf(chat)) throw conflict(undefined);
      const kept = keptLength(chat.runs, messages);
      const entries = await fromUIMessages(messages.slice(kept), {
        ...(now !== undefined && { now }),
        tools,
        signal,
      });
      const saved =
        kept === chat.runs.length
          ? await goOn(store, chat, entries, { signal })
          : await branchOff(store, chat, entries, { kept, newId, signal });
      if (plan !== undefined) await writePlan(store, saved, toJson(plan), { signal });
      if (saved.head.branch !== "") await touchChat(store, chatId);
      return { revision: revisionOf(saved), branch: saved.head.branch };
    },

    branches: async (chatId, { signal } = {}) => (await readHead(store, chatId, signal)).branches,

    selectBranch: async (chatId, branch, { signal } = {}) => {
      const head = await readHead(store, chatId, signal);
      requireBranch(head, branch);
      if (head.branch !== branch) await writeHead(store, chatId, { ...head, branch }, signal);
    },

    deleteChat: async (chatId, { signal } = {}) =>
      store.delete(chatId, { includeForks: true, ...(signal && { signal }) }),
  };
}

function shortId(): string {
  return crypto.randomUUID().slice(0, 8);
}

function requireIds(messages: readonly UIMessage[]): void {
  requireMessages(messages);
  if (!messages.every(({ id }) => typeof id === "string" && id !== "")) {
    throw new HistoryError("Expected each of `messages` to have an id.", {
      code: "INVALID_OPTION",
      details: { option: "messages" },
    });
  }
  const ids = new Set(messages.map(({ id }) => id));
  if (ids.size < messages.length) throw conflict(undefined);
}
