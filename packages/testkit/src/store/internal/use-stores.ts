import type { HistoryStore } from "@agent-history/core";
import { onTestFinished } from "vitest";

import type { OpenHistoryStore } from "../store-suite-options.ts";

/** What a test has: a store on data of its own, and further handles on the same data. */
export interface Stores {
  readonly store: HistoryStore;
  readonly another: () => Promise<HistoryStore>;
}

/** Returns a test its stores. */
export type UseStores = () => Promise<Stores>;

/** Opens stores for tests, and closes what a test opened. */
export function useStores(open: OpenHistoryStore): UseStores {
  return async () => {
    const location = crypto.randomUUID();
    const opened: HistoryStore[] = [];
    onTestFinished(async () => {
      for (const store of opened) await store.close();
    });
    const another = async (): Promise<HistoryStore> => {
      const store = await open(location);
      opened.push(store);
      return store;
    };
    return { store: await another(), another };
  };
}
