import type { HistoryStore, ThreadMetadata } from "@agent-history/core";
import { HistoryError, countOption, isHistoryError, throwIfAborted } from "@agent-history/core";
import { requireMetadata } from "@agent-history/core/stored-form";
import type { SoundMetadata } from "@agent-history/core/stored-form";

import type { Journal } from "../journal-store.ts";
import { newestKey } from "../newest-key.ts";
import { countsOf } from "../replaced-entries.ts";
import type { JournalLogs } from "./journal-logs.ts";
import { readRecord } from "./journal-record.ts";
import { threadOfLog } from "./log-name.ts";
import { requireAlive } from "./require-thread.ts";
import type { ThreadTables } from "./thread-tables.ts";

type ListVerbs = Pick<HistoryStore, "list" | "getMetadata" | "setMetadata">;

/** The verbs about what a list shows of threads. Each log of a page is read; newest first, each log there is. */
export function journalLists(journal: Journal, logs: JournalLogs): ListVerbs {
  return {
    getMetadata: async (threadId, { signal } = {}) =>
      logs.open(threadId, signal).read((tables) => {
        requireAlive(tables);
        return tables.exists ? metadataOf(threadId, tables) : undefined;
      }, signal),

    setMetadata: async (threadId, change, { signal } = {}) => {
      const log = logs.open(threadId, signal);
      const about = requireMetadata(change);
      await log.write((tables) => {
        requireAlive(tables);
        return { result: undefined, change: { kind: "metadata", about } };
      }, signal);
      return log.read((tables) => metadataOf(threadId, tables), signal);
    },

    list: async ({ prefix = "", user, newestFirst, cursor, limit = 100, signal } = {}) => {
      logs.enter(signal);
      const count = countOption("limit", limit);
      const isByTime = newestFirst === true || user !== undefined;
      try {
        const names = await namesFrom(journal, prefix);
        const threads: ThreadMetadata[] = [];
        for (const threadId of names.toSorted()) {
          throwIfAborted(signal);
          if (!isByTime && cursor !== undefined && threadId <= cursor) continue;
          const found = await livingOf(logs, threadId, signal);
          if (found === undefined || (user ?? found.user) !== found.user) continue;
          threads.push(found);
          if (!isByTime && threads.length > count) break;
        }
        return pageOf(threads, isByTime ? newestKey : ({ threadId }) => threadId, {
          cursor,
          count,
        });
      } catch (cause) {
        if (isHistoryError(cause)) throw cause;
        throw new HistoryError("The logs could not be listed; try again.", {
          code: "STORE_UNAVAILABLE",
          details: { outcome: "not-sent" },
          cause,
        });
      }
    },
  };
}

/** Takes a page of threads in the order of their keys. */
function pageOf(
  threads: readonly ThreadMetadata[],
  keyOf: (thread: ThreadMetadata) => string,
  { cursor, count }: { readonly cursor: string | undefined; readonly count: number },
): Awaited<ReturnType<HistoryStore["list"]>> {
  const sorted = threads
    .map((thread) => ({ thread, key: keyOf(thread) }))
    .filter(({ key }) => cursor === undefined || key > cursor)
    .toSorted((one, other) => (one.key < other.key ? -1 : 1));
  const page = sorted.slice(0, count);
  const last = page.at(-1);
  return {
    threads: page.map(({ thread }) => thread),
    ...(sorted.length > page.length && last !== undefined && { cursor: last.key }),
  };
}

async function livingOf(
  logs: JournalLogs,
  threadId: string,
  signal: AbortSignal | undefined,
): Promise<ThreadMetadata | undefined> {
  return logs
    .open(threadId, signal)
    .read(
      (tables) => (tables.exists && !tables.isDeleted ? metadataOf(threadId, tables) : undefined),
      signal,
    );
}

function metadataOf(threadId: string, tables: ThreadTables): ThreadMetadata {
  const { title, user, tags = [] }: SoundMetadata = tables.about;
  return {
    threadId,
    ...(typeof title === "string" && { title }),
    ...(typeof user === "string" && { user }),
    tags,
    createdAtMs: tables.createdAtMs,
    updatedAtMs: tables.updatedAtMs,
    entryCount: countsOf(tables.head).entryCount,
  };
}

/** The threads whose logs there are. */
async function namesFrom(journal: Journal, prefix: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const name of await journal.list()) {
    const threadId = threadOfLog(name) ?? (await firstRecord(journal, name))?.threadId;
    if (threadId?.startsWith(prefix) === true) found.push(threadId);
  }
  return found;
}

async function firstRecord(journal: Journal, name: string): Promise<ReturnType<typeof readRecord>> {
  for await (const text of await journal.read(name, 0)) return readRecord(text);
  return undefined;
}
