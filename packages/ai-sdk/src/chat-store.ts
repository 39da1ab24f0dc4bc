import { customEntry, HistoryError, isHistoryError, sameJson } from "@agent-history/core";
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

/** What every method takes. */
export interface ChatCall {
  readonly signal?: AbortSignal | undefined;
}

/** Keeps chats of the AI SDK: `UIMessage`s in threads of a store. */
export interface ChatStore {
  /** Reads a chat, the current branch of it or another. One that is not there is empty. */
  loadChat(
    chatId: string,
    options?: ChatCall & { readonly branch?: string | undefined },
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
  branches(chatId: string, options?: ChatCall): Promise<readonly ChatBranch[]>;
  /** Makes a branch the current one. @throws `HistoryError` with code `NOT_FOUND`, `VERSION_CONFLICT`. */
  selectBranch(chatId: string, branch: string, options?: ChatCall): Promise<void>;
  /** Erases a chat with all its branches, those that are being made included. What fails half way is finished by the same call once more. */
  deleteChat(chatId: string, options?: ChatCall): Promise<ErasureReceipt>;
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
      // Sorts a chat as newly changed whose current branch is a thread of its own.
      if (saved.head.branch !== "") await store.setMetadata(chatId, {}).catch(() => undefined);
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

/** The key of a thread's state that holds the plan. */
const PLAN = "ai-sdk/plan";

/** Marks the end of a branch that another one left: whoever loaded the chat before must load it again. */
const BRANCHED = "chat_branched";

/** A branch of a chat as it was read. */
interface ReadChat {
  readonly chatId: string;
  readonly head: ChatHead;
  readonly threadId: string;
  readonly version: number;
  readonly runs: readonly UiRun[];
  /** The id of the thread's first entry. */
  readonly first: string | undefined;
  readonly plan: { readonly value: JsonValue; readonly revision: number } | undefined;
  readonly problems: readonly StoredEntryProblem[];
}

/** Reads a branch of a chat; the current one by default. */
async function readChat(
  store: HistoryStore,
  chatId: string,
  { branch, signal }: ChatCall & { readonly branch?: string | undefined },
): Promise<ReadChat> {
  const current = await readHead(store, chatId, signal);
  if (branch !== undefined) requireBranch(current, branch);
  const head = { ...current, branch: branch ?? current.branch };
  const threadId = threadOf(chatId, head.branch);
  const { entries, version, problems } = await store.read(threadId, {
    originals: true,
    ...(signal && { signal }),
  });
  const plan = await store.getState(threadId, PLAN, signal && { signal });
  const runs = readUiRuns(entries);
  return { chatId, head, threadId, version, runs, first: entries[0]?.id, plan, problems };
}

/** What a chat is at: another one for each write and each move to another branch. */
function revisionOf({ head, version }: ReadChat): string {
  return `${head.branch}.${version}`;
}

/** Returns how many messages a chat begins with that are kept as they are. */
function keptLength(runs: readonly UiRun[], messages: readonly unknown[]): number {
  const isKept = ({ message }: UiRun, index: number): boolean =>
    index < messages.length && sameJson(toJson(message), toJson(messages[index]));
  const changed = runs.findIndex((run, index) => !isKept(run, index));
  return changed === -1 ? runs.length : changed;
}

/** Appends to the branch that was read. @throws `HistoryError` with code `VERSION_CONFLICT` if it, or the head, has moved on. */
async function goOn(
  store: HistoryStore,
  chat: ReadChat,
  entries: readonly HistoryEntry[],
  { signal }: ChatCall,
): Promise<ReadChat> {
  const { chatId, threadId, head } = chat;
  if (entries.length === 0) return chat;
  const version = await appendChat(store, threadId, entries, { version: chat.version, signal });
  // Who moved the head marked this thread, or did so after this write, which is then in a branch that was left.
  const now = await readHead(store, chatId, signal);
  if (now.branch !== head.branch) throw conflict(undefined);
  return { ...chat, version };
}

/**
 * Begins a branch behind the messages that are kept, and moves the head there. The branch that was read stays as it is.
 *
 * The head notes the branch before it is there, and names it once it is whole. What fails in between destroys nothing: a branch that was begun and is not named is removed by the next one, which
 * changes the head and so keeps whoever was making it from naming it.
 */
async function branchOff(
  store: HistoryStore,
  chat: ReadChat,
  entries: readonly HistoryEntry[],
  { kept, newId, signal }: ChatCall & { readonly kept: number; readonly newId: () => string },
): Promise<ReadChat> {
  const { chatId, head, threadId, runs } = chat;
  const branch = newId();
  const noted = { ...head, begun: [...head.begun, branch] };
  const revision = await writeHead(store, chatId, noted, signal);
  const begun: string[] = [];
  for (const one of head.begun) {
    // What is left is found again by the next one.
    await store.delete(threadOf(chatId, one)).catch(() => begun.push(one));
  }
  const beginning = beginBranch(store, chat, entries, { kept, branch, signal });
  const version = await beginning.catch((cause: unknown): never => {
    // Another one changed the head, and removed what was begun.
    if (isHistoryError(cause, "THREAD_DELETED")) throw conflict(cause);
    throw cause;
  });
  const mark = customEntry({ type: BRANCHED, id: `${BRANCHED}/${branch}`, metadata: { branch } });
  await appendChat(store, threadId, [mark], { version: chat.version, signal });
  const first = runs[kept]?.entries[0].id;
  const branches = [...head.branches, { branch, from: head.branch, replaced: first }];
  const moved = { branch, branches, begun, revision };
  await writeHead(store, chatId, moved, signal);
  const begunId = threadOf(chatId, branch);
  return { ...chat, head: moved, threadId: begunId, version, plan: undefined };
}

/** Writes the thread of a branch: a copy of what is kept, and what follows. Returns its version. */
async function beginBranch(
  store: HistoryStore,
  { chatId, threadId, runs, first }: ReadChat,
  entries: readonly HistoryEntry[],
  { kept, branch, signal }: ChatCall & { readonly kept: number; readonly branch: string },
): Promise<number> {
  const call = signal && { signal };
  const at = runs[kept - 1]?.entries.at(-1)?.id ?? first ?? "";
  const fork = { at, as: branch, under: chatId, operationId: branch, ...call };
  const { threadId: begunId } = await store.fork(threadId, fork);
  if (kept > 0) {
    const { version } = await store.read(begunId, { query: NOTHING, ...call });
    return appendChat(store, begunId, entries, { version, signal });
  }
  const [replacement = [], ...others] = storeBatches(entries);
  const replacing = { from: at, replacement, operationId: branch, ...call };
  const { version } = await store.replaceSuffix(begunId, { ...replacing, expectedVersion: "any" });
  return appendChat(store, begunId, others.flat(), { version, signal });
}

/** Of a read only its version counts. */
const NOTHING = { clauses: [], maxEntries: 0 } as const;

/** Keeps a plan beside a branch. One that somebody else wrote meanwhile is as good. */
async function writePlan(
  store: HistoryStore,
  { threadId, plan }: ReadChat,
  value: JsonValue,
  { signal }: ChatCall,
): Promise<void> {
  const options = { expectedRevision: plan?.revision ?? 0, ...(signal && { signal }) };
  await store.setState(threadId, PLAN, value, options).catch((error: unknown) => {
    if (!isHistoryError(error, "VERSION_CONFLICT")) throw error;
  });
}

/**
 * Writes the entries of messages to the end of a thread, in as few batches as the store takes. Returns its version.
 *
 * @throws `HistoryError` with code `VERSION_CONFLICT` if the thread has another version, also where the very same entries are there already.
 */
async function appendChat(
  store: HistoryStore,
  threadId: string,
  entries: readonly HistoryEntry[],
  { version, signal }: { readonly version: number; readonly signal: AbortSignal | undefined },
): Promise<number> {
  let expectedVersion = version;
  for (const batch of storeBatches(entries)) {
    const written = await store
      .append(threadId, batch, { expectedVersion, ...(signal && { signal }) })
      .catch((cause: unknown): never => {
        if (isHistoryError(cause, "DUPLICATE_ID")) throw conflict(cause);
        throw cause;
      });
    if (written.duplicate) throw conflict(undefined);
    expectedVersion = written.version;
  }
  return expectedVersion;
}

/** The error of a message that was sent twice, or of a chat that went on elsewhere. */
function conflict(cause: unknown): HistoryError {
  return new HistoryError(
    "Expected the chat to be as it was loaded; it has changed since, or this message was sent before. Load it again.",
    { code: "VERSION_CONFLICT", cause },
  );
}

/** One way that a chat went on. */
export interface ChatBranch {
  /** Its name: empty for the first. */
  readonly branch: string;
  /** The branch that it left. Missing for the first. */
  readonly from?: string | undefined;
  /** The message of that branch that it replaced first. Missing for the first. */
  readonly replaced?: string | undefined;
}

/** Which branch of a chat is the current one. */
interface ChatHead {
  readonly branch: string;
  readonly branches: readonly ChatBranch[];
  /** Branches that were begun and are not whole. */
  readonly begun: readonly string[];
  /** Of the stored state. 0: none was stored. */
  readonly revision: number;
}

const KEY = "ai-sdk/chat";

/** Returns the thread that a branch of a chat is kept in. */
function threadOf(chatId: string, branch: string): string {
  return branch === "" ? chatId : `${chatId}/${branch}`;
}

/** Reads the head of a chat. One that never branched has none. */
async function readHead(
  store: HistoryStore,
  chatId: string,
  signal: AbortSignal | undefined,
): Promise<ChatHead> {
  const state = await store.getState(chatId, KEY, signal && { signal });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `writeHead` wrote
  const head = (state?.value ?? {}) as object as Partial<ChatHead>;
  const revision = state?.revision ?? 0;
  return { branch: "", branches: [{ branch: "" }], begun: [], ...head, revision };
}

/** Moves the head. @throws `HistoryError` with code `VERSION_CONFLICT` if it was moved since it was read. */
async function writeHead(
  store: HistoryStore,
  chatId: string,
  { revision: expectedRevision, ...head }: ChatHead,
  signal: AbortSignal | undefined,
): Promise<number> {
  const options = { expectedRevision, ...(signal && { signal }) };
  return (await store.setState(chatId, KEY, toJson(head), options)).revision;
}

/** @throws `HistoryError` with code `NOT_FOUND` if the chat has no such branch. */
function requireBranch({ branches }: ChatHead, branch: string): void {
  if (branches.some((one) => one.branch === branch)) return;
  throw new HistoryError("Expected `branch` to be one of the chat's, as `branches` lists them.", {
    code: "NOT_FOUND",
    details: { option: "branch" },
  });
}
