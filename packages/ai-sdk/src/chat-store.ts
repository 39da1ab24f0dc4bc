import { HistoryError, isHistoryError, sameJson } from "@agent-history/core";
import type {
  EntrySources,
  ErasureReceipt,
  HistoryEntry,
  HistoryStore,
  JsonValue,
  ReductionPlan,
  StoredEntryProblem,
} from "@agent-history/core";
import { requireMessages, storeBatches, toJson } from "@agent-history/format-kit";
import type { ToolSet, UIMessage } from "ai";

import { fromUIMessages, readUiRuns } from "./ui-messages.ts";
import type { UiRun } from "./ui-messages.ts";

/** Options of {@link chatStore}. */
export interface ChatStoreOptions extends EntrySources {
  /** The tools of the chats. Their `toModelOutput` determines what the model is shown of a result. */
  readonly tools?: ToolSet | undefined;
  /** Changes messages before they are compared with stored ones and saved, for example to remove secrets. It must be deterministic and keep the id. */
  readonly beforeStore?: ((message: UIMessage) => UIMessage | Promise<UIMessage>) | undefined;
}

/** A loaded chat. */
export interface StoredChat {
  readonly messages: UIMessage[];
  /** The last saved plan, for `previousPlan`. */
  readonly plan: ReductionPlan | undefined;
  /** The revision of the chat. Pass it to {@link ChatStore.saveChat}. */
  readonly revision: string;
  readonly branch: string;
  /** The thread of the branch, for recall tools and direct reads of the store. */
  readonly threadId: string;
  /** Stored entries that could not be read. */
  readonly problems: readonly StoredEntryProblem[];
}

/** Input of a save. */
export interface ChatToSave {
  readonly chatId: string;
  /** The whole chat in its new state. Each message needs a unique id. */
  readonly messages: readonly UIMessage[];
  /** The revision from the load or the previous save. Default: not checked. */
  readonly revision?: string | undefined;
  /** The plan of the newest fit, stored with the chat. Default: none is written. */
  readonly plan?: ReductionPlan | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Options common to all methods. */
export interface ChatCall {
  readonly signal?: AbortSignal | undefined;
}

/** Stores chats of the AI SDK: `UIMessage`s in threads of a store. */
export interface ChatStore {
  /** Loads a branch of a chat, by default the current one. A chat that does not exist is empty. */
  loadChat(
    chatId: string,
    options?: ChatCall & { readonly branch?: string | undefined },
  ): Promise<StoredChat>;
  /**
   * Saves a chat by appending new messages. If an earlier message was changed or removed (edited, regenerated, an answer that was continued), the chat
   * continues in a new branch, which becomes the current one; the old branch stays. Messages that are stored already are not written again. If the outcome is unknown (`OUTCOME_UNKNOWN`) or the signal
   * fires, the chat is either unchanged or saved: load it again.
   *
   * @throws `HistoryError` with code `VERSION_CONFLICT` if the chat has another revision or a message exists already (of two saves of the same
   * message, one succeeds); `INVALID_OPTION` for a message without an id; `TOO_LARGE` for a message that the store refuses.
   */
  saveChat(chat: ChatToSave): Promise<{ readonly revision: string; readonly branch: string }>;
  /** Lists the branches of a chat, oldest first. */
  branches(chatId: string, options?: ChatCall): Promise<readonly ChatBranch[]>;
  /** Makes a branch the current one. @throws `HistoryError` with code `NOT_FOUND`, `VERSION_CONFLICT`. */
  selectBranch(chatId: string, branch: string, options?: ChatCall): Promise<void>;
  /** Erases a chat with all its branches, unfinished ones included. If it fails halfway, call it again to finish. */
  deleteChat(chatId: string, options?: ChatCall): Promise<ErasureReceipt>;
}

/**
 * Creates a chat store on a history store: `loadChat` and `saveChat`, as in the AI SDK's guide on message persistence, on SQLite, Redis, Postgres or in
 * memory.
 *
 * Messages are loaded as they were saved, as JSON: ids, metadata, data parts, files and every tool state. A save compares the whole chat, so it is
 * linear in its length; it writes only what is new.
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
    loadChat: async (chatId, { branch, ...call } = {}) => {
      const chat = await readChat(store, chatId, { branch, ...call });
      const plan = await store.getState(chat.threadId, PLAN, call);
      const messages = chat.runs.map(({ message }) => message);
      return {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- stored messages are loaded as messages
        messages: messages as UIMessage[],
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a fit validates a plan before it continues it
        plan: plan?.value as ReductionPlan | undefined,
        revision: revisionOf(chat),
        branch: chat.head.branch,
        threadId: chat.threadId,
        problems: chat.problems,
      };
    },

    saveChat: async ({ chatId, messages: given, revision, plan, ...call }) => {
      requireIds(given);
      const messages = await Promise.all(given.map(async (message) => beforeStore(message)));
      const chat = await readChat(store, chatId, call);
      if (revision !== undefined && revision !== revisionOf(chat)) throw conflict(undefined);
      const kept = keptLength(chat.runs, messages);
      const stamp = { ...(now !== undefined && { now }), tools, ...call };
      const entries = await fromUIMessages(messages.slice(kept), stamp);
      const saved =
        kept === chat.runs.length
          ? await goOn(store, chat, entries, call)
          : await branchOff(store, chat, entries, { kept, branch: newId(), ...call });
      if (plan !== undefined) await writePlan(store, saved.threadId, toJson(plan), call);
      // If the current branch has its own thread, touch the chat's main thread, so that the chat sorts as recently changed.
      if (saved.head.branch !== "") await store.setMetadata(chatId, {}).catch(() => undefined);
      return { revision: revisionOf(saved), branch: saved.head.branch };
    },

    branches: async (chatId, call = {}) => (await readHead(store, chatId, call)).branches,

    selectBranch: async (chatId, branch, call = {}) => {
      const head = await readHead(store, chatId, call);
      requireBranch(head, branch);
      if (head.branch !== branch) await writeHead(store, chatId, { ...head, branch }, call);
    },

    deleteChat: async (chatId, call = {}) => store.delete(chatId, { includeForks: true, ...call }),
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

/** A branch of a chat, as read. */
interface ReadChat {
  readonly chatId: string;
  readonly head: ChatHead;
  readonly threadId: string;
  readonly version: number;
  readonly runs: readonly UiRun[];
  /** The id of the thread's first entry. */
  readonly first: string;
  readonly problems: readonly StoredEntryProblem[];
}

/** Reads a branch of a chat, by default the current one. The head is read first: if it changes meanwhile, a save fails. */
async function readChat(
  store: HistoryStore,
  chatId: string,
  { branch, ...call }: ChatCall & { readonly branch?: string | undefined },
): Promise<ReadChat> {
  const current = await readHead(store, chatId, call);
  if (branch !== undefined) requireBranch(current, branch);
  const head = { ...current, branch: branch ?? current.branch };
  const threadId = threadOf(chatId, head.branch);
  const { entries, ...read } = await store.read(threadId, { originals: true, ...call });
  const first = entries[0]?.id ?? "";
  return { chatId, head, threadId, runs: readUiRuns(entries), first, ...read };
}

/** Returns the revision of a chat; it differs after each write and each change of branch. */
function revisionOf({ head, version }: ReadChat): string {
  return `${head.branch}.${version}`;
}

/** Returns the number of leading messages that are unchanged. */
function keptLength(runs: readonly UiRun[], messages: readonly unknown[]): number {
  const isKept = ({ message }: UiRun, index: number): boolean =>
    index < messages.length && sameJson(toJson(message), toJson(messages[index]));
  const changed = runs.findIndex((run, index) => !isKept(run, index));
  return changed === -1 ? runs.length : changed;
}

/** Appends to the branch that was read. If another process has moved the head meanwhile, the messages are in a branch that was left, and the save fails. */
async function goOn(
  store: HistoryStore,
  chat: ReadChat,
  entries: readonly HistoryEntry[],
  call: ChatCall,
): Promise<ReadChat> {
  const { chatId, threadId, head } = chat;
  if (entries.length === 0) return chat;
  const version = await appendChat(store, threadId, entries, { version: chat.version, ...call });
  await writeHead(store, chatId, head, call);
  return { ...chat, version };
}

/**
 * Creates a branch after the unchanged messages, and moves the head to it. The branch that was read stays unchanged. A failure in between destroys nothing: a
 * branch that the head does not name is not part of the chat, and is removed unless its naming may still arrive.
 */
async function branchOff(
  store: HistoryStore,
  chat: ReadChat,
  entries: readonly HistoryEntry[],
  { kept, branch, ...call }: ChatCall & { readonly kept: number; readonly branch: string },
): Promise<ReadChat> {
  const { chatId, head, runs } = chat;
  const threadId = threadOf(chatId, branch);
  const made = { branch, from: head.branch, replaced: runs[kept]?.entries[0].id };
  const moved = { ...head, branch, branches: [...head.branches, made] };
  let isNaming = false;
  try {
    const version = await beginBranch(store, chat, entries, { kept, branch, ...call });
    isNaming = true;
    await writeHead(store, chatId, moved, call);
    return { ...chat, head: moved, threadId, version };
  } catch (error) {
    const isUnnamed = !isNaming || isHistoryError(error, "VERSION_CONFLICT");
    if (isUnnamed) await store.delete(threadId).catch(() => undefined);
    throw error;
  }
}

/** Writes the thread of a branch: a copy of the unchanged entries, and the new ones. Returns its version. */
async function beginBranch(
  store: HistoryStore,
  { chatId, threadId, runs, first }: ReadChat,
  entries: readonly HistoryEntry[],
  { kept, branch, ...call }: ChatCall & { readonly kept: number; readonly branch: string },
): Promise<number> {
  const at = runs[kept - 1]?.entries.at(-1)?.id ?? first;
  const fork = { at, as: branch, under: chatId, operationId: branch, ...call };
  const { threadId: begun } = await store.fork(threadId, fork);
  if (kept > 0) {
    const { version } = await store.read(begun, { query: NOTHING, ...call });
    return appendChat(store, begun, entries, { version, ...call });
  }
  const [replacement = [], ...others] = storeBatches(entries);
  const replacing = { from: at, replacement, operationId: branch, ...call };
  const { version } = await store.replaceSuffix(begun, { ...replacing, expectedVersion: "any" });
  return appendChat(store, begun, others.flat(), { version, ...call });
}

/** A query for the version only. */
const NOTHING = { clauses: [], maxEntries: 0 } as const;

/** The state key of the plan in a thread. */
const PLAN = "ai-sdk/plan";

/** Stores a plan with a branch. If another process writes one meanwhile, that one is kept. */
async function writePlan(
  store: HistoryStore,
  threadId: string,
  value: JsonValue,
  call: ChatCall,
): Promise<void> {
  const { revision = 0 } = (await store.getState(threadId, PLAN, call)) ?? {};
  const options = { expectedRevision: revision, ...call };
  await store.setState(threadId, PLAN, value, options).catch((error: unknown) => {
    if (!isHistoryError(error, "VERSION_CONFLICT")) throw error;
  });
}

/**
 * Appends the entries of messages to a thread, in as few batches as the store allows. Returns its version.
 *
 * @throws `HistoryError` with code `VERSION_CONFLICT` if the thread has another version, also if it contains the same entries already.
 */
async function appendChat(
  store: HistoryStore,
  threadId: string,
  entries: readonly HistoryEntry[],
  { version, ...call }: ChatCall & { readonly version: number },
): Promise<number> {
  let expectedVersion = version;
  for (const batch of storeBatches(entries)) {
    const written = await store
      .append(threadId, batch, { expectedVersion, ...call })
      .catch((cause: unknown): never => {
        if (isHistoryError(cause, "DUPLICATE_ID")) throw conflict(cause);
        throw cause;
      });
    if (written.duplicate) throw conflict(undefined);
    expectedVersion = written.version;
  }
  return expectedVersion;
}

/** Creates the error for a message that was sent twice, or a chat that was changed elsewhere. */
function conflict(cause: unknown): HistoryError {
  return new HistoryError(
    "The chat has changed since it was loaded, or this message was already sent. Load the chat again.",
    { code: "VERSION_CONFLICT", cause },
  );
}

/** A branch of a chat. */
export interface ChatBranch {
  /** The name; empty for the first branch. */
  readonly branch: string;
  /** The branch from which it was created. Missing for the first. */
  readonly from?: string | undefined;
  /** The first message of that branch that it replaced. Missing for the first. */
  readonly replaced?: string | undefined;
}

/** The branches of a chat, and which one is current. Every save writes it, so that of two that read the same one only one succeeds. */
interface ChatHead {
  readonly branch: string;
  readonly branches: readonly ChatBranch[];
  /** Revision of the stored state; 0 if none is stored. */
  readonly revision: number;
}

const KEY = "ai-sdk/chat";

/** Returns the thread of a chat's branch. */
function threadOf(chatId: string, branch: string): string {
  return branch === "" ? chatId : `${chatId}/${branch}`;
}

/** Reads the head of a chat. A chat that does not exist has one branch. */
async function readHead(store: HistoryStore, chatId: string, call: ChatCall): Promise<ChatHead> {
  const { value = {}, revision = 0 } = (await store.getState(chatId, KEY, call)) ?? {};
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `writeHead` wrote the value
  const head = value as object as Partial<ChatHead>;
  return { branch: "", branches: [{ branch: "" }], ...head, revision };
}

/** Moves the head, or confirms it. @throws `HistoryError` with code `VERSION_CONFLICT` if it has changed since it was read. */
async function writeHead(
  store: HistoryStore,
  chatId: string,
  { revision: expectedRevision, ...head }: ChatHead,
  call: ChatCall,
): Promise<void> {
  await store.setState(chatId, KEY, toJson(head), { expectedRevision, ...call });
}

/** @throws `HistoryError` with code `NOT_FOUND` if the chat has no such branch. */
function requireBranch({ branches }: ChatHead, branch: string): void {
  if (branches.some((one) => one.branch === branch)) return;
  throw new HistoryError("Expected `branch` to be a branch of the chat; `branches` lists them.", {
    code: "NOT_FOUND",
    details: { option: "branch" },
  });
}
