// The public API of the store kit.

// Stores
export { memoryStore } from "./memory-store.ts";
export { threadStore } from "./thread-store.ts";
export type { CommonStoreOptions, ThreadStore, ThreadStoreOptions } from "./thread-store.ts";

// Thread exports
export { checkExport } from "./move-thread.ts";

// For authors of drivers
export { driverFailure, keyText, laneOfText, textKey } from "./driver.ts";
export type {
  Answer,
  Ask,
  Change,
  DriverCall,
  DriverFailure,
  DriverList,
  DriverPage,
  DriverRead,
  Item,
  ItemKey,
  ItemKind,
  Lane,
  Listing,
  ListPlace,
  Row,
  ThreadDriver,
} from "./driver.ts";
export { memoryDriver } from "./memory-store.ts";
export type { MemoryThreads } from "./memory-store.ts";
