import type { HistoryStore } from "@agent-history/core";

import { sqliteStore } from "../src/index.ts";

/** Opens a store in a file, by an address that is plain JSON for other processes. */
export async function openStore(address: {
  readonly path: string;
}): Promise<{ readonly store: HistoryStore }> {
  return { store: sqliteStore({ ...address, busyTimeoutMs: 60_000 }) };
}
