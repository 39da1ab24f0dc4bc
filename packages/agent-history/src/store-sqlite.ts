// The contract of the entry `agent-history/store-sqlite`: each line is public.
export { sqliteStore } from "@agent-history/store-sqlite";
export type { SqliteStore, SqliteStoreOptions } from "@agent-history/store-sqlite";
