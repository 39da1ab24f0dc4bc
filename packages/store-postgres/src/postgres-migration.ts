import { migration, requireSchemaName } from "./postgres-schema.ts";

/**
 * Returns the statement that makes or upgrades the tables, for those who run it by a role of its own: the store then needs `migrates: false`, `USAGE` of the
 * schema, `EXECUTE` of its functions, and to read and write its tables.
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
