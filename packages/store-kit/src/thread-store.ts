import type {
  BeforeStore,
  ErasureRemains,
  HistoryStore,
  Retention,
  StoreDescription,
} from "@agent-history/core";
import { countOption } from "@agent-history/core";

import { appendEntries } from "./append-entries.ts";
import { requireCall } from "./call-options.ts";
import type { ThreadDriver } from "./driver.ts";
import { eraseEntries, eraseThread, eraseUser } from "./erasure.ts";
import { forkThread } from "./fork-thread.ts";
import { listThreads } from "./list-threads.ts";
import { exportThread, importThread } from "./move-thread.ts";
import { readThread } from "./read-thread.ts";
import { replaceSuffix } from "./replace-suffix.ts";
import { storeTelemetry } from "./store-telemetry.ts";
import type { Trace } from "./store-telemetry.ts";
import { commitCompaction, expandSummary, listSummaries } from "./summaries.ts";
import { sweepThreads } from "./sweep-threads.ts";
import { inOrder, patiently } from "./thread-access.ts";
import type { StoreCall, StoreHandle, Thread } from "./thread-access.ts";
import { getMetadata, getState, listState, setMetadata, setState } from "./thread-state.ts";
import { verifyThread } from "./verify-thread.ts";

/** Options common to all stores. */
export interface CommonStoreOptions {
  /** Default retention of `sweep`. Without it, each call of `sweep` must pass its own. */
  readonly retention?: Retention | undefined;
  /** Changes entries before they are written by `append`, `replaceSuffix` and `commitCompaction`. Imports write entries unchanged. */
  readonly beforeStore?: BeforeStore | undefined;
  /** Wraps the engine's driver: `(driver) => encryptedDriver(driver, { keys })`. */
  readonly wrapDriver?: ((driver: ThreadDriver) => ThreadDriver) | undefined;
}

/** Options of `threadStore`, besides the driver. */
export interface ThreadStoreOptions extends CommonStoreOptions {
  /** Package name, for spans and metrics. */
  readonly scope: string;
  /** The engine's `db.system.name`. */
  readonly system: string;
  /** Describes the store and which writes a crash may lose. */
  readonly describe: () => Promise<StoreDescription>;
  /** Clears what can be cleared immediately, then returns which files of the engine may still contain erased content. Default: none. */
  readonly remains?: () => Promise<readonly ErasureRemains[]>;
  /** Time limit for each round trip to the engine including retries, in milliseconds. Default `Infinity`. */
  readonly timeoutMs?: number;
  /** Whether threads may expire. Default `false`. */
  readonly mayExpire?: boolean;
  /** The clock. Default `Date.now`. */
  readonly now?: () => number;
}

/** A store made by `threadStore`. */
export interface ThreadStore extends HistoryStore {
  /**
   * Waits until all writes called on this handle have finished.
   *
   * @throws `HistoryError` with code `STORE_UNAVAILABLE` if the store is closed, `ABORTED`.
   */
  settled(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
}

/**
 * Makes a complete store from a driver. Contains everything that stores share: validation, write order, retries, turns, views, replacements, forks and read planning.
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
  const { scope, system, describe } = options;
  const handle = handleOf(driver, options);
  const { verb, reading, writing } = makersOf(handle, storeTelemetry(scope, system));
  const settled = async (): Promise<void> => {
    while (handle.queues.size > 0) await Promise.allSettled(handle.queues.values());
  };
  return {
    append: reading("append", appendEntries),
    read: reading("read", readThread),
    replaceSuffix: writing("replaceSuffix", replaceSuffix),
    commitCompaction: writing("commitCompaction", commitCompaction),
    expand: writing("expand", expandSummary),
    listSummaries: reading("listSummaries", listSummaries),
    verify: reading("verify", verifyThread),
    getState: reading("getState", getState),
    setState: writing("setState", setState),
    listState: reading("listState", listState),
    fork: reading("fork", forkThread),
    getMetadata: reading("getMetadata", getMetadata),
    setMetadata: writing("setMetadata", setMetadata),
    exportThread: async function* exporting(threadId, given = {}) {
      const signal = requireCall(handle.own, "exportThread", [threadId, given]);
      yield* exportThread({ ...handle, counts: {}, signal, threadId });
    },
    importThread: reading("importThread", importThread),
    list: verb("list", listThreads),
    delete: reading("delete", eraseThread),
    eraseUser: verb("eraseUser", eraseUser),
    eraseEntries: reading("eraseEntries", eraseEntries),
    sweep: verb("sweep", sweepThreads),
    ping: verb("ping", async (call) => patiently("read", call, (given) => driver.ping(given))),
    describe: verb("describe", describe),
    settled: async (given = {}) => {
      requireCall(handle.own, "settled", [given]);
      await settled();
    },
    close: async () => {
      if (handle.own.isClosed) return;
      handle.own.isClosed = true;
      await settled();
      await driver.close();
    },
  };
}

/** Makes a store method whose first parameter is a thread id. */
type OfThread = <Args extends unknown[], Result>(
  name: string,
  run: (thread: Thread, ...args: Args) => Promise<Result>,
) => (threadId: string, ...args: Args) => Promise<Result>;

/** Factories for store methods, each with its own span: `verb` for the store, `reading` for a thread, `writing` for a thread after its earlier writes. */
function makersOf(handle: StoreHandle, trace: Trace) {
  const verb =
    <Args extends unknown[], Result>(
      name: string,
      run: (call: StoreCall, ...args: Args) => Promise<Result>,
    ) =>
    async (...args: Args): Promise<Result> =>
      trace(name, async (counts) => {
        const signal = requireCall(handle.own, name, args);
        return run({ ...handle, counts, signal }, ...args);
      });
  const reading: OfThread = (name, run) =>
    verb(name, async (call, threadId: string, ...args) => run({ ...call, threadId }, ...args));
  const writing: OfThread = (name, run) =>
    reading(name, async (thread, ...args) =>
      inOrder(thread, [thread.threadId], async () => run(thread, ...args)),
    );
  return { verb, reading, writing };
}

function handleOf(
  driver: ThreadDriver,
  { system, timeoutMs = Infinity, mayExpire = false, beforeStore, ...others }: ThreadStoreOptions,
): StoreHandle {
  const { now = Date.now, remains = async () => [], retention = {} } = others;
  countOption("idleMs", retention.idleMs ?? Infinity);
  countOption("maxEntries", retention.maxEntries ?? Infinity);
  const own = { id: crypto.randomUUID().slice(0, 8), commits: 0, isClosed: false };
  const options = { system, timeoutMs, now, mayExpire, retention, remains, beforeStore };
  return { driver, ...options, own, seen: new Map(), queues: new Map(), waiting: new WeakMap() };
}
