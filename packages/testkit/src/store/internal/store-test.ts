import type { HistoryStore } from "@agent-history/core";
import { test } from "vitest";
import type { TestAPI } from "vitest";

import type { OpenHistoryStore } from "../store-suite-options.ts";

/** What a test has: a store on data of its own, and further handles on the same data. */
export interface Stores {
  readonly store: HistoryStore;
  readonly another: () => Promise<HistoryStore>;
}

/** Vitest's `it`, whose tests get stores. */
export type StoreTest = TestAPI<Stores>;

/** Opens stores for tests, and closes what a test opened. */
export function storeTest(open: OpenHistoryStore): StoreTest {
  return test.extend<Stores>({
    // oxlint-disable-next-line no-empty-pattern -- Vitest reads from it which fixtures are needed
    another: async ({}, use) => {
      const location = crypto.randomUUID();
      const opened: HistoryStore[] = [];
      await use(async () => {
        const store = await open(location);
        opened.push(store);
        return store;
      });
      for (const store of opened) await store.close();
    },
    store: async ({ another }, use) => use(await another()),
  });
}
