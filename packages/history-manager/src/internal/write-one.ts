import type { HistoryEntry } from "@agent-history/core";

import type { CallOptions } from "../history-manager.ts";
import type { ManagedThread } from "./managed-thread.ts";

/** Keeps one entry and gives it back as it was kept, which an earlier try may have done. */
export async function writeOne<Entry extends HistoryEntry>(
  { log, start }: ManagedThread,
  entry: Entry,
  { signal }: CallOptions = {},
): Promise<Entry> {
  const [kept] = await log.write([{ entry }], { isAtomic: true, start, signal });
  return kept === undefined ? entry : { ...entry, createdAtMs: kept.createdAtMs };
}
