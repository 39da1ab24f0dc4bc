import type {
  HistoryEntry,
  HistoryErrorCode,
  HistoryQuery,
  HistoryStore,
  HistoryView,
} from "@agent-history/core";
import { isHistoryError, summary, userMessage } from "@agent-history/core";
import { expect } from "vitest";

/** A query for all that a view shows. */
export function allOf(view: HistoryView): HistoryQuery {
  return { clauses: [{}], view };
}

/** Returns the ids that a read shows, in order, as one text. */
export async function idsOf(
  store: HistoryStore,
  threadId: string,
  query?: HistoryQuery,
): Promise<string> {
  const { entries } = await store.read(threadId, query === undefined ? {} : { query });
  return entries.map(({ id }) => id).join(" ");
}

/** Returns the result of a call, or the code that it failed with. What is no `HistoryError` is thrown on. */
export async function outcomeOf<Result>(work: Promise<Result>): Promise<Result | HistoryErrorCode> {
  try {
    return await work;
  } catch (error) {
    if (isHistoryError(error)) return error.code;
    throw error;
  }
}

/** Returns the code that a call failed with; `undefined` where it succeeded. */
export async function codeOf(work: Promise<unknown>): Promise<HistoryErrorCode | undefined> {
  return outcomeOf(work.then(() => undefined));
}

/** Makes user messages of these ids, each of its own content. */
export function messages(...ids: readonly string[]): readonly HistoryEntry[] {
  const fields = { createdAtMs: 1000, turnId: "turn" };
  return ids.map((id) => userMessage({ id, content: `message ${id}`, ...fields }));
}

/**
 * Gives each entry of a log the id of its turn, as a store does when it is appended: that of the newest turn, or its own if it begins one. A user message begins one behind what was
 * answered; as long as nobody spoke, so does a task that nobody gave, of the agent that was given the first. What stands beside turns has none before the first.
 */
export function withTurnIds(log: readonly HistoryEntry[]): readonly HistoryEntry[] {
  const stamped: HistoryEntry[] = [];
  const names = new Set<string>();
  for (const entry of log) {
    const turnId = entry.turnId ?? turnIdFor(entry, stamped, [...names].at(-1));
    if (turnId !== undefined) names.add(turnId);
    stamped.push(turnId === undefined ? entry : { ...entry, turnId });
  }
  return stamped;
}

function turnIdFor(
  entry: HistoryEntry,
  before: readonly HistoryEntry[],
  newest: string | undefined,
): string | undefined {
  if (isBeside(entry)) return newest;
  const last = before.findLast((one) => one.turnId === newest && !isBeside(one));
  const isAnswered = last !== undefined && last.type !== "user_message";
  const isRequest =
    entry.type === "user_message" ||
    (before.every(({ type }) => type !== "user_message") &&
      isRootTask(entry) &&
      (before.find(isRootTask) ?? entry).agent?.id === entry.agent?.id);
  return isRequest && isAnswered ? entry.id : (newest ?? entry.id);
}

function isBeside({ type }: HistoryEntry): boolean {
  return ["attachment", "system_message", "memory", "summary"].includes(type);
}

function isRootTask(entry: HistoryEntry): boolean {
  return entry.type === "task" && entry.from === undefined && entry.taskId === undefined;
}

/** Makes a count of user messages `<prefix>0`, `<prefix>1`, … */
export function manyMessages(prefix: string, count: number): readonly HistoryEntry[] {
  return messages(...Array.from({ length: count }, (_, index) => `${prefix}${index}`));
}

/** Commits a summary that stands for one run of a view. */
export function compact(
  store: HistoryStore,
  threadId: string,
  id: string,
  [from, to]: readonly [from: string, to: string],
  { view = "thread", viewRevision }: { readonly view?: HistoryView; readonly viewRevision: number },
): Promise<{ readonly viewRevision: number }> {
  const fields = { strategy: "whole", trust: "user", createdAtMs: 0 } as const;
  return store.commitCompaction(threadId, {
    view,
    summary: summary({ id, content: `summary ${id}`, ...fields }),
    covers: [{ from, to }],
    expectedViewRevision: viewRevision,
  });
}

let operations = 0;

/** Replaces what begins at an entry, whatever the version. */
export async function replace(
  store: HistoryStore,
  from: string,
  ids: readonly string[],
  threadId = "t",
): Promise<{ readonly version: number }> {
  const operationId = `operation ${(operations += 1)}`;
  const replacement = messages(...ids);
  return store.replaceSuffix(threadId, { from, expectedVersion: "any", replacement, operationId });
}

/** Asks page by page, until there is nothing to ask on with. */
export async function pagesOf<Item>(
  ask: (cursor: {
    readonly cursor?: string;
  }) => Promise<readonly [items: readonly Item[], next: string | undefined]>,
): Promise<readonly (readonly Item[])[]> {
  const pages: (readonly Item[])[] = [];
  let cursor: string | undefined;
  do {
    const [items, next] = await ask(cursor === undefined ? {} : { cursor });
    pages.push(items);
    cursor = next;
  } while (cursor !== undefined && pages.length < 1000);
  return pages;
}

/** The names of the threads that a list gives, page by page. */
export function listed(
  store: HistoryStore,
  options: Parameters<HistoryStore["list"]>[0] = {},
): Promise<readonly (readonly string[])[]> {
  return pagesOf(async (at) => {
    const { threads, cursor } = await store.list({ ...options, ...at });
    expect(threads.length).toBeLessThanOrEqual(options.limit ?? 100);
    return [threads.map(({ threadId }) => threadId), cursor];
  });
}

/** All of them, sorted by name. */
export async function namesIn(
  store: HistoryStore,
  options: Parameters<HistoryStore["list"]>[0] = {},
): Promise<readonly string[]> {
  return (await listed(store, options)).flat().toSorted();
}

/** The lines of an export. */
export async function linesOf(
  store: HistoryStore,
  threadId: string,
  options: { readonly signal?: AbortSignal } = {},
): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of store.exportThread(threadId, options)) lines.push(line);
  return lines;
}

/** Returns a value as JSON gives it back. */
export function asPlainJson<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value));
}
