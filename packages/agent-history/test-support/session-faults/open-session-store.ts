import type { HistoryStore } from "@agent-history/core";

import {
  addressOf,
  openStore as openPostgres,
} from "../../../store-postgres/test-support/open-store.ts";
import { openStore as openRedis } from "../../../store-redis/test-support/open-store.ts";
import { sqliteStore } from "../../src/store-sqlite.ts";

/** A store, and its end. */
export interface OpenSessionStore {
  readonly store: HistoryStore;
  readonly close: () => Promise<void>;
}

/** Opens `sqlite` at a path, or `redis` or `postgres` at a URL. */
export async function openSessionStore(kind: string, address: string): Promise<OpenSessionStore> {
  if (kind === "redis") return openRedis({ urls: [address], namespace: "sessions" });
  if (kind === "postgres") return openPostgres(addressOf(address));
  const store = sqliteStore({ path: address });
  return { store, close: () => store.close() };
}
