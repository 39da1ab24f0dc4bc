import { isHistoryError } from "@agent-history/core";
import type { HistoryEntry, HistoryStore } from "@agent-history/core";

import { beginEntry, readLog } from "./session-log.ts";
import type { SessionLog } from "./session-log.ts";

/** From which entry on the log is replaced, and by what. */
export interface LogChange {
  readonly from: HistoryEntry;
  readonly replacement: readonly HistoryEntry[];
}

const MOST_RETRIES = 3;

/** Changes a log in one step; where another has changed it meanwhile, the change is planned again. `undefined` changes nothing. */
export async function changeLog(
  store: HistoryStore,
  threadId: string,
  plan: (log: SessionLog) => LogChange | undefined,
): Promise<void> {
  for (;;) {
    const log = await readLog(store, threadId);
    const change = plan(log);
    if (change === undefined) return;
    const { from, replacement } = change;
    const options = {
      from: from.id,
      expectedVersion: log.version,
      replacement,
      operationId: crypto.randomUUID(),
    };
    try {
      await sentAgain(() => store.replaceSuffix(threadId, options));
      return;
    } catch (error) {
      if (!isHistoryError(error, "VERSION_CONFLICT")) throw error;
    }
  }
}

/** Makes sure that there is an entry to continue from. */
export async function beginLog(store: HistoryStore, threadId: string): Promise<void> {
  await sentAgain(() => store.append(threadId, [beginEntry()]));
}

/** Sends the same again where its answer was lost: the store knows it then. */
export async function sentAgain<Result>(send: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await send();
    } catch (error) {
      if (tries > MOST_RETRIES || !isHistoryError(error, "OUTCOME_UNKNOWN")) throw error;
    }
  }
}
