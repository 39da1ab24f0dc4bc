import { HistoryError, isHistoryError } from "@agent-history/core";
import type { ExpectedVersion, HistoryStore } from "@agent-history/core";
import { prepareBatch, threadQueue } from "@agent-history/store-kit/indexed";
import type { PreparedBatch, Sent, ThreadQueue } from "@agent-history/store-kit/indexed";

import { appendGroup } from "./append-group.ts";
import { outcomeUnknown, withDeadline } from "./operation.ts";
import type { Operation } from "./operation.ts";
import { inTime, requireCall, whileTorn } from "./run-verb.ts";
import type { StoreContext } from "./store-context.ts";
import { conflict } from "./thread-errors.ts";
import { threadReader } from "./thread-reader.ts";
import { traceVerb } from "./trace-verb.ts";
import { locateThread } from "./tree-keys.ts";

/** The most that goes together in one script: larger ones keep the server from others for longer, and are slower for each entry. */
const TOGETHER = { entries: 100, bytes: 1_000_000 };

type Outcome = Awaited<ReturnType<HistoryStore["append"]>>;

/** A batch that waits for its turn. */
interface WaitingBatch {
  readonly batch: PreparedBatch;
  readonly ids: ReadonlySet<string>;
  readonly expected: ExpectedVersion;
  /** When its caller is answered at the latest, by `performance.now`. */
  readonly deadlineMs: number;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

/** The verb `append`, and what resolves when nothing is on its way any more. */
export interface AppendVerb {
  readonly append: HistoryStore["append"];
  readonly idle: () => Promise<void>;
}

/** Makes `append`: one sending in flight for each thread, what comes meanwhile goes together as far as it may. */
export function appendVerb(context: StoreContext): AppendVerb {
  const queue = threadQueue<WaitingBatch>({
    joins,
    send: (threadId, together) => sendTogether(context, threadId, together),
  });

  return {
    idle: queue.idle,
    append: (threadId, entries, options = {}) =>
      traceVerb("append", async (counts) => {
        const { expectedVersion: expected = "any", tokens, signal } = options;
        requireCall(context, { threadId, signal });
        const batch = prepareBatch(entries, tokens === undefined ? {} : { tokens });
        counts["agent_history.entries"] = batch.entries.length;
        counts["agent_history.bytes"] = batch.bytes;
        if (batch.entries.length === 0) {
          return checkVersion(context, { threadId, expected, signal });
        }
        return enqueue(queue, threadId, {
          batch,
          ids: new Set(batch.entries.map(({ entry }) => entry.id)),
          expected,
          signal,
          deadlineMs: performance.now() + context.timeoutMs,
        });
      }),
  };
}

/** An empty batch writes nothing, and still expects a version. */
function checkVersion(
  context: StoreContext,
  {
    threadId,
    expected,
    signal,
  }: {
    readonly threadId: string;
    readonly expected: ExpectedVersion;
    readonly signal: AbortSignal | undefined;
  },
): Promise<Outcome> {
  return inTime(context, signal, async (operation) => {
    const reader = threadReader(context, operation, locateThread(context.namespace, threadId));
    await reader.answer([{ kind: "thread" }]);
    const { exists = false, version = 0 } = reader.found() ?? {};
    const isMet =
      expected === "any" ||
      (expected === "none" && !exists) ||
      (expected === "exists" && exists) ||
      expected === version;
    if (!isMet) throw conflict("thread's version", expected, version);
    return { version, duplicate: false };
  });
}

function enqueue(
  queue: ThreadQueue<WaitingBatch>,
  threadId: string,
  {
    signal,
    ...given
  }: Pick<WaitingBatch, "batch" | "ids" | "expected" | "deadlineMs"> & {
    readonly signal: AbortSignal | undefined;
  },
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      waiting.reject(queue.remove(threadId, waiting) ? aborted() : outcomeUnknown("aborted"));
    };
    const settle = (): void => signal?.removeEventListener("abort", abort);
    const waiting: WaitingBatch = {
      ...given,
      resolve: (outcome) => {
        settle();
        resolve(outcome);
      },
      reject: (error) => {
        settle();
        reject(error);
      },
    };
    signal?.addEventListener("abort", abort, { once: true });
    queue.push(threadId, waiting);
  });
}

function aborted(): HistoryError {
  return new HistoryError("The call was aborted. Nothing was changed.", { code: "ABORTED" });
}

/** Batches go together where none of them expects a version, and none repeats an id. */
function joins(together: readonly WaitingBatch[], next: WaitingBatch): boolean {
  if (next.expected !== "any" || together[0]?.expected !== "any") return false;
  let { bytes } = next.batch;
  let entries = next.batch.entries.length;
  for (const { batch } of together) {
    bytes += batch.bytes;
    entries += batch.entries.length;
  }
  if (entries > TOGETHER.entries || bytes > TOGETHER.bytes) return false;
  return together.every(({ ids }) => next.batch.entries.every(({ entry }) => !ids.has(entry.id)));
}

/** Sends batches. Where that fails, so do those that wait behind them, unsent. */
async function sendTogether(
  context: StoreContext,
  threadId: string,
  together: readonly WaitingBatch[],
): Promise<Sent<WaitingBatch>> {
  const timeoutMs = Math.max(
    0,
    together.reduce((first, { deadlineMs }) => Math.min(first, deadlineMs), Infinity) -
      performance.now(),
  );
  try {
    const settle = await withDeadline({ timeoutMs }, async (operation) => {
      await context.requireServer(operation);
      return whileTorn(() => sendAsOne(context, operation, { threadId, together }));
    });
    return { settle };
  } catch (error) {
    const settle = (): void => {
      for (const waiting of together) waiting.reject(error);
    };
    if (isRefusal(error)) return { settle };
    const failBehind = (behind: readonly WaitingBatch[]): void => {
      for (const waiting of behind) waiting.reject(behindFailed());
    };
    return { settle, failBehind };
  }
}

/** Returns whether a batch was refused for good: its caller does not send it again as it is. */
function isRefusal(error: unknown): boolean {
  return isHistoryError(error) && REFUSALS.has(error.code);
}

const REFUSALS: ReadonlySet<string> = new Set([
  "DUPLICATE_ID",
  "VERSION_CONFLICT",
  "THREAD_DELETED",
]);

function behindFailed(): HistoryError {
  return new HistoryError(
    "Nothing was written: an earlier append failed and may be retried. Send this one after it.",
    { code: "STORE_UNAVAILABLE", details: { outcome: "not-sent", reason: "behind-failed" } },
  );
}

/** Sends batches as one; gives back how their callers are answered. */
async function sendAsOne(
  context: StoreContext,
  operation: Operation,
  { threadId, together }: { readonly threadId: string; readonly together: readonly WaitingBatch[] },
): Promise<() => void> {
  const appended = await appendGroup(context, operation, {
    threadId,
    batches: together.map(({ batch }) => batch),
    expected: together[0]?.expected ?? "any",
  });
  if (appended.kind === "split") {
    for (const waiting of together) await sendAlone(context, operation, { threadId, waiting });
    return () => {};
  }
  return () => {
    const duplicate = appended.kind === "duplicate";
    let { version } = appended;
    for (const waiting of together.toReversed()) {
      waiting.resolve({ version, duplicate });
      version -= waiting.batch.entries.length;
    }
  };
}

/** One batch's own refusal is no other's. */
async function sendAlone(
  context: StoreContext,
  operation: Operation,
  { threadId, waiting }: { readonly threadId: string; readonly waiting: WaitingBatch },
): Promise<void> {
  try {
    const settle = await sendAsOne(context, operation, { threadId, together: [waiting] });
    settle();
  } catch (error) {
    if (!isRefusal(error) || isHistoryError(error, "THREAD_DELETED")) throw error;
    waiting.reject(error);
  }
}
