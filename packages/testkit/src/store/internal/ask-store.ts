import type {
  HistoryEntry,
  HistoryErrorCode,
  HistoryQuery,
  HistoryStore,
  HistoryView,
} from "@agent-history/core";
import { isHistoryError, summary, userMessage } from "@agent-history/core";

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

/** Returns the code that a call failed with; `undefined` where it succeeded. What is no `HistoryError` is thrown on. */
export async function codeOf(work: Promise<unknown>): Promise<HistoryErrorCode | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (isHistoryError(error)) return error.code;
    throw error;
  }
}

/** Makes user messages of these ids, each of its own content. */
export function messages(...ids: readonly string[]): readonly HistoryEntry[] {
  return ids.map((id) => userMessage({ id, content: `message ${id}`, createdAtMs: 1000 }));
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
  return store.commitCompaction(threadId, {
    view,
    summary: summary({
      id,
      content: `summary ${id}`,
      strategy: "whole",
      trust: "user",
      createdAtMs: 0,
    }),
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

/** Returns a value as JSON gives it back. */
export function asPlainJson<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value));
}

/** The ids of the threads that a list gives. */
export async function listed(
  store: HistoryStore,
  options: Parameters<HistoryStore["list"]>[0] = {},
): Promise<readonly string[]> {
  const { threads } = await store.list(options);
  return threads.map(({ threadId }) => threadId);
}
