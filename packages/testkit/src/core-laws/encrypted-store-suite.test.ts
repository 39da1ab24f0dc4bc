import { memoryStore } from "@agent-history/store-kit";
import type { MemoryThreads } from "@agent-history/store-kit";
import { encryptedDriver } from "@agent-history/store-kit/encryption";

import { describeHistoryStore } from "../store/index.ts";

const key = crypto.getRandomValues(new Uint8Array(32));
const userKey = crypto.getRandomValues(new Uint8Array(32));
const keys = {
  of: ({ user = "" }: { readonly user: string | undefined }) => user,
  get: () => [key],
};
const locations = new Map<string, MemoryThreads>();

describeHistoryStore(
  "memoryStore, encrypted, with a key for each user,",
  (location) => {
    const threads = locations.get(location) ?? new Map();
    locations.set(location, threads);
    return memoryStore({
      threads,
      wrapDriver: (driver) => encryptedDriver(driver, { keys, userKey }),
    });
  },
  { runs: 3 },
);
