import type { BeforeStore, HistoryEntry, HistoryStore } from "@agent-history/core";
import { HistoryError } from "@agent-history/core";

/** Wraps a store so that `beforeStore` changes entries before they are written, in the order of the calls. */
export function changedBefore<Store extends HistoryStore>(
  store: Store,
  beforeStore: BeforeStore,
): Store {
  let last: Promise<unknown> = Promise.resolve();
  const changed = async <Entry extends HistoryEntry>(
    threadId: string,
    entries: readonly Entry[],
  ): Promise<readonly Entry[]> => {
    const next = last.then(async () =>
      Promise.all(entries.map(async (entry) => changedEntry(beforeStore, threadId, entry))),
    );
    last = next.catch(() => undefined);
    return next;
  };
  return {
    ...store,
    append: async (threadId, entries, options) =>
      store.append(threadId, await changed(threadId, entries), options),
    replaceSuffix: async (threadId, options) => {
      const replacement = await changed(threadId, options.replacement);
      return store.replaceSuffix(threadId, { ...options, replacement });
    },
    commitCompaction: async (threadId, options) => {
      const [summary = options.summary] = await changed(threadId, [options.summary]);
      return store.commitCompaction(threadId, { ...options, summary });
    },
  };
}

async function changedEntry<Entry extends HistoryEntry>(
  beforeStore: BeforeStore,
  threadId: string,
  entry: Entry,
): Promise<Entry> {
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
}
