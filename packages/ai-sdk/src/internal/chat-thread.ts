import {
  HistoryError,
  MAX_BATCH_BYTES,
  MAX_BATCH_ENTRIES,
  customEntry,
  isHistoryError,
  sameJson,
} from "@agent-history/core";
import type {
  HistoryEntry,
  HistoryStore,
  JsonValue,
  StateItem,
  StoredEntryProblem,
} from "@agent-history/core";
import { isJsonObject, textOf, toJson } from "@agent-history/format-kit";

import { readUiRuns } from "./ui-runs.ts";
import type { UiRun } from "./ui-runs.ts";

/** The key of a thread's state that holds the plan. */
const PLAN = "ai-sdk/plan";

/** Marks the end of a branch that another one left: whoever loaded the chat before must load it again. */
const BRANCHED = "chat_branched";

/** With this the keys of state begin that note a branch before it is there. */
const BEGUN = "ai-sdk/begun/";

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

interface Call {
  readonly signal: AbortSignal | undefined;
}

/** Reads a branch of a chat; the current one by default. */
export async function readChat(
  store: HistoryStore,
  chatId: string,
  { branch, signal }: Call & { readonly branch?: string | undefined },
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

/** What a chat is at: another one for each write and each move of the head. */
export function revisionOf({ head, version }: Pick<ReadChat, "head" | "version">): string {
  return `${head.revision}.${version}`;
}

/** Returns how many messages a chat begins with that are kept as they are. */
export function keptLength(runs: readonly UiRun[], messages: readonly unknown[]): number {
  const isKept = ({ message }: UiRun, index: number): boolean =>
    index < messages.length && sameJson(toJson(message), toJson(messages[index]));
  const changed = runs.findIndex((run, index) => !isKept(run, index));
  return changed === -1 ? runs.length : changed;
}

/** Appends to the branch that was read. @throws `HistoryError` with code `VERSION_CONFLICT` if it, or the head, has moved on. */
export async function goOn(
  store: HistoryStore,
  chat: ReadChat,
  entries: readonly HistoryEntry[],
  { signal }: Call,
): Promise<ReadChat> {
  const { chatId, threadId, head } = chat;
  if (entries.length === 0) return chat;
  const version = await appendChat(store, threadId, entries, { version: chat.version, signal });
  // Who moved the head marked this thread, or did so after this write, which is then in a branch that was left.
  const now = await readHead(store, chatId, signal);
  if (now.revision !== head.revision) throw conflict(undefined);
  return { ...chat, version };
}

/**
 * Begins a branch behind the messages that are kept, and moves the head there. The branch that was read stays as it is.
 *
 * The branch is noted before it is there, and named by the head once it is whole. What fails in between destroys nothing: a branch that was begun and is not named is removed by the next one,
 * which moves the head and so keeps whoever was making it from naming it.
 */
export async function branchOff(
  store: HistoryStore,
  chat: ReadChat,
  entries: readonly HistoryEntry[],
  { kept, newId, signal }: Call & { readonly kept: number; readonly newId: () => string },
): Promise<ReadChat> {
  const { chatId, head, threadId, runs } = chat;
  const call = signal && { signal };
  const branch = newId();
  await store.setState(chatId, `${BEGUN}${branch}`, threadId, { expectedRevision: 0, ...call });
  const begun = await begunBranches(store, chatId, signal);
  const begunId = threadOf(chatId, branch);
  const beginning = beginBranch(store, chat, entries, { kept, branch, signal });
  const version = await beginning.catch((cause: unknown): never => {
    // Another one moved the head, and removed what was begun.
    if (isHistoryError(cause, "THREAD_DELETED")) throw conflict(cause);
    throw cause;
  });
  const mark = customEntry({ type: BRANCHED, id: `${BRANCHED}/${branch}`, metadata: { branch } });
  await appendChat(store, threadId, [mark], { version: chat.version, signal });
  const first = runs[kept]?.entries[0].id;
  const branches = [...head.branches, { branch, from: head.branch, replaced: first }];
  const revision = await writeHead(store, chatId, { ...head, branch, branches }, signal);
  const moved = { branch, branches, revision };
  // What is left is found again by the next one.
  await removeBegun(store, chatId, begun, moved).catch(() => undefined);
  return { ...chat, head: moved, threadId: begunId, version, plan: undefined };
}

/** Writes the thread of a branch: a copy of what is kept, and what follows. Returns its version. */
async function beginBranch(
  store: HistoryStore,
  { chatId, threadId, runs, first }: ReadChat,
  entries: readonly HistoryEntry[],
  { kept, branch, signal }: Call & { readonly kept: number; readonly branch: string },
): Promise<number> {
  const call = signal && { signal };
  const at = runs[kept - 1]?.entries.at(-1)?.id ?? first ?? "";
  const fork = { at, as: branch, under: chatId, operationId: branch, ...call };
  const { threadId: begunId } = await store.fork(threadId, fork);
  if (kept > 0) {
    const { version } = await store.read(begunId, { query: NOTHING, ...call });
    return appendChat(store, begunId, entries, { version, signal });
  }
  const [replacement = [], ...others] = batchesOf(entries);
  const replacing = { from: at, replacement, operationId: branch, ...call };
  const { version } = await store.replaceSuffix(begunId, { ...replacing, expectedVersion: "any" });
  return appendChat(store, begunId, others.flat(), { version, signal });
}

/** The branches that were begun: this one, and those that failed or are being made by others. */
async function begunBranches(
  store: HistoryStore,
  chatId: string,
  signal: AbortSignal | undefined,
): Promise<readonly StateItem[]> {
  const options = { prefix: BEGUN, limit: Infinity, ...(signal && { signal }) };
  return (await store.listState(chatId, options)).items;
}

/** Removes branches that were begun before the head moved and are not named by it: nobody can name them any more. */
async function removeBegun(
  store: HistoryStore,
  chatId: string,
  begun: readonly StateItem[],
  { branches }: ChatHead,
): Promise<void> {
  for (const { key, revision } of begun) {
    const branch = key.slice(BEGUN.length);
    const isNamed = branches.some((one) => one.branch === branch);
    if (!isNamed) await store.delete(threadOf(chatId, branch));
    await store.setState(chatId, key, undefined, { expectedRevision: revision });
  }
}

/** Of a read only its version counts. */
const NOTHING = { clauses: [], maxEntries: 0 } as const;

/** Sorts a chat as newly changed, whose current branch is a thread of its own. It stands in a list where it stood before if that fails. */
export async function touchChat(store: HistoryStore, chatId: string): Promise<void> {
  await store.setMetadata(chatId, {}).catch(() => undefined);
}

/** Keeps a plan beside a branch. One that somebody else wrote meanwhile is as good. */
export async function writePlan(
  store: HistoryStore,
  { threadId, plan }: ReadChat,
  value: JsonValue,
  { signal }: Call,
): Promise<void> {
  const options = { expectedRevision: plan?.revision ?? 0, ...(signal && { signal }) };
  await store.setState(threadId, PLAN, value, options).catch((error: unknown) => {
    if (!isHistoryError(error, "VERSION_CONFLICT")) throw error;
  });
}

/** What the stored form adds at most to an entry, in bytes. */
const ENTRY_BYTES = 16;

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
  for (const batch of batchesOf(entries)) {
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
export function conflict(cause: unknown): HistoryError {
  return new HistoryError(
    "Expected the chat to be as it was loaded; it has changed since, or this message was sent before. Load it again.",
    { code: "VERSION_CONFLICT", cause },
  );
}

function batchesOf(entries: readonly HistoryEntry[]): readonly (readonly HistoryEntry[])[] {
  const encoder = new TextEncoder();
  const batches: HistoryEntry[][] = [];
  let bytes = 0;
  for (const entry of entries) {
    const size = encoder.encode(JSON.stringify(entry)).length + ENTRY_BYTES;
    const last = batches.at(-1);
    if (last && last.length < MAX_BATCH_ENTRIES && bytes + size <= MAX_BATCH_BYTES) {
      last.push(entry);
      bytes += size;
    } else {
      batches.push([entry]);
      bytes = size;
    }
  }
  return batches;
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
  /** Of the stored state. 0: none was stored. */
  readonly revision: number;
}

const KEY = "ai-sdk/chat";

/** Returns the thread that a branch of a chat is kept in. */
function threadOf(chatId: string, branch: string): string {
  return branch === "" ? chatId : `${chatId}/${branch}`;
}

/** Reads the head of a chat. One that never branched has none. */
export async function readHead(
  store: HistoryStore,
  chatId: string,
  signal: AbortSignal | undefined,
): Promise<ChatHead> {
  const state = await store.getState(chatId, KEY, signal && { signal });
  const { branch, branches } = isJsonObject(state?.value) ? state.value : {};
  const others = Array.isArray(branches) ? branches.flatMap(readBranch) : [];
  return {
    branch: textOf(branch) ?? "",
    branches: [{ branch: "" }, ...others],
    revision: state?.revision ?? 0,
  };
}

/** Moves the head. @throws `HistoryError` with code `VERSION_CONFLICT` if it was moved since it was read. */
export async function writeHead(
  store: HistoryStore,
  chatId: string,
  head: ChatHead,
  signal: AbortSignal | undefined,
): Promise<number> {
  const { branch, branches, revision: expectedRevision } = head;
  const others = branches.filter((one) => one.branch !== "");
  const value = {
    branch,
    branches: others.map(({ branch: name, from, replaced }) => [name, from ?? "", replaced ?? ""]),
  };
  const options = { expectedRevision, ...(signal && { signal }) };
  const { revision } = await store.setState(chatId, KEY, value, options);
  return revision;
}

/** @throws `HistoryError` with code `NOT_FOUND` if the chat has no such branch. */
export function requireBranch({ branches }: ChatHead, branch: string): void {
  if (branches.some((one) => one.branch === branch)) return;
  throw new HistoryError("Expected `branch` to be one of the chat's, as `branches` lists them.", {
    code: "NOT_FOUND",
    details: { option: "branch" },
  });
}

function readBranch(stored: JsonValue): readonly ChatBranch[] {
  if (!Array.isArray(stored)) return [];
  const [branch, from, replaced] = stored;
  const name = textOf(branch);
  return name === undefined
    ? []
    : [{ branch: name, from: textOf(from), replaced: textOf(replaced) }];
}
