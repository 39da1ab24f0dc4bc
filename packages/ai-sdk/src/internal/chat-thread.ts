import { customEntry, isHistoryError, sameJson } from "@agent-history/core";
import type {
  HistoryEntry,
  HistoryStore,
  JsonValue,
  StoredEntryProblem,
} from "@agent-history/core";
import { toJson } from "@agent-history/format-kit";

import { appendChat, conflict } from "./append-chat.ts";
import { readHead, requireBranch, threadOf, writeHead } from "./chat-head.ts";
import type { ChatHead } from "./chat-head.ts";
import { readUiRuns } from "./ui-runs.ts";
import type { UiRun } from "./ui-runs.ts";

/** The key of a thread's state that holds the plan. */
const PLAN = "ai-sdk/plan";

/** Marks the end of a branch that another one left: whoever loaded the chat before must load it again. */
const BRANCHED = "chat_branched";

/** A branch of a chat as it was read. */
export interface ReadChat {
  readonly chatId: string;
  readonly head: ChatHead;
  readonly threadId: string;
  readonly version: number;
  readonly runs: readonly UiRun[];
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
  return { chatId, head, threadId, version, runs: readUiRuns(entries), plan, problems };
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

/** Begins a branch behind the messages that are kept, and moves the head there. The branch that was read stays as it is. */
export async function branchOff(
  store: HistoryStore,
  chat: ReadChat,
  entries: readonly HistoryEntry[],
  { kept, newId, signal }: Call & { readonly kept: number; readonly newId: () => string },
): Promise<ReadChat> {
  const { chatId, head, threadId, runs } = chat;
  const as = newId();
  const at = runs[kept - 1]?.entries.at(-1)?.id;
  const call = signal && { signal };
  const begun = at === undefined ? undefined : await store.fork(threadId, { at, as, ...call });
  const branch = (begun?.threadId ?? threadOf(chatId, as)).slice(chatId.length + 1);
  const begunId = threadOf(chatId, branch);
  try {
    const shared =
      begun === undefined ? 0 : (await store.read(begunId, { query: NOTHING, ...call })).version;
    const version = await appendChat(store, begunId, entries, { version: shared, signal });
    const mark = customEntry({ type: BRANCHED, id: `${BRANCHED}/${as}`, metadata: { branch } });
    await appendChat(store, threadId, [mark], { version: chat.version, signal });
    const first = runs[kept]?.entries[0].id;
    const branches = [...head.branches, { branch, from: head.branch, replaced: first }];
    const revision = await writeHead(store, chatId, { ...head, branch, branches }, signal);
    const moved = { branch, branches, revision };
    return { ...chat, head: moved, threadId: begunId, version, plan: undefined };
  } catch (error) {
    // Nobody knows of the branch yet. Should this fail, too, it takes room and nothing else.
    await store.delete(begunId).catch(() => undefined);
    throw error;
  }
}

/** Of a read only its version counts. */
const NOTHING = { clauses: [], maxEntries: 0 } as const;

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
