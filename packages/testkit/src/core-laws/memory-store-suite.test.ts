import type { HistoryStore } from "@agent-history/core";
import { memoryStore } from "@agent-history/core/memory-store";

import { describeHistoryStore } from "../store/index.ts";

const places = new Map<string, HistoryStore>();

describeHistoryStore("memoryStore", (place) => {
  const sharing = places.get(place);
  const store = memoryStore(sharing === undefined ? {} : { sharing });
  places.set(place, store);
  return store;
});
