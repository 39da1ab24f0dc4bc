import type { HistoryEntry } from "@agent-history/core";
import { HistoryError } from "@agent-history/core";

import type { Thread } from "./thread-access.ts";

/** Lets `beforeStore` change entries that are about to be written. */
export async function changedBefore<Entry extends HistoryEntry>(
  { beforeStore, threadId }: Thread,
  entries: readonly Entry[],
): Promise<readonly Entry[]> {
  if (beforeStore === undefined) return entries;
  return Promise.all(
    entries.map(async (entry) => {
      const isSameKind = (one: HistoryEntry): one is Entry =>
        one.id === entry.id && one.type === entry.type;
      let [what, cause]: [string, unknown] = ["its result has another id or type", undefined];
      try {
        const changed = await beforeStore(entry, { threadId });
        if (isSameKind(changed)) return changed;
      } catch (error) {
        [what, cause] = ["it threw", error];
      }
      throw new HistoryError(
        `Expected \`beforeStore\` to return an entry with the same id and type; ${what}. Nothing was written.`,
        { code: "STEP_FAILED", details: { step: "beforeStore", entryId: entry.id }, cause },
      );
    }),
  );
}
