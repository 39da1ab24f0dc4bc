import type { HistoryStore } from "@agent-history/core";
import type { ThreadDriver } from "@agent-history/store-kit";

import type { RedisClient } from "../src/redis-client.ts";
import { redisStore } from "../src/redis-store.ts";
import { openClient } from "./open-client.ts";
import type { ClientAddress } from "./open-client.ts";

/** Store options that are plain JSON. */
export interface StoreSetting {
  readonly namespace: string;
  readonly timeoutMs?: number;
  readonly ttlMs?: number;
  readonly replicas?: number;
  readonly allowEviction?: boolean;
}

/** The address of a store; plain JSON, so that another process can open it too. */
export interface StoreAddress extends ClientAddress {
  readonly namespace: string;
  readonly options?: Omit<StoreSetting, "namespace">;
}

/** A store with its own client. */
export interface OpenStore {
  readonly store: HistoryStore;
  /** Closes the store, and destroys the client. */
  readonly close: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/** Opens a store with its own client. */
export async function openStore(address: StoreAddress): Promise<OpenStore> {
  const { client, destroy } = await openClient(address);
  const store = redisStoreOn(client, { namespace: address.namespace, ...address.options });
  const close = async (): Promise<void> => {
    await store.close();
    destroy();
  };
  return { store, close, [Symbol.asyncDispose]: close };
}

/** Makes a store on a connected client. The default timeout is so long that calls succeed on a busy machine. */
export function redisStoreOn(
  client: RedisClient,
  setting: StoreSetting,
  wrapDriver?: (driver: ThreadDriver) => ThreadDriver,
): HistoryStore {
  return redisStore({ client, timeoutMs: 120_000, ...setting, wrapDriver });
}
