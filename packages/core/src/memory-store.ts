import { countOption } from "./count-option.ts";
import { HistoryError } from "./history-error.ts";
import type { HistoryQuery } from "./history-query.ts";
import type { HistoryStore } from "./history-store.ts";
import {
  asOverlay,
  forkThread,
  isKnownBatch,
  newThread,
  raiseEpoch,
  rememberTokens,
  requireCoverage,
  requireEpoch,
  requireRevision,
  requireVersion,
  tokensOf,
  viewOfThread,
} from "./internal/memory-thread.ts";
import { memoryThreads } from "./internal/memory-threads.ts";
import type { MemoryThreads } from "./internal/memory-threads.ts";
import { throwIfAborted } from "./internal/throw-if-aborted.ts";
import { selectEntries } from "./select-entries.ts";

const EVERYTHING: HistoryQuery = { clauses: [{}] };

/**
 * Makes a store that keeps threads in the memory of this process: the reference for the others, for tests and for short-lived agents.
 *
 * What goes in and comes out is copied. Nothing survives the process. A read costs time linear in the thread.
 *
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
export function memoryStore(): HistoryStore {
  const threads = memoryThreads();
  return {
    ...logVerbs(threads),
    ...compactionVerbs(threads),
    ...stateVerbs(threads),
    ...threadVerbs(threads),
  };
}

function logVerbs(threads: MemoryThreads): Pick<HistoryStore, "append" | "read"> {
  return {
    append: async (threadId, entries, options = {}) => {
      throwIfAborted(options.signal);
      const known = threads.find(threadId);
      const batch = structuredClone(entries);
      if (batch.length > 0 && isKnownBatch(known, batch)) {
        return { version: known?.log.length ?? 0, duplicate: true };
      }
      requireVersion(known, options.expectedVersion ?? "any");
      if (batch.length === 0) return { version: known?.log.length ?? 0, duplicate: false };
      const thread = threads.open(threadId);
      thread.log.push(...batch);
      rememberTokens(thread, batch, options.tokens ?? new Map<string, readonly number[]>());
      return { version: thread.log.length, duplicate: false };
    },

    read: async (threadId, { query = EVERYTHING, originals = false, signal } = {}) => {
      throwIfAborted(signal);
      const thread = threads.find(threadId) ?? newThread();
      const { view } = query;
      const all = originals ? thread.log : viewOfThread(thread, view);
      const entries = selectEntries(all, query);
      return {
        entries: structuredClone(entries),
        tokens: tokensOf(thread, entries),
        problems: [],
        version: thread.log.length,
        epoch: view === undefined ? 0 : (thread.epochs.get(view) ?? 0),
      };
    },
  };
}

function compactionVerbs(
  threads: MemoryThreads,
): Pick<HistoryStore, "commitCompaction" | "expand"> {
  return {
    commitCompaction: async (threadId, { view, summary, covers, expectedEpoch, signal }) => {
      throwIfAborted(signal);
      const thread = threads.require(threadId);
      const overlay = asOverlay(summary, view, covers);
      requireEpoch(thread, view, expectedEpoch);
      requireCoverage(thread, view, overlay);
      thread.overlays.push(overlay);
      return { epoch: raiseEpoch(thread, view) };
    },

    expand: async (threadId, summaryId, { signal } = {}) => {
      throwIfAborted(signal);
      const thread = threads.require(threadId);
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
      return { epoch: raiseEpoch(thread, view) };
    },
  };
}

function stateVerbs(threads: MemoryThreads): Pick<HistoryStore, "getState" | "setState"> {
  return {
    getState: async (threadId, key, { signal } = {}) => {
      throwIfAborted(signal);
      return structuredClone(threads.find(threadId)?.state.get(key));
    },

    setState: async (threadId, key, value, { expectedRevision, signal }) => {
      throwIfAborted(signal);
      const actual = threads.find(threadId)?.state.get(key)?.revision ?? 0;
      requireRevision(expectedRevision, actual);
      threads
        .open(threadId)
        .state.set(key, { value: structuredClone(value), revision: actual + 1 });
      return { revision: actual + 1 };
    },
  };
}

function threadVerbs(
  threads: MemoryThreads,
): Pick<HistoryStore, "fork" | "list" | "delete" | "describe" | "verify" | "close"> {
  return {
    fork: async (threadId, { at, as, signal }) => {
      throwIfAborted(signal);
      const thread = threads.require(threadId);
      const forkId = `${threadId}/${as}`;
      requireVersion(threads.find(forkId), "none");
      const end = thread.log.findIndex(({ id }) => id === at) + 1;
      if (end === 0) {
        throw new HistoryError("Expected `at` to be the id of an entry of the thread.", {
          code: "NOT_FOUND",
          details: { entryId: at },
        });
      }
      threads.add(forkId, forkThread(thread, end));
      return { threadId: forkId };
    },

    list: async ({ prefix = "", cursor, limit = 100, signal } = {}) => {
      throwIfAborted(signal);
      const count = countOption("limit", limit);
      const ids = threads
        .ids()
        .filter((id) => id.startsWith(prefix) && (cursor === undefined || id > cursor))
        .toSorted();
      const page = ids.slice(0, count);
      const last = page.at(-1);
      return ids.length > page.length && last !== undefined
        ? { threadIds: page, cursor: last }
        : { threadIds: page };
    },

    delete: async (threadId, { signal } = {}) => {
      throwIfAborted(signal);
      threads.delete(threadId);
    },

    describe: async () => ({
      kind: "memory",
      durability: "Nothing survives the end of the process.",
      details: { threads: threads.ids().length },
    }),
    verify: async (threadId) => {
      threads.find(threadId);
      return [];
    },
    close: async () => {},
  };
}
