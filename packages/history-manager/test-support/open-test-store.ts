import type { HistoryStore } from "@agent-history/core";
import { memoryStore } from "@agent-history/store-kit";
import { sqliteStore } from "@agent-history/store-sqlite";

import { openStore } from "../../store-redis/test-support/open-store.ts";

/** Where threads are kept; plain JSON, so that another process can open it too. */
export type StoreAddress =
  | { readonly kind: "memory" }
  | { readonly kind: "sqlite"; readonly path: string }
  | { readonly kind: "redis"; readonly url: string; readonly namespace: string };

/** A store with whatever it needs. */
export interface OpenStore {
  readonly store: HistoryStore;
  readonly close: () => Promise<void>;
}

/** Opens a handle of its own on a store. */
export async function openTestStore(address: StoreAddress): Promise<OpenStore> {
  if (address.kind === "redis") {
    return openStore({ urls: [address.url], namespace: address.namespace });
  }
  const store =
    address.kind === "memory"
      ? memoryStore()
      : sqliteStore({ path: address.path, busyTimeoutMs: 60_000 });
  return { store, close: () => store.close() };
}
