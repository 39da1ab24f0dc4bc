import { MAX_BATCH_BYTES } from "@agent-history/core";

import type { Appended } from "./append-entries.ts";
import type { PreparedBatch } from "./prepare-batch.ts";

/** The writes of one handle, a line for each thread: done one after the other, in the order of the calls. */
export interface ThreadQueue {
  /** Runs a write of one or several threads after those before it. */
  run<Result>(threadIds: readonly string[], write: () => Promise<Result>): Promise<Result>;
  /** Appends a batch after the writes before it, together with others that wait. */
  append(threadId: string, batch: PreparedBatch): Promise<Appended>;
  /** Waits for the writes that were called before. */
  allSettled(): Promise<void>;
}

/** How batches are written. */
export interface WriteBatches {
  readonly one: (threadId: string, batch: PreparedBatch) => Promise<Appended>;
  /** Writes several together; `undefined`, and nothing written, if one of them needs an answer of its own. */
  readonly together: (
    threadId: string,
    batches: readonly PreparedBatch[],
  ) => Promise<readonly Appended[] | undefined>;
}

interface Waiting {
  readonly batch: PreparedBatch;
  readonly resolve: (appended: Appended | Promise<Appended>) => void;
}

/** How many entries are joined to one batch. */
const MOST_JOINED = 100;

/** Makes the queue of one handle. */
export function threadQueue(writes: WriteBatches): ThreadQueue {
  const queues = new Map<string, Promise<unknown>>();
  /** Appends that wait at the end of a queue. */
  const lines = new Map<string, Waiting[]>();

  async function inOrder<Result>(
    threadIds: readonly string[],
    run: () => Promise<Result>,
  ): Promise<Result> {
    const before = threadIds.flatMap((threadId) => queues.get(threadId) ?? []);
    const work = before.length === 0 ? run() : Promise.allSettled(before).then(run);
    for (const threadId of threadIds) queues.set(threadId, work);
    try {
      return await work;
    } finally {
      for (const threadId of threadIds) if (queues.get(threadId) === work) queues.delete(threadId);
    }
  }

  async function drain(threadId: string, line: Waiting[]): Promise<void> {
    if (lines.get(threadId) === line) lines.delete(threadId);
    for (let from = 0; from < line.length;) {
      const joined = takeJoined(line, from);
      from += joined.length;
      await writeJoined(writes, threadId, joined);
    }
  }

  return {
    run: async (threadIds, write) => {
      for (const threadId of threadIds) lines.delete(threadId);
      return inOrder(threadIds, write);
    },
    append: async (threadId, batch) =>
      new Promise<Appended>((resolve) => {
        const line = lines.get(threadId);
        if (line !== undefined) {
          line.push({ batch, resolve });
          return;
        }
        const begun = [{ batch, resolve }];
        lines.set(threadId, begun);
        void inOrder([threadId], async () => drain(threadId, begun));
      }),
    allSettled: async () => {
      while (queues.size > 0) await Promise.allSettled(queues.values());
    },
  };
}

/** Writes appends together; what needs an answer of its own, by itself. Never fails: each caller gets its own answer. */
async function writeJoined(
  { one, together }: WriteBatches,
  threadId: string,
  joined: readonly Waiting[],
): Promise<void> {
  const batches = joined.map(({ batch }) => batch);
  const work = joined.length > 1 ? together(threadId, batches) : Promise.resolve(undefined);
  const answers = await work.catch((error: unknown) =>
    joined.map(async () => Promise.reject<Appended>(error)),
  );
  for (const [nth, { batch, resolve }] of joined.entries()) {
    const answer = answers?.[nth] ?? one(threadId, batch);
    resolve(answer);
    await Promise.resolve(answer).catch(() => undefined);
  }
}

/** The appends from a place on that may go together: of different ids, within the limits. */
function takeJoined(line: readonly Waiting[], from: number): readonly Waiting[] {
  const ids = new Set<string>();
  let bytes = 0;
  const end = line.findIndex(({ batch }, nth) => {
    if (nth < from) return false;
    const size = ids.size + batch.entries.length;
    const isOther = batch.entries.every(({ entry }) => !ids.has(entry.id));
    const fits = size <= MOST_JOINED && bytes + batch.bytes <= MAX_BATCH_BYTES;
    if (nth > from && !(isOther && fits)) return true;
    for (const { entry } of batch.entries) ids.add(entry.id);
    bytes += batch.bytes;
    return false;
  });
  return line.slice(from, end < 0 ? undefined : end);
}
