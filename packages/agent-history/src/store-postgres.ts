// The public exports of the entry `agent-history/store-postgres`.
export { postgresMigration, postgresStore } from "@agent-history/store-postgres";
export type { PostgresStoreOptions } from "@agent-history/store-postgres";
