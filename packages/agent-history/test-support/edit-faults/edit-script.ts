import { summary, userMessage } from "@agent-history/core";
import type { HistoryEntry, HistoryStore } from "@agent-history/core";
import { isHistoryError } from "@agent-history/core";

/** The thread that is edited. */
export const THREAD = "edited";

/** What the thread and its forks are to hold: ids of entries, oldest first. */
export interface EditedThread {
  readonly ids: string[];
  /** By the names of the forks. */
  readonly forks: Map<string, readonly string[]>;
  /** What was replaced and has not come back. */
  readonly replaced: Set<string>;
}

/** One step of the script, known by its number: each process works it out alike. */
type Step =
  | { readonly kind: "append"; readonly ids: readonly string[] }
  | { readonly kind: "replace"; readonly at: number; readonly ids: readonly string[] }
  | { readonly kind: "fork"; readonly at: number; readonly as: string };

/** Begins with an empty thread. */
function newThread(): EditedThread {
  return { ids: [], forks: new Map(), replaced: new Set() };
}

/** What the thread is after the first `count` steps. */
export function threadAfter(count: number): EditedThread {
  const thread = newThread();
  for (let number = 0; number < count; number += 1) advance(thread, number);
  return thread;
}

/** Takes the thread on by a step. */
export function advance(thread: EditedThread, number: number): void {
  const step = stepOf(thread, number);
  if (step.kind === "append") thread.ids.push(...step.ids);
  if (step.kind === "fork") thread.forks.set(step.as, thread.ids.slice(0, step.at + 1));
  if (step.kind === "replace") {
    for (const id of thread.ids.splice(step.at)) thread.replaced.add(id);
    thread.ids.push(...step.ids);
  }
}

/** Whether a step replaces the end of the thread. */
export function isReplacement(number: number): boolean {
  return stepOf(threadAfter(number), number).kind === "replace";
}

/** Batches grow the thread past its checkpoints; replacements take a few of the newest, sometimes many, and sometimes leave nothing in their place. */
function stepOf({ ids }: EditedThread, number: number): Step {
  const name = (nth: number): string => `${number}.${nth}`;
  if (number % 4 === 3 && ids.length > 0) {
    const goes = number % 12 === 11 ? Math.floor(ids.length / 2) : 1 + (number % 5);
    const count = number % 7 === 0 ? 0 : 1 + (number % 3);
    const at = Math.max(0, ids.length - goes);
    return { kind: "replace", at, ids: Array.from({ length: count }, (_, nth) => name(nth)) };
  }
  if (number % 10 === 6 && ids.length > 0) {
    return { kind: "fork", at: Math.floor(ids.length * 0.8), as: `f${number}` };
  }
  const count = number % 9 === 0 ? 60 : 1 + (number % 6);
  return { kind: "append", ids: Array.from({ length: count }, (_, nth) => name(nth)) };
}

const entryOf = (id: string): HistoryEntry =>
  userMessage({ id, createdAtMs: 1, content: `entry ${id}` });

/** Carries a step out, as often as it is asked to. */
export async function perform(
  store: HistoryStore,
  thread: EditedThread,
  number: number,
): Promise<void> {
  const step = stepOf(thread, number);
  if (step.kind === "append") {
    await store.append(THREAD, step.ids.map(entryOf));
    if (number % 13 === 5) await compactFirst(store, number);
    return;
  }
  if (step.kind === "fork") {
    const at = thread.ids[step.at] ?? "";
    await store.fork(THREAD, { at, as: step.as }).catch((error: unknown) => {
      // It is there since an earlier try.
      if (!isHistoryError(error, "VERSION_CONFLICT")) throw error;
    });
    return;
  }
  const from = thread.ids[step.at] ?? "";
  const call = { from, expectedVersion: "any", operationId: `step ${number}` } as const;
  await store.replaceSuffix(THREAD, { ...call, replacement: step.ids.map(entryOf) });
  await expectRefused(store, { ...call, replacement: [entryOf("other content")] });
  await expectKnown(store, thread.ids.slice(step.at).slice(0, 3));
}

/** Another content under the same operation id is never taken. */
async function expectRefused(
  store: HistoryStore,
  call: Parameters<HistoryStore["replaceSuffix"]>[1],
): Promise<void> {
  const error = await store.replaceSuffix(THREAD, call).catch((thrown: unknown) => thrown);
  if (isHistoryError(error, "DUPLICATE_ID") || isPassing(error)) return;
  throw new Error("Another content was taken under the same operation id.");
}

/** A batch that was replaced and is sent again late does not come back. */
async function expectKnown(store: HistoryStore, ids: readonly string[]): Promise<void> {
  const late = await store.append(THREAD, ids.map(entryOf)).catch((thrown: unknown) => thrown);
  const isKnown = typeof late === "object" && late !== null && Reflect.get(late, "duplicate");
  if (isKnown !== true && !isPassing(late)) throw new Error("What was replaced came back.");
}

/** Lets a summary stand for the first entries of the view of the thread. */
async function compactFirst(store: HistoryStore, number: number): Promise<void> {
  const query = { clauses: [{}], view: "thread" } as const;
  const { entries, viewRevision } = await store.read(THREAD, { query });
  const [from, to] = [entries[0], entries[Math.floor(entries.length / 3)]];
  if (from === undefined || to === undefined) return;
  const text = { content: "short", strategy: "whole", trust: "user", createdAtMs: 1 } as const;
  await store
    .commitCompaction(THREAD, {
      view: "thread",
      summary: summary({ ...text, id: `summary ${number}` }),
      covers: [{ from: from.id, to: to.id }],
      expectedViewRevision: viewRevision,
    })
    .catch((error: unknown) => {
      const isThere =
        isHistoryError(error, "VERSION_CONFLICT") || isHistoryError(error, "DUPLICATE_ID");
      if (!isThere && !isHistoryError(error, "NOT_FOUND")) throw error;
    });
}

/** Returns whether a write may be sent again as it is. */
export function isPassing(error: unknown): boolean {
  return isHistoryError(error, "OUTCOME_UNKNOWN") || isHistoryError(error, "STORE_UNAVAILABLE");
}
