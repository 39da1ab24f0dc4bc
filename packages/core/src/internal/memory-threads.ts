import { HistoryError } from "../history-error.ts";
import { requireName } from "../require-name.ts";
import { newThread } from "./memory-thread.ts";
import type { MemoryThread } from "./memory-thread.ts";

/** The threads of one memory store, and the ids of those that were deleted. */
export interface MemoryThreads {
  /** Throws `THREAD_DELETED` where it was deleted. */
  readonly find: (threadId: string) => MemoryThread | undefined;
  /** Throws `NOT_FOUND` where it does not exist. */
  readonly require: (threadId: string) => MemoryThread;
  /** Creates it where it does not exist. */
  readonly open: (threadId: string) => MemoryThread;
  readonly add: (threadId: string, thread: MemoryThread) => void;
  readonly delete: (threadId: string) => void;
  readonly all: () => readonly (readonly [threadId: string, thread: MemoryThread])[];
}

/** Begins without threads. */
export function memoryThreads(): MemoryThreads {
  const threads = new Map<string, MemoryThread>();
  const deleted = new Set<string>();

  function find(threadId: string): MemoryThread | undefined {
    requireName("threadId", threadId);
    if (!deleted.has(threadId)) return threads.get(threadId);
    throw new HistoryError("This thread was deleted. Begin another under a new id.", {
      code: "THREAD_DELETED",
    });
  }

  return {
    find,
    require: (threadId) => {
      const thread = find(threadId);
      if (thread !== undefined) return thread;
      throw new HistoryError("There is no thread with this id. Append to it first.", {
        code: "NOT_FOUND",
      });
    },
    open: (threadId) => {
      const thread = find(threadId) ?? newThread();
      threads.set(threadId, thread);
      return thread;
    },
    add: (threadId, thread) => threads.set(threadId, thread),
    delete: (threadId) => {
      if (!deleted.has(threadId)) find(threadId);
      threads.delete(threadId);
      deleted.add(threadId);
    },
    all: () => [...threads],
  };
}
