import { migration, requireSchemaName } from "./postgres-schema.ts";

/**
 * Returns the statement that creates or upgrades the tables, to run it with a separate role. The store then needs `migrates: false`, and its role needs `USAGE` of the
 * schema, `EXECUTE` of its functions, and read and write access to its tables.
 *
 * @param options - `schema` as for `postgresStore`. Default `agent_history`.
 * @throws `HistoryError` with code `INVALID_OPTION` if `schema` is not a name.
 *
 * @example
 * ```ts
 * import { postgresMigration } from "@agent-history/store-postgres";
 *
 * postgresMigration({ schema: "chats" }).includes("CREATE TABLE chats.threads");
 * // => true
 * ```
 */
export function postgresMigration(options: { readonly schema?: string | undefined } = {}): string {
  const { schema = "agent_history" } = options;
  requireSchemaName(schema);
  return migration(schema);
}
