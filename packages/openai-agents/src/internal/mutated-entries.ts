import type { EntrySources, HistoryEntry } from "@agent-history/core";

import type { SessionMutation } from "../session-types.ts";
import { invalid } from "./invalid.ts";
import { packItems } from "./read-transaction.ts";
import { itemEntry, itemOf } from "./session-log.ts";
import type { SessionLog } from "./session-log.ts";

/** The entries of a log after mutations: the first call of an id is replaced, others of this id go, the rest stays the same. */
export function mutatedEntries(
  { entries }: SessionLog,
  mutations: readonly SessionMutation[],
  sources: EntrySources,
): readonly HistoryEntry[] {
  return mutations.reduce<readonly HistoryEntry[]>((before, { type, callId, replacement }) => {
    if (type !== "replace_function_call")
      throw invalid("Unsupported session history mutation type.");
    const [packed] = packItems([replacement]);
    let isReplaced = false;
    return before.flatMap((entry) => {
      const item = itemOf(entry);
      if (item?.["type"] !== "function_call" || item["callId"] !== callId) return [entry];
      if (isReplaced || packed === undefined) return [];
      isReplaced = true;
      return [itemEntry(packed, sources)];
    });
  }, entries);
}
