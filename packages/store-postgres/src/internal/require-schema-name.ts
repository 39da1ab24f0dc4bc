import { HistoryError } from "@agent-history/core";

/** Refuses what would need quotes as the name of a schema: it stands in every statement. */
export function requireSchemaName(schema: unknown): void {
  const isName = typeof schema === "string" && /^[a-z_][a-z0-9_]{0,39}$/.test(schema);
  if (isName && !schema.startsWith("pg_")) return;
  throw new HistoryError(
    "Expected `schema` to have small letters, digits and `_`, at most 40, not a digit first, and not to begin with `pg_`.",
    { code: "INVALID_OPTION", details: { option: "schema" } },
  );
}
