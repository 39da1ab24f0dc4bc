import type { HistoryStore } from "@agent-history/core";
import { memoryStore } from "@agent-history/store-kit";
import { encryptedDriver } from "@agent-history/store-kit/encryption";

import { describeHistoryStore } from "../store/index.ts";

const key = crypto.getRandomValues(new Uint8Array(32));
const userKey = crypto.getRandomValues(new Uint8Array(32));
const keys = {
  of: ({ user = "" }: { readonly user: string | undefined }) => user,
  get: () => [key],
};
const stores = new Map<string, HistoryStore>();

describeHistoryStore(
  "memoryStore, encrypted, with a key for each user,",
  (location) => {
    const sharing = stores.get(location);
    const store = memoryStore({
      ...(sharing && { sharing }),
      wrapDriver: (driver) => encryptedDriver(driver, { keys, userKey }),
    });
    if (sharing === undefined) stores.set(location, store);
    return store;
  },
  { runs: 3 },
);
