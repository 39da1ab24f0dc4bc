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

/** Appends that wait to be written together. */
interface Joined {
  readonly batches: PreparedBatch[];
  readonly ids: Set<string>;
  bytes: number;
  /** What became of each, once `done` is over. */
  readonly outcomes: PromiseSettledResult<Appended>[];
  readonly done: Promise<void>;
}

/** How many entries are joined to one batch. */
const MOST_JOINED = 100;

/** Makes the queue of one handle. */
export function threadQueue(
  append: (threadId: string, batch: PreparedBatch) => Promise<Appended>,
): ThreadQueue {
  const queues = new Map<string, Promise<unknown>>();
  /** The appends that wait at the end of a queue. */
  const waiting = new Map<string, Joined>();

  async function run<Result>(
    threadIds: readonly string[],
    write: () => Promise<Result>,
  ): Promise<Result> {
    for (const threadId of threadIds) waiting.delete(threadId);
    const before = threadIds.flatMap((threadId) => queues.get(threadId) ?? []);
    const work = before.length === 0 ? write() : behind(before, write);
    for (const threadId of threadIds) queues.set(threadId, work);
    try {
      return await work;
    } finally {
      for (const threadId of threadIds) if (queues.get(threadId) === work) queues.delete(threadId);
    }
  }

  function begin(threadId: string): Joined {
    const batches: PreparedBatch[] = [];
    const outcomes: Joined["outcomes"] = [];
    const work = run([threadId], async () => {
      // What is called in the same moment is joined as well.
      await Promise.resolve();
      if (waiting.get(threadId) === joined) waiting.delete(threadId);
      await writeJoined((batch) => append(threadId, batch), joined);
    });
    const done = work.catch((reason: unknown) => {
      if (waiting.get(threadId) === joined) waiting.delete(threadId);
      while (outcomes.length < batches.length) outcomes.push({ status: "rejected", reason });
    });
    const joined: Joined = { batches, outcomes, ids: new Set(), bytes: 0, done };
    waiting.set(threadId, joined);
    return joined;
  }

  return {
    run,
    append: async (threadId, batch) => {
      const last = waiting.get(threadId);
      const joined = last !== undefined && fits(last, batch) ? last : begin(threadId);
      const nth = joined.batches.push(batch) - 1;
      for (const { entry } of batch.entries) joined.ids.add(entry.id);
      joined.bytes += batch.bytes;
      await joined.done;
      const outcome = joined.outcomes[nth];
      if (outcome?.status === "fulfilled") return outcome.value;
      throw outcome?.reason;
    },
    allSettled: async () => {
      while (queues.size > 0) await Promise.allSettled(queues.values());
    },
  };
}

/** Writes appends as one batch, or each by itself if one of them needs an answer of its own. */
async function writeJoined(
  append: (batch: PreparedBatch) => Promise<Appended>,
  { batches, outcomes }: Joined,
): Promise<void> {
  const entries = batches.flatMap((one) => one.entries);
  const bytes = batches.reduce((sum, one) => sum + one.bytes, 0);
  try {
    const { version, duplicate } = await append({ entries, bytes });
    let left = entries.length;
    for (const one of batches) {
      left -= one.entries.length;
      const value = { version: duplicate ? version : version - left, duplicate };
      outcomes.push({ status: "fulfilled", value });
    }
    return;
  } catch (error) {
    const isOfOne = isHistoryError(error, "DUPLICATE_ID") || isHistoryError(error, "ENTRY_ERASED");
    if (batches.length === 1 || !isOfOne) throw error;
  }
  for (const one of batches) {
    const [outcome] = await Promise.allSettled([append(one)]);
    outcomes.push(outcome);
    if (outcome.status === "rejected" && mayBeSentAgain(outcome.reason))
      throw behindFailed(outcome.reason);
  }
}

/** Whether a batch may go together with others: of other ids, within the limits. */
function fits({ ids, bytes }: Joined, { entries, bytes: more }: PreparedBatch): boolean {
  return (
    ids.size + entries.length <= MOST_JOINED &&
    bytes + more <= MAX_BATCH_BYTES &&
    entries.every(({ entry }) => !ids.has(entry.id))
  );
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
    "An earlier write of this handle failed and may be sent again. Nothing was sent. Send both again, in order.",
    {
      code: "STORE_UNAVAILABLE",
      details: { outcome: "not-sent", reason: "behind-failed" },
      cause,
    },
  );
}
