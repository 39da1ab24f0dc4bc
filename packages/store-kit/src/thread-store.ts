import type {
  BeforeStore,
  ErasureRemains,
  HistoryStore,
  Retention,
  StoreDescription,
} from "@agent-history/core";
import { countOption, HistoryError, throwIfAborted } from "@agent-history/core";

import { appendBatch } from "./append-entries.ts";
import { changedBefore } from "./before-store.ts";
import { requireCall } from "./call-options.ts";
import type { ThreadDriver } from "./driver.ts";
import { eraseEntries } from "./erase-entries.ts";
import { eraseThread, eraseUser } from "./erase-threads.ts";
import type { Erasing } from "./erasure.ts";
import { forkName, forkThread } from "./fork-thread.ts";
import { listThreads } from "./list-threads.ts";
import { exportThread } from "./move-thread/export-thread.ts";
import { importThread } from "./move-thread/import-thread.ts";
import { prepareBatch } from "./prepare-batch.ts";
import { readThread } from "./read-thread.ts";
import { replaceSuffix } from "./replace-suffix.ts";
import { storeTelemetry } from "./store-telemetry.ts";
import type { StoreTelemetry, VerbCounts } from "./store-telemetry.ts";
import { commitCompaction, expandSummary, listSummaries } from "./summaries.ts";
import { sweepThreads } from "./sweep-threads.ts";
import { accessThreads } from "./thread-access.ts";
import type { ThreadAccess } from "./thread-access.ts";
import { threadQueue } from "./thread-queue.ts";
import type { ThreadQueue } from "./thread-queue.ts";
import { getMetadata, getState, listState, setMetadata, setState } from "./thread-state.ts";
import { verifyThread } from "./verify-thread.ts";

/** What every store may be given. */
export interface CommonStoreOptions {
  /** What `sweep` erases. Default: it must be told. */
  readonly retention?: Retention | undefined;
  /** Changes entries before they are written: those of `append`, of replacements, and summaries. An import brings entries as they are. */
  readonly beforeStore?: BeforeStore | undefined;
  /** Puts a driver of yours before the engine's: `(driver) => encryptedDriver(driver, { keys })`. */
  readonly wrapDriver?: ((driver: ThreadDriver) => ThreadDriver) | undefined;
}

/** What a store is besides its driver. */
export interface ThreadStoreOptions extends CommonStoreOptions {
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
export function threadStore(engine: ThreadDriver, options: ThreadStoreOptions): ThreadStore {
  const driver = options.wrapDriver?.(engine) ?? engine;
  const { scope, system, describe, timeoutMs = Infinity, mayExpire = false } = options;
  const { now = Date.now, remains = async () => [] } = options;
  const telemetry = storeTelemetry(scope, system);
  const onRetry = telemetry.countRetry;
  const access = accessThreads(driver, { timeoutMs, mayExpire, now, onRetry });
  const queue = threadQueue(async (threadId, batch) =>
    appendBatch(access, threadId, batch, { expectedVersion: "any" }),
  );
  const handle: Handle = { access, queue, telemetry, isClosed: false };
  const { verb } = doorsOf(handle);
  const erasing: Erasing = {
    access,
    inOrder: async (threadId, write) => queue.run([threadId], write),
    store: system,
    retention: requireRetention(options.retention ?? {}),
    remains,
  };
  const store: ThreadStore = {
    ...threadVerbs(handle),
    list: verb("list", async (_counts, given = {}) => listThreads(access, given)),
    delete: verb("delete", async (_counts, threadId, given = {}) =>
      eraseThread(erasing, threadId, given),
    ),
    eraseUser: verb("eraseUser", async (_counts, user, given = {}) =>
      eraseUser(erasing, user, given),
    ),
    eraseEntries: verb("eraseEntries", async (_counts, threadId, ids, given = {}) =>
      eraseEntries(erasing, threadId, ids, given),
    ),
    sweep: verb("sweep", async (_counts, given = {}) => sweepThreads(erasing, given)),
    ping: verb("ping", async (_counts, { signal } = {}) => {
      throwIfAborted(signal);
      await driver.ping({ signal });
    }),
    describe: verb("describe", describe),
    settled: async ({ signal } = {}) => {
      throwIfAborted(signal);
      requireOpen(handle);
      await queue.allSettled();
    },
    close: async () => {
      if (handle.isClosed) return;
      handle.isClosed = true;
      await queue.allSettled();
      await driver.close();
    },
  };
  return options.beforeStore === undefined ? store : changedBefore(store, options.beforeStore);
}

/** Refuses at construction what a sweep would refuse. */
function requireRetention(retention: Retention): Retention {
  countOption("idleMs", retention.idleMs ?? Infinity);
  countOption("maxEntries", retention.maxEntries ?? Infinity);
  return retention;
}

/** One open store. */
interface Handle {
  readonly access: ThreadAccess;
  readonly queue: ThreadQueue;
  readonly telemetry: StoreTelemetry;
  isClosed: boolean;
}

function requireOpen({ isClosed }: Handle): void {
  if (!isClosed) return;
  throw new HistoryError("The store is closed. Nothing was done; open another.", {
    code: "STORE_UNAVAILABLE",
    details: { outcome: "not-sent", reason: "closed" },
  });
}

/** A verb of one thread that needs nothing but its access. */
type OnAccess = <Args extends unknown[], Result>(
  name: string,
  run: (access: ThreadAccess, threadId: string, ...args: Args) => Promise<Result>,
) => (threadId: string, ...args: Args) => Promise<Result>;

/** What makes verbs: each checks what all check, and is a span of its own; one that writes goes after the writes before it. */
function doorsOf(handle: Handle) {
  const { access, queue, telemetry } = handle;
  const verb =
    <Args extends unknown[], Result>(
      name: string,
      run: (counts: VerbCounts, ...args: Args) => Promise<Result>,
    ) =>
    async (...args: Args): Promise<Result> =>
      telemetry.trace(name, async (counts) => {
        requireOpen(handle);
        requireCall(name, args);
        return run(counts, ...args);
      });
  const reading: OnAccess = (name, run) =>
    verb(name, async (_counts, threadId: string, ...args) => run(access, threadId, ...args));
  const writing: OnAccess = (name, run) =>
    reading(name, async (_access, threadId, ...args) =>
      queue.run([threadId], async () => run(access, threadId, ...args)),
    );
  return { verb, reading, writing };
}

type ThreadVerbs = Omit<
  HistoryStore,
  "list" | "delete" | "eraseUser" | "eraseEntries" | "sweep" | "ping" | "describe" | "close"
>;

function threadVerbs(handle: Handle): ThreadVerbs {
  const { access, queue } = handle;
  const { verb, reading, writing } = doorsOf(handle);
  return {
    append: verb("append", async (counts, threadId, entries, given = {}) => {
      const { expectedVersion = "any", tokens, signal } = given;
      throwIfAborted(signal);
      const batch = prepareBatch(entries, { tokens });
      counts["agent_history.entries"] = batch.entries.length;
      counts["agent_history.bytes"] = batch.bytes;
      const mayJoin = expectedVersion === "any" && signal === undefined && entries.length > 0;
      const appended = mayJoin
        ? await queue.append(threadId, batch)
        : await queue.run([threadId], async () =>
            appendBatch(access, threadId, batch, { expectedVersion, signal }),
          );
      counts["agent_history.duplicate"] = appended.duplicate;
      return appended;
    }),
    read: verb("read", async (counts, threadId, given = {}) => {
      const { result, rounds, rows, isWhole } = await readThread(access, threadId, given);
      counts["agent_history.entries"] = result.entries.length;
      counts["agent_history.rounds"] = rounds;
      counts["agent_history.rows"] = rows;
      if (isWhole) counts["agent_history.whole_log_reads"] = 1;
      return result;
    }),
    replaceSuffix: writing("replaceSuffix", replaceSuffix),
    commitCompaction: writing("commitCompaction", commitCompaction),
    expand: writing("expand", expandSummary),
    listSummaries: reading("listSummaries", listSummaries),
    verify: reading("verify", verifyThread),
    getState: reading("getState", getState),
    setState: writing("setState", setState),
    listState: reading("listState", listState),
    fork: verb("fork", async (_counts, threadId, given) => {
      const forkId = forkName(threadId, given);
      return queue.run([threadId, forkId], async () => forkThread(access, threadId, forkId, given));
    }),
    getMetadata: reading("getMetadata", getMetadata),
    setMetadata: writing("setMetadata", setMetadata),
    exportThread: async function* exporting(threadId, given = {}) {
      requireOpen(handle);
      requireCall("exportThread", [threadId, given]);
      yield* exportThread(access, threadId, given);
    },
    importThread: reading("importThread", importThread),
  };
}
