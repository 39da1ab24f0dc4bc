import type { HistoryStore } from "./history-store.ts";
import { memoryStore } from "./memory-store.ts";
import { describeHistoryStore } from "./testkit/store/index.ts";

const places = new Map<string, HistoryStore>();

describeHistoryStore("memoryStore", (place) => {
  const sharing = places.get(place);
  const store = memoryStore(sharing === undefined ? {} : { sharing });
  places.set(place, store);
  return store;
});
