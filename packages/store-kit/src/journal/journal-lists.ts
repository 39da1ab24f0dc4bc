import type { HistoryStore } from "@agent-history/core";
import { HistoryError, countOption, isHistoryError, throwIfAborted } from "@agent-history/core";

import type { Journal } from "../journal-store.ts";
import type { JournalLogs } from "./journal-logs.ts";
import { readRecord } from "./journal-record.ts";
import { threadOfLog } from "./log-name.ts";

/** Lists threads by the names of their logs. Of those on a page the first record is read: it tells that a thread was deleted. */
export function journalLists(journal: Journal, logs: JournalLogs): HistoryStore["list"] {
  return async ({ prefix = "", cursor, limit = 100, signal } = {}) => {
    logs.enter(signal);
    const count = countOption("limit", limit);
    try {
      const names = await namesFrom(journal, { prefix, cursor });
      const threadIds: string[] = [];
      for (const { name, threadId } of names) {
        throwIfAborted(signal);
        const isDeleted = (await firstRecord(journal, name))?.change.kind === "delete";
        if (isDeleted) continue;
        const last = threadIds.at(-1);
        if (threadIds.length === count)
          return { threadIds, ...(last === undefined ? {} : { cursor: last }) };
        threadIds.push(threadId);
      }
      return { threadIds };
    } catch (cause) {
      if (isHistoryError(cause)) throw cause;
      throw new HistoryError("The logs could not be listed; try again.", {
        code: "STORE_UNAVAILABLE",
        details: { outcome: "not-sent" },
        cause,
      });
    }
  };
}

interface NamedLog {
  readonly name: string;
  readonly threadId: string;
}

async function namesFrom(
  journal: Journal,
  { prefix, cursor }: { readonly prefix: string; readonly cursor: string | undefined },
): Promise<readonly NamedLog[]> {
  const found: NamedLog[] = [];
  for await (const name of await journal.list()) {
    const threadId = threadOfLog(name) ?? (await firstRecord(journal, name))?.threadId;
    if (threadId?.startsWith(prefix) !== true) continue;
    if (cursor === undefined || threadId > cursor) found.push({ name, threadId });
  }
  return found.toSorted((one, other) => (one.threadId < other.threadId ? -1 : 1));
}

async function firstRecord(journal: Journal, name: string): Promise<ReturnType<typeof readRecord>> {
  for await (const text of await journal.read(name, 0)) return readRecord(text);
  return undefined;
}
