// The public exports of the entry `agent-history/store-sqlite`.
export { sqliteStore } from "@agent-history/store-sqlite";
export type { SqliteStore, SqliteStoreOptions } from "@agent-history/store-sqlite";
