import { HistoryError } from "./history-error.ts";
import type { HistoryStore } from "./history-store.ts";
import { isKnownBatch, soundBatch } from "./internal/memory-batch.ts";
import { forkVerb } from "./internal/memory-fork.ts";
import { enter } from "./internal/memory-handle.ts";
import type { Handle } from "./internal/memory-handle.ts";
import { requireLimits } from "./internal/memory-limits.ts";
import { listVerbs } from "./internal/memory-list.ts";
import { readThread } from "./internal/memory-read.ts";
import { replaceVerb } from "./internal/memory-replace.ts";
import { stateVerbs } from "./internal/memory-state.ts";
import {
  addToLog,
  asOverlay,
  isKnownOverlay,
  newThread,
  raiseViewRevision,
  rememberTokens,
  requireCoverage,
  requireViewRevision,
  requireVersion,
  versionOf,
  viewOfThread,
  viewRevisionOf,
} from "./internal/memory-thread.ts";
import { memoryThreads } from "./internal/memory-threads.ts";
import type { MemoryThreads } from "./internal/memory-threads.ts";

/** How a memory store is made. */
export interface MemoryStoreOptions {
  /** A memory store whose threads this one has too: another handle on the same memory. Default: threads of its own. */
  readonly sharing?: HistoryStore | undefined;
}

/**
 * Makes a store that keeps threads in the memory of this process: the reference for the others, for tests and for short-lived agents.
 *
 * What goes in and comes out is copied. Entries must be JSON with the fields that all entries have; the fields of a built-in type are not checked. Nothing survives the process. A read of the
 * newest entries looks at as many as it shows and a few more, unless calls made calls; any other read costs time linear in the thread.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if `sharing` is not a memory store.
 * @example
 * ```ts
 * import { userMessage } from "@agent-history/core";
 * import { memoryStore } from "@agent-history/core/memory-store";
 *
 * const store = memoryStore();
 * await store.append("thread-1", [userMessage({ id: "u1", content: "Hello" })]);
 * const { entries } = await store.read("thread-1");
 * entries.map((entry) => entry.id);
 * // => ["u1"]
 * ```
 */
export function memoryStore(options: MemoryStoreOptions = {}): HistoryStore {
  const threads = options.sharing === undefined ? memoryThreads() : threadsOf.get(options.sharing);
  if (threads === undefined) {
    throw new HistoryError("Expected `sharing` to be a store made by memoryStore.", {
      code: "INVALID_OPTION",
      details: { option: "sharing" },
    });
  }
  const handle: Handle = { threads, isClosed: false };
  const store: HistoryStore = {
    ...logVerbs(handle),
    ...replaceVerb(handle),
    ...compactionVerbs(handle),
    ...stateVerbs(handle),
    ...forkVerb(handle),
    ...listVerbs(handle),
    ...threadVerbs(handle),
    ...storeVerbs(handle),
  };
  threadsOf.set(store, threads);
  return store;
}

const threadsOf = new WeakMap<HistoryStore, MemoryThreads>();

function logVerbs(handle: Handle): Pick<HistoryStore, "append" | "read"> {
  return {
    append: async (threadId, entries, options = {}) => {
      const threads = enter(handle, options.signal);
      const { expectedVersion = "any", tokens = new Map<string, readonly number[]>() } = options;
      const batch = soundBatch(entries, tokens);
      const known = threads.find(threadId);
      const version = versionOf(known);
      if (batch.length > 0 && isKnownBatch(known, batch)) return { version, duplicate: true };
      requireVersion(known, expectedVersion);
      if (batch.length === 0) return { version, duplicate: false };
      const thread = threads.open(threadId);
      addToLog(thread, batch);
      rememberTokens(thread, batch, tokens);
      return { version: versionOf(thread), duplicate: false };
    },

    read: async (threadId, { query = { clauses: [{}] }, originals = false, signal } = {}) => {
      const thread = enter(handle, signal).find(threadId) ?? newThread();
      return readThread(thread, query, { originals, signal });
    },
  };
}

function compactionVerbs(
  handle: Handle,
): Pick<HistoryStore, "commitCompaction" | "expand" | "listSummaries"> {
  return {
    listSummaries: async (threadId, { signal } = {}) =>
      structuredClone(enter(handle, signal).find(threadId)?.overlays ?? []),

    commitCompaction: async (threadId, { view, summary, covers, expectedViewRevision, signal }) => {
      const threads = enter(handle, signal);
      const overlay = asOverlay(summary, view, covers);
      requireLimits([overlay]);
      const thread = threads.require(threadId);
      if (isKnownOverlay(thread, overlay)) return { viewRevision: viewRevisionOf(thread, view) };
      requireViewRevision(thread, view, expectedViewRevision);
      requireCoverage(thread, view, overlay);
      thread.overlays.push(overlay);
      return { viewRevision: raiseViewRevision(thread, view) };
    },

    expand: async (threadId, summaryId, { signal } = {}) => {
      const thread = enter(handle, signal).require(threadId);
      const overlay = thread.overlays.find(({ id }) => id === summaryId);
      const view = overlay?.view;
      const shown =
        view !== undefined && viewOfThread(thread, view).some(({ id }) => id === summaryId);
      if (overlay === undefined || view === undefined || !shown) {
        throw new HistoryError(
          "Expected the id of a summary that its view shows. Expand the summary that covers it first.",
          { code: "NOT_FOUND", details: { entryId: summaryId } },
        );
      }
      thread.overlays.splice(thread.overlays.indexOf(overlay), 1);
      return { viewRevision: raiseViewRevision(thread, view) };
    },
  };
}

function threadVerbs(handle: Handle): Pick<HistoryStore, "delete"> {
  return {
    delete: async (threadId, { signal } = {}) => {
      enter(handle, signal).delete(threadId);
    },
  };
}

function storeVerbs(
  handle: Handle,
): Pick<HistoryStore, "ping" | "describe" | "verify" | "reindex" | "close"> {
  return {
    ping: async ({ signal } = {}) => {
      enter(handle, signal);
    },
    describe: async () => ({
      kind: "memory",
      durability: "Nothing survives the end of the process.",
      details: { threads: enter(handle).all().length },
    }),
    verify: async (threadId, { signal } = {}) => {
      enter(handle, signal).find(threadId);
      return [];
    },
    reindex: async (threadId, { signal } = {}) => {
      enter(handle, signal).find(threadId);
      return [];
    },
    close: async () => {
      handle.isClosed = true;
    },
  };
}
