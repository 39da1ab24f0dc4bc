import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { HistoryStore } from "@agent-history/core";
import { memoryStore } from "@agent-history/store-kit";
import { sqliteStore } from "@agent-history/store-sqlite";

/** One place where threads are kept, and handles on it: each is what a process of its own would have. */
export interface StorePlace {
  readonly open: () => HistoryStore;
  readonly close: () => Promise<void>;
}

/** Stores to try a law on, by name, and the share of the runs that each is tried with: one that keeps a file takes longer. */
export const TEST_STORES: readonly (readonly [
  name: string,
  make: () => StorePlace,
  share: number,
])[] = [
  ["memoryStore", memoryTestStore, 1],
  ["sqliteStore", sqliteTestStore, 0.25],
];

function memoryTestStore(): StorePlace {
  const store = memoryStore();
  return { open: () => store, close: async () => {} };
}

function sqliteTestStore(): StorePlace {
  const folder = mkdtempSync(join(tmpdir(), "history-manager-"));
  const handles: HistoryStore[] = [];
  return {
    open: () => {
      const store = sqliteStore({ path: join(folder, "threads.db") });
      handles.push(store);
      return store;
    },
    close: async () => {
      for (const handle of handles) await handle.close();
      rmSync(folder, { recursive: true });
    },
  };
}
