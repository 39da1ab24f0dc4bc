import type {
  ErasureRemains,
  HistoryStore,
  StoreDescription,
  ThreadMetadata,
} from "@agent-history/core";
import { HistoryError, throwIfAborted } from "@agent-history/core";
import { requireMetadata, requireName } from "@agent-history/core/schema";

import { appendBatch, appendTogether } from "./append-entries.ts";
import type { ThreadDriver } from "./driver.ts";
import { eraseEntries } from "./erase-entries.ts";
import { eraseThread, eraseUser, sweepThreads } from "./erase-threads.ts";
import type { Erasing } from "./erase-threads.ts";
import { forkName, forkThread } from "./fork-thread.ts";
import { metadataOf } from "./head.ts";
import { listThreads } from "./list-threads.ts";
import { exportThread } from "./move-thread/export-thread.ts";
import { importThread } from "./move-thread/import-thread.ts";
import type { MoveVerbs } from "./move-thread/import-thread.ts";
import { prepareBatch } from "./prepare-batch.ts";
import { readThread } from "./read-thread.ts";
import type { ReadOutcome } from "./read-thread.ts";
import { replaceSuffix } from "./replace-suffix.ts";
import { requireExpectedVersion, requireRevision } from "./requirements.ts";
import { storeTelemetry } from "./store-telemetry.ts";
import type { StoreTelemetry, VerbCounts } from "./store-telemetry.ts";
import { commitCompaction, expandSummary, overlaysIn } from "./summaries.ts";
import { accessThreads, beginHead, knowThread, writeThread } from "./thread-access.ts";
import type { Decision, Known, ThreadAccess } from "./thread-access.ts";
import { threadQueue } from "./thread-queue.ts";
import type { ThreadQueue } from "./thread-queue.ts";
import { getState, listState, setState } from "./thread-state.ts";
import { verifyThread } from "./verify-thread.ts";

/** What a store is besides its driver. */
export interface ThreadStoreOptions {
  /** The name of the package, for spans and metrics. */
  readonly scope: string;
  /** The engine by its `db.system.name`. */
  readonly system: string;
  /** Says what the store is and what a crash may cost. */
  readonly describe: () => Promise<StoreDescription>;
  /** Says what files of the engine may hold after an erasure, once what can be cleared at once was. Default: nothing. */
  readonly remains?: () => Promise<readonly ErasureRemains[]>;
  /** Limit for each round to the engine with its retries, in milliseconds. Default `Infinity`. */
  readonly timeoutMs?: number;
  /** Whether threads may disappear by themselves, as keys that expire do. Default `false`. */
  readonly mayExpire?: boolean;
  /** The clock. Default `Date.now`. */
  readonly now?: () => number;
}

/** A store of `threadStore`. */
export interface ThreadStore extends HistoryStore {
  /**
   * Waits for the writes that this handle was given.
   *
   * @throws `HistoryError` with code `STORE_UNAVAILABLE` if the store is closed, `ABORTED`.
   */
  settled(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
}

/**
 * Makes a complete store of what an engine does. It owns all that stores share: checks, order, retries, turns, views, replacements, forks, the planning of reads.
 *
 * @example
 * ```ts
 * import { userMessage } from "@agent-history/core";
 * import { memoryDriver, threadStore } from "@agent-history/store-kit";
 *
 * const store = threadStore(memoryDriver(new Map()), {
 *   scope: "my-store",
 *   system: "memory",
 *   describe: async () => ({ kind: "memory", durability: "None.", details: {} }),
 * });
 * await store.append("thread-1", [userMessage({ id: "u1", content: "Hello" })]);
 * // => { version: 1, duplicate: false }
 * ```
 */
export function threadStore(driver: ThreadDriver, options: ThreadStoreOptions): ThreadStore {
  const { scope, system, describe, timeoutMs = Infinity, mayExpire = false } = options;
  const { now = Date.now, remains = async () => [] } = options;
  const telemetry = storeTelemetry(scope, system);
  const onRetry = telemetry.countRetry;
  const access = accessThreads(driver, { timeoutMs, mayExpire, now, onRetry });
  const queue = threadQueue({
    one: async (threadId, batch) =>
      appendBatch(access, threadId, batch, { expectedVersion: "any" }),
    together: async (threadId, batches) => appendTogether(access, threadId, batches),
  });
  const handle: Handle = { access, queue, telemetry, isClosed: false };
  const erasing: Erasing = {
    access,
    inOrder: async (threadId, write) => queue.run([threadId], write),
    store: system,
    remains,
  };
  return {
    ...logVerbs(handle),
    ...stateVerbs(handle),
    ...threadVerbs(handle),
    ...moveVerbs(handle),
    ...eraseVerbs(handle, erasing),
    ping: async ({ signal } = {}) =>
      runVerb(handle, "ping", { signal }, async () => driver.ping({ signal })),
    describe: async () => runVerb(handle, "describe", {}, describe),
    settled: async ({ signal } = {}) => {
      throwIfAborted(signal);
      if (handle.isClosed) throw closed();
      await queue.allSettled();
    },
    close: async () => {
      if (handle.isClosed) return;
      handle.isClosed = true;
      await queue.allSettled();
      await driver.close();
    },
  };
}

/** One open store. */
interface Handle {
  readonly access: ThreadAccess;
  readonly queue: ThreadQueue;
  readonly telemetry: StoreTelemetry;
  isClosed: boolean;
}

interface Called {
  readonly threadId?: string;
  readonly signal?: AbortSignal | undefined;
}

/** Runs a verb in a span of its own, once the caller and the handle may. */
async function runVerb<Result>(
  handle: Handle,
  name: string,
  { threadId, signal }: Called,
  run: (counts: VerbCounts) => Promise<Result>,
): Promise<Result> {
  return handle.telemetry.trace(name, async (counts) => {
    throwIfAborted(signal);
    if (handle.isClosed) throw closed();
    if (threadId !== undefined) requireName("threadId", threadId);
    return run(counts);
  });
}

/** The same for a verb that writes: after the writes before it to the same threads. */
async function runWrite<Result>(
  handle: Handle,
  name: string,
  { threadId, signal, also = [] }: Required<Called> & { readonly also?: readonly string[] },
  run: () => Promise<Result>,
): Promise<Result> {
  return runVerb(handle, name, { threadId, signal }, async () =>
    handle.queue.run([threadId, ...also], async () => {
      throwIfAborted(signal);
      return run();
    }),
  );
}

type LogVerb =
  | "append"
  | "read"
  | "replaceSuffix"
  | "commitCompaction"
  | "expand"
  | "listSummaries"
  | "verify";

function logVerbs(handle: Handle): Pick<HistoryStore, LogVerb> {
  const { access, queue } = handle;
  return {
    append: async (threadId, entries, { expectedVersion = "any", tokens, signal } = {}) =>
      runVerb(handle, "append", { threadId, signal }, async (counts) => {
        requireExpectedVersion(expectedVersion);
        const batch = prepareBatch(entries, { tokens });
        counts["agent_history.entries"] = batch.entries.length;
        counts["agent_history.bytes"] = batch.bytes;
        const mayJoin = expectedVersion === "any" && signal === undefined && entries.length > 0;
        const options = { expectedVersion, signal };
        const appended = mayJoin
          ? await queue.append(threadId, batch)
          : await queue.run([threadId], async () => appendBatch(access, threadId, batch, options));
        counts["agent_history.duplicate"] = appended.duplicate;
        return appended;
      }),
    read: async (threadId, { query = { clauses: [{}] }, originals = false, signal } = {}) =>
      runVerb(handle, "read", { threadId, signal }, async (counts) => {
        const outcome = await readThread(access, { threadId, query, originals, signal });
        countRead(counts, outcome);
        return outcome.result;
      }),
    replaceSuffix: async (threadId, replacement) =>
      runWrite(handle, "replaceSuffix", { threadId, signal: replacement.signal }, async () =>
        replaceSuffix(access, threadId, replacement),
      ),
    commitCompaction: async (threadId, compaction) =>
      runWrite(handle, "commitCompaction", { threadId, signal: compaction.signal }, async () => {
        requireRevision("expectedViewRevision", compaction.expectedViewRevision);
        return commitCompaction(access, threadId, compaction);
      }),
    expand: async (threadId, summaryId, { signal } = {}) =>
      runWrite(handle, "expand", { threadId, signal }, async () =>
        expandSummary(access, threadId, summaryId, signal),
      ),
    listSummaries: async (threadId, { signal } = {}) =>
      runVerb(handle, "listSummaries", { threadId, signal }, async () => {
        const { answers } = await knowThread(
          access,
          threadId,
          [{ kind: "items", of: "o" }],
          signal,
        );
        return overlaysIn(answers[0]).map(({ summary }) => summary);
      }),
    verify: async (threadId, { signal } = {}) =>
      runVerb(handle, "verify", { threadId, signal }, async () =>
        verifyThread(access, threadId, signal),
      ),
  };
}

function stateVerbs(handle: Handle): Pick<HistoryStore, "getState" | "setState" | "listState"> {
  const { access } = handle;
  return {
    getState: async (threadId, key, { signal } = {}) =>
      runVerb(handle, "getState", { threadId, signal }, async () =>
        getState(access, threadId, key, signal),
      ),
    setState: async (threadId, key, value, options) =>
      runWrite(handle, "setState", { threadId, signal: options.signal }, async () =>
        setState(access, threadId, key, value, options),
      ),
    listState: async (threadId, options = {}) =>
      runVerb(handle, "listState", { threadId, signal: options.signal }, async () =>
        listState(access, threadId, options),
      ),
  };
}

type ThreadVerb = "fork" | "getMetadata" | "setMetadata" | "list";

function threadVerbs(handle: Handle): Pick<HistoryStore, ThreadVerb> {
  const { access } = handle;
  return {
    fork: async (threadId, options) => {
      const forkId = forkName(threadId, options);
      const also = [forkId];
      return runWrite(handle, "fork", { threadId, signal: options.signal, also }, async () =>
        forkThread(access, threadId, forkId, options),
      );
    },
    getMetadata: async (threadId, { signal } = {}) =>
      runVerb(handle, "getMetadata", { threadId, signal }, async () => {
        const { head } = await knowThread(access, threadId, [], signal);
        return head && metadataOf(threadId, head);
      }),
    setMetadata: async (threadId, change, { signal } = {}) =>
      runWrite(handle, "setMetadata", { threadId, signal }, async () => {
        const about = requireMetadata(change);
        const decide = ({ head = beginHead(access) }: Known): Decision<ThreadMetadata> => {
          const updatedAtMs = Math.max(head.updatedAtMs, access.now());
          const next = { ...head, about: { ...head.about, ...about }, updatedAtMs };
          return { result: metadataOf(threadId, next), change: { head: next } };
        };
        return writeThread(access, threadId, { asks: [], decide, isRecognized: true }, signal);
      }),
    list: async (options = {}) =>
      runVerb(handle, "list", { signal: options.signal }, async () => listThreads(access, options)),
  };
}

function eraseVerbs(
  handle: Handle,
  erasing: Erasing,
): Pick<HistoryStore, "delete" | "eraseUser" | "eraseEntries" | "sweep"> {
  return {
    delete: async (threadId, options = {}) =>
      runVerb(handle, "delete", { threadId, signal: options.signal }, async () =>
        eraseThread(erasing, threadId, options),
      ),
    eraseUser: async (user, options = {}) =>
      runVerb(handle, "eraseUser", { signal: options.signal }, async () =>
        eraseUser(erasing, user, options),
      ),
    eraseEntries: async (threadId, ids, options = {}) =>
      runVerb(handle, "eraseEntries", { threadId, signal: options.signal }, async () =>
        eraseEntries(erasing, threadId, ids, options),
      ),
    sweep: async (options) =>
      runVerb(handle, "sweep", { signal: options.signal }, async () =>
        sweepThreads(erasing, options),
      ),
  };
}

function moveVerbs(handle: Handle): Pick<HistoryStore, "exportThread" | "importThread"> {
  const verbsOf = (access: ThreadAccess): MoveVerbs => {
    const inside = { ...handle, access };
    return { ...logVerbs(inside), ...stateVerbs(inside), ...threadVerbs(inside) };
  };
  return {
    exportThread: async function* exporting(threadId, options = {}) {
      if (handle.isClosed) throw closed();
      yield* exportThread(handle.access, threadId, options);
    },
    importThread: async (threadId, text, options = {}) =>
      runVerb(handle, "importThread", { threadId, signal: options.signal }, async () =>
        importThread({ access: handle.access, verbsOf, threadId }, text, options),
      ),
  };
}

function countRead(counts: VerbCounts, { result, rounds, rows, isWhole }: ReadOutcome): void {
  counts["agent_history.entries"] = result.entries.length;
  counts["agent_history.rounds"] = rounds;
  counts["agent_history.rows"] = rows;
  if (isWhole) counts["agent_history.whole_log_reads"] = 1;
}

function closed(): HistoryError {
  return new HistoryError("The store is closed. Nothing was done; open another.", {
    code: "STORE_UNAVAILABLE",
    details: { outcome: "not-sent", reason: "closed" },
  });
}
