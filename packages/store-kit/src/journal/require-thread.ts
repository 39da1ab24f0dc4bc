import { HistoryError } from "@agent-history/core";

import type { ThreadTables } from "./thread-tables.ts";

/** Refuses a thread that was deleted. */
export function requireAlive({ isDeleted }: ThreadTables): void {
  if (!isDeleted) return;
  throw new HistoryError("This thread was deleted. Begin another under a new id.", {
    code: "THREAD_DELETED",
  });
}

/** Refuses a thread that is not there. */
export function requireThere(tables: ThreadTables): void {
  requireAlive(tables);
  if (tables.exists) return;
  throw new HistoryError("There is no thread with this id. Append to it first.", {
    code: "NOT_FOUND",
  });
}
