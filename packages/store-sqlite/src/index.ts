// The public API of the package.
export { sqliteStore } from "./sqlite-store.ts";
export type { SqliteStore, SqliteStoreOptions } from "./sqlite-store.ts";
