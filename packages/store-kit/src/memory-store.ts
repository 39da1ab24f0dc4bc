import type { HistoryStore } from "@agent-history/core";

import { memoryDriver } from "./memory-driver.ts";
import type { MemoryThreads } from "./memory-driver.ts";
import { threadStore } from "./thread-store.ts";
import type { CommonStoreOptions } from "./thread-store.ts";

const threadsOf = new WeakMap<HistoryStore, MemoryThreads>();

/**
 * Keeps threads in this process, for tests and for sessions that need not outlive it. The same code as in the durable stores, over maps.
 *
 * @param options - `sharing` is another memory store: both are handles on the same threads.
 *
 * @example
 * ```ts
 * import { userMessage } from "@agent-history/core";
 * import { memoryStore } from "@agent-history/store-kit";
 *
 * const store = memoryStore();
 * await store.append("thread-1", [userMessage({ id: "u1", content: "Hello" })]);
 * (await store.read("thread-1")).entries.map(({ id }) => id);
 * // => ["u1"]
 * ```
 */
export function memoryStore(
  options: CommonStoreOptions & { readonly sharing?: HistoryStore } = {},
): HistoryStore {
  const { sharing, ...common } = options;
  const threads: MemoryThreads =
    (sharing === undefined ? undefined : threadsOf.get(sharing)) ?? new Map();
  const store = threadStore(memoryDriver(threads), {
    ...common,
    scope: "@agent-history/store-kit",
    system: "memory",
    describe: async () => ({
      kind: "memory",
      durability: "Nothing survives the end of the process.",
      details: {
        threads: [...threads.values()].filter(({ listed }) => listed !== undefined).length,
      },
    }),
  });
  threadsOf.set(store, threads);
  return store;
}
