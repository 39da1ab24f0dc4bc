import { HistoryError } from "../history-error.ts";
import type { HistoryStore } from "../history-store.ts";
import { throwIfAborted } from "../throw-if-aborted.ts";
import { enter } from "./memory-handle.ts";
import type { Handle } from "./memory-handle.ts";
import { addToLog, coveredBy, newThread, requireVersion } from "./memory-thread.ts";
import type { MemoryThread } from "./memory-thread.ts";

/** Makes `fork`. */
export function forkVerb(handle: Handle): Pick<HistoryStore, "fork"> {
  return {
    fork: async (threadId, { at, as, signal }) => {
      const threads = enter(handle, signal);
      if (typeof as !== "string" || as === "" || as.includes("/")) {
        throw invalid("as", "a non-empty string without `/`");
      }
      if (typeof at !== "string") throw invalid("at", "the id of an entry of the thread");
      const thread = threads.require(threadId);
      const forkId = `${threadId}/${as}`;
      requireVersion(threads.find(forkId), "none");
      const last = thread.entryIndexes.get(at);
      if (last === undefined) {
        throw new HistoryError("Expected `at` to be the id of an entry of the thread.", {
          code: "NOT_FOUND",
          details: { entryId: at },
        });
      }
      const fork = await copyUntil(thread, last + 1, signal);
      requireVersion(threads.find(forkId), "none");
      threads.add(forkId, fork);
      return { threadId: forkId };
    },
  };
}

/** How many entries are taken over before others have their turn. */
const PAGE = 2000;

/** Copies the first `end` entries of a thread as it is now, and the summaries that cover none but those. */
async function copyUntil(
  thread: MemoryThread,
  end: number,
  signal: AbortSignal | undefined,
): Promise<MemoryThread> {
  const fork = newThread(thread);
  const log = thread.log.slice(0, end);
  for (const overlay of coveredBy(thread, end)) fork.overlays.push(overlay);
  for (let from = 0; from < end; from += PAGE) {
    if (from > 0) await turn();
    throwIfAborted(signal);
    addToLog(fork, log.slice(from, from + PAGE));
  }
  return fork;
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}

function invalid(option: string, expected: string): HistoryError {
  return new HistoryError(`Expected \`${option}\` to be ${expected}.`, {
    code: "INVALID_OPTION",
    details: { option },
  });
}
