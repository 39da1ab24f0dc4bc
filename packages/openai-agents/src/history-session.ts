import { MAX_BATCH_ENTRIES } from "@agent-history/core";
import type { HistoryStore, JsonObject } from "@agent-history/core";
import { unpackBinary } from "@agent-history/format-kit";

import {
  planClear,
  planCompaction,
  planMutations,
  planPop,
  planTransaction,
} from "./internal/plan-changes.ts";
import { invalid, packItems, readTransaction } from "./internal/read-transaction.ts";
import { beginLog, changeLog, sentAgain, newestItems, itemEntry } from "./internal/session-log.ts";
import type { LogChange, SessionLog } from "./internal/session-log.ts";
import type { HistorySession } from "./session-types.ts";

/** Where a session is kept. */
export interface HistorySessionOptions {
  readonly store: HistoryStore;
  /** The session's id. */
  readonly threadId: string;
  /** Returns the id of an entry. Default: UUIDs of version 7. */
  readonly newId?: (() => string) | undefined;
  readonly now?: (() => number) | undefined;
}

/**
 * Keeps a session of the OpenAI Agents SDK in a thread of any store: what happened is there after a restart and on another machine. Items come back as they are, equal ones and
 * calls without results included; nothing is repaired.
 *
 * Transactions are atomic and are applied once: the operation and its items are written together, so that the same again changes nothing, whatever happened meanwhile, and another one of the same id is
 * refused. A change by several processes at once is planned again where it came second.
 *
 * An item has at most 1,000,000 bytes as JSON. A transaction, a mutation or a compaction replaces at most 500 entries at once: what stands from the first changed item to the end.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` without a store or a thread. The methods reject with `INVALID_OPTION` for items that cannot be stored and compared (dates, cycles, classes), for an operation
 * id that stands for another transaction, for a suffix that no longer matches, and as the store does: `TOO_LARGE`, `OUTCOME_UNKNOWN` after three tries, `THREAD_DELETED`.
 *
 * @example
 * ```ts
 * import { memoryStore } from "@agent-history/store-kit";
 * import { historySession } from "@agent-history/openai-agents";
 *
 * const session = historySession({ store: memoryStore(), threadId: "session-1" });
 * // await run(agent, "To Rome, please.", { session });
 * await session.addItems([{ role: "user", content: "To Rome, please." }]);
 * await session.getItems();
 * // => [{ role: "user", content: "To Rome, please." }]
 * ```
 */
export function historySession({
  store,
  threadId,
  newId,
  now,
}: HistorySessionOptions): HistorySession {
  if (typeof store?.replaceSuffix !== "function" || typeof threadId !== "string") {
    throw invalid("Expected a `store`, such as memoryStore(), and a `threadId`.");
  }
  const sources = { ...(newId && { newId }), ...(now && { now }) };
  let isBegun = false;
  const begin = async (): Promise<void> => {
    if (!isBegun) await beginLog(store, threadId);
    isBegun = true;
  };
  const change = async (plan: (log: SessionLog) => LogChange | undefined): Promise<void> => {
    await begin();
    await changeLog(store, threadId, plan);
  };
  return {
    acceptsRunContext: true,
    getSessionId: async () => threadId,
    getItems: async (limit) => asGiven(await newestItems(store, threadId, limit)),
    addItems: async (items) => {
      const entries = packItems([...items]).map((item) => itemEntry(item, sources));
      if (entries.length === 0) return;
      await begin();
      for (let from = 0; from < entries.length; from += MAX_BATCH_ENTRIES) {
        const batch = entries.slice(from, from + MAX_BATCH_ENTRIES);
        await sentAgain(() => store.append(threadId, batch));
      }
    },
    popItem: async <Item extends object>() => {
      let popped: readonly JsonObject[] = [];
      await change((log) => {
        // Planned anew, another one may be the last.
        popped = log.items.slice(-1).map(({ item }) => item);
        return planPop(log);
      });
      return asGiven<Item>(popped)[0];
    },
    clearSession: () => change((log) => planClear(log, sources)),
    applyHistoryTransaction: async (args) => {
      const transaction = readTransaction(args);
      await change((log) => planTransaction(log, transaction, sources));
    },
    applyHistoryMutations: ({ mutations }) =>
      change((log) => planMutations(log, mutations, sources)),
    replaceHistoryWithCompaction: async (items) => {
      const packed = packItems([...items]);
      await change((log) => planCompaction(log, packed, sources));
    },
  };
}

function asGiven<Item extends object>(items: readonly JsonObject[]): Item[] {
  const given: readonly object[] = items.map((item) => unpackBinary(item));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what came in as an item comes out as one
  return given as Item[];
}
