import type { HistoryStore } from "@agent-history/core";
import { memoryStore } from "@agent-history/store-kit";

import { describeHistoryStore } from "../store/index.ts";

const locations = new Map<string, HistoryStore>();

describeHistoryStore("memoryStore", (location) => {
  const sharing = locations.get(location);
  const store = memoryStore(sharing === undefined ? {} : { sharing });
  locations.set(location, store);
  return store;
});
