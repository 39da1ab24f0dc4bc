import { countOption } from "../count-option.ts";
import type { HistoryStore } from "../history-store.ts";
import { requireMetadata } from "../thread-metadata.ts";
import type { ThreadMetadata } from "../thread-metadata.ts";
import { enter } from "./memory-handle.ts";
import type { Handle } from "./memory-handle.ts";
import type { MemoryThread } from "./memory-thread.ts";

/** The verbs about what a list shows of threads. */
export function listVerbs(
  handle: Handle,
): Pick<HistoryStore, "list" | "getMetadata" | "setMetadata"> {
  return {
    getMetadata: async (threadId, { signal } = {}) => {
      const thread = enter(handle, signal).find(threadId);
      return thread && metadataOf(threadId, thread);
    },

    setMetadata: async (threadId, change, { signal } = {}) => {
      const threads = enter(handle, signal);
      const sound = requireMetadata(change);
      const thread = threads.open(threadId);
      Object.assign(thread.about, sound);
      return metadataOf(threadId, thread);
    },

    list: async ({ prefix = "", user, newestFirst, cursor, limit = 100, signal } = {}) => {
      const count = countOption("limit", limit);
      const threads = enter(handle, signal);
      const isByTime = newestFirst === true || user !== undefined;
      const keyOf = isByTime ? newestKey : ({ threadId }: ThreadMetadata) => threadId;
      const found = threads
        .all()
        .filter(([id, { about }]) => id.startsWith(prefix) && (user ?? about.user) === about.user)
        .map(([id, thread]) => metadataOf(id, thread))
        .map((metadata) => ({ metadata, key: keyOf(metadata) }))
        .filter(({ key }) => cursor === undefined || key > cursor)
        .toSorted((one, other) => (one.key < other.key ? -1 : 1));
      const page = found.slice(0, count);
      const last = page.at(-1);
      return {
        threads: page.map(({ metadata }) => metadata),
        ...(found.length > page.length && last !== undefined && { cursor: last.key }),
      };
    },
  };
}

/** What a list shows of a thread. */
function metadataOf(threadId: string, thread: MemoryThread): ThreadMetadata {
  const { title, user, tags } = thread.about;
  return {
    threadId,
    ...(title !== null && { title }),
    ...(user !== null && { user }),
    tags: [...tags],
    createdAtMs: thread.createdAtMs,
    updatedAtMs: thread.updatedAtMs,
    entryCount: thread.log.length,
  };
}

/** Sorts the newest first, and those of one moment by their ids. */
function newestKey({ threadId, updatedAtMs }: ThreadMetadata): string {
  return `${String(Number.MAX_SAFE_INTEGER - updatedAtMs).padStart(16, "0")} ${threadId}`;
}
