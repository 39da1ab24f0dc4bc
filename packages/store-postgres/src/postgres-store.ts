import { countOption, HistoryError } from "@agent-history/core";
import type { ErasureRemains, HistoryStore } from "@agent-history/core";
import { threadStore } from "@agent-history/store-kit";
import type { CommonStoreOptions } from "@agent-history/store-kit";

import type { PostgresClient } from "./postgres-client.ts";
import { postgresDriver, queryOn } from "./postgres-driver.ts";
import { requireSchemaName } from "./postgres-schema.ts";
import { describeServer } from "./postgres-server.ts";

/** Options of `postgresStore`. */
export interface PostgresStoreOptions extends CommonStoreOptions {
  /** A `Pool` or a connected `Client` of `pg`, PGlite, or anything else with `query(text, values)`. The caller closes it. */
  readonly client: PostgresClient;
  /** The schema of the tables: lowercase letters, digits and `_`, at most 40 characters, not beginning with a digit. Default `agent_history`. */
  readonly schema?: string | undefined;
  /** Creates or upgrades the tables with the first call. Default `true`; if `false`, run `postgresMigration` yourself. */
  readonly migrates?: boolean | undefined;
  /** Time limit for a statement including retries, in milliseconds; `Infinity` for no limit. Default 10000. */
  readonly timeoutMs?: number | undefined;
}

/**
 * Makes a store that keeps threads in Postgres, for any number of processes.
 *
 * Every read and every write is one statement, so that pools and PgBouncer's transaction mode work. Batches are atomic, and idempotent by
 * the ids of their entries. What survives a crash depends on the server: see `describe()`.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if an option can never work.
 *
 * @example
 * ```ts no-run
 * import { userMessage } from "@agent-history/core";
 * import { postgresStore } from "@agent-history/store-postgres";
 * import { Pool } from "pg";
 *
 * const client = new Pool({ connectionString: "postgres://localhost/app" });
 * const store = postgresStore({ client });
 * await store.append("thread-1", [userMessage({ content: "Hello" })]);
 * ```
 */
export function postgresStore(options: PostgresStoreOptions): HistoryStore {
  const { client, schema = "agent_history", migrates = true } = options;
  if (typeof client?.query !== "function") {
    throw new HistoryError("Expected `client` to have a method `query(text, values)`.", {
      code: "INVALID_OPTION",
      details: { option: "client" },
    });
  }
  requireSchemaName(schema);
  const timeoutMs = countOption("timeoutMs", options.timeoutMs ?? 10_000);
  const query = queryOn(client, { schema, migrates });
  return threadStore(postgresDriver(query, schema), {
    ...options,
    scope: "@agent-history/store-postgres",
    system: "postgresql",
    timeoutMs,
    remains: async () => remainsIn(schema),
    describe: async () => describeServer(query, schema),
  });
}

/** Where a server may still contain deleted rows. */
function remainsIn(schema: string): readonly ErasureRemains[] {
  const tables = ["threads", "rows", "items"].map((table) => `${schema}.${table}`).join(", ");
  return [
    { where: "dead rows", clear: `VACUUM (FULL, ANALYZE) ${tables}` },
    { where: "the planner's statistics, which sample names", clear: "VACUUM FULL pg_statistic" },
    { where: "write-ahead log, until it is recycled, and archives of it", clear: "CHECKPOINT" },
    { where: "server log, if it logs slow statements with their values", clear: "delete the log" },
  ];
}
