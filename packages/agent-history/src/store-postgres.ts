// The contract of the entry `agent-history/store-postgres`: each line is public.
export { postgresMigration, postgresStore } from "@agent-history/store-postgres";
export type { PostgresStoreOptions } from "@agent-history/store-postgres";
