import { memoryStore } from "@agent-history/store-kit";
import type { MemoryThreads } from "@agent-history/store-kit";

import { describeHistoryStore } from "../store/index.ts";

const locations = new Map<string, MemoryThreads>();

describeHistoryStore("memoryStore", (location) => {
  const threads = locations.get(location) ?? new Map();
  locations.set(location, threads);
  return memoryStore({ threads });
});
