import { HistoryError, isHistoryError, MAX_BATCH_BYTES } from "@agent-history/core";

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
    const work = before.length === 0 ? run() : behind(before, run);
    for (const threadId of threadIds) queues.set(threadId, work);
    try {
      return await work;
    } finally {
      for (const threadId of threadIds) if (queues.get(threadId) === work) queues.delete(threadId);
    }
  }

  function begin(threadId: string, line: Waiting[]): void {
    lines.set(threadId, line);
    let isDrained = false;
    const drained = inOrder([threadId], async () => {
      isDrained = true;
      if (lines.get(threadId) === line) lines.delete(threadId);
      return drain(writes, threadId, line);
    });
    drained.catch((error: unknown) => {
      if (lines.get(threadId) === line) lines.delete(threadId);
      if (!isDrained) failAll(line, error);
    });
  }

  return {
    run: async (threadIds, write) => {
      for (const threadId of threadIds) lines.delete(threadId);
      return inOrder(threadIds, write);
    },
    append: async (threadId, batch) =>
      new Promise<Appended>((resolve) => {
        const line = lines.get(threadId);
        if (line === undefined) begin(threadId, [{ batch, resolve }]);
        else line.push({ batch, resolve });
      }),
    allSettled: async () => {
      while (queues.size > 0) await Promise.allSettled(queues.values());
    },
  };
}

/**
 * Runs a write after those before it. If one of them failed so that its caller may send it again, nothing behind it is sent: the retry would stand behind it.
 */
async function behind<Result>(
  before: readonly Promise<unknown>[],
  run: () => Promise<Result>,
): Promise<Result> {
  for (const outcome of await Promise.allSettled(before))
    if (outcome.status === "rejected" && mayBeSentAgain(outcome.reason))
      throw behindFailed(outcome.reason);
  return run();
}

function mayBeSentAgain(error: unknown): boolean {
  return isHistoryError(error, "OUTCOME_UNKNOWN") || isHistoryError(error, "STORE_UNAVAILABLE");
}

function behindFailed(cause: unknown): HistoryError {
  return new HistoryError(
    "A write of this handle before it failed and may be sent again. Nothing was sent. Send them in order once more.",
    {
      code: "STORE_UNAVAILABLE",
      details: { outcome: "not-sent", reason: "behind-failed" },
      cause,
    },
  );
}

/** Writes a line of appends, as many together as may be. */
async function drain(
  writes: WriteBatches,
  threadId: string,
  line: readonly Waiting[],
): Promise<void> {
  for (let from = 0; from < line.length;) {
    const joined = takeJoined(line, from);
    from += joined.length;
    try {
      await writeJoined(writes, threadId, joined);
    } catch (error) {
      failAll(line.slice(from), behindFailed(error));
      throw error;
    }
  }
}

/** Writes appends together, or each by itself if one needs an answer of its own. Throws what a caller may send again, after each has its answer. */
async function writeJoined(
  { one, together }: WriteBatches,
  threadId: string,
  joined: readonly Waiting[],
): Promise<void> {
  const batches = joined.map(({ batch }) => batch);
  let answers: readonly Appended[] | undefined;
  try {
    if (joined.length > 1) answers = await together(threadId, batches);
  } catch (error) {
    failAll(joined, error);
    if (mayBeSentAgain(error)) throw error;
    return;
  }
  for (const [nth, { batch, resolve }] of joined.entries()) {
    try {
      resolve(answers?.[nth] ?? (await one(threadId, batch)));
    } catch (error) {
      resolve(Promise.reject<Appended>(error));
      if (!mayBeSentAgain(error)) continue;
      failAll(joined.slice(nth + 1), behindFailed(error));
      throw error;
    }
  }
}

function failAll(waiting: readonly Waiting[], error: unknown): void {
  for (const { resolve } of waiting) resolve(Promise.reject<Appended>(error));
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
