import { APPEND_FUNCTION } from "./append-function.ts";
import { GUESS_FUNCTION } from "./guess-function.ts";
import { LOOKUP_FUNCTIONS } from "./lookup-functions.ts";
import { METADATA_FUNCTION } from "./metadata-function.ts";
import { READ_FUNCTION } from "./read-function.ts";
import { REINDEX_FUNCTION } from "./reindex-function.ts";
import { REPLACE_FUNCTION } from "./replace-function.ts";
import { TABLES } from "./tables.ts";
import { THREAD_FUNCTIONS } from "./thread-functions.ts";
import { WRITE_INDEX_FUNCTION } from "./write-index-function.ts";

/**
 * What makes a schema of each version one of the next; a schema's version is how many of them it has had. Never change one that was released: add
 * another. `{schema}` stands for its name.
 */
const MIGRATIONS: readonly string[] = [
  [
    TABLES,
    LOOKUP_FUNCTIONS,
    WRITE_INDEX_FUNCTION,
    APPEND_FUNCTION,
    GUESS_FUNCTION,
    READ_FUNCTION,
    REPLACE_FUNCTION,
    REINDEX_FUNCTION,
    THREAD_FUNCTIONS,
    METADATA_FUNCTION,
  ].join("\n"),
];

/** The errors that a migration raises itself. */
export const MIGRATION_ERRORS = { newer: "AH001", encoding: "AH002" } as const;

/** One statement that brings a schema to the version of this release, all or nothing; where it is there, it changes nothing and needs no rights. */
export function migration(schema: string): string {
  const steps = MIGRATIONS.map(
    (step, index) =>
      `  IF present < ${index + 1} THEN\n${step.replaceAll("{schema}", schema)}\n  END IF;`,
  );
  return `DO $migration$
DECLARE
  present int := 0;
BEGIN
  IF to_regclass('${schema}.schema_version') IS NOT NULL THEN
    SELECT version INTO present FROM ${schema}.schema_version;
  END IF;
  IF present = ${MIGRATIONS.length} THEN RETURN; END IF;
  IF present > ${MIGRATIONS.length} THEN
    RAISE EXCEPTION 'a later release made this schema' USING ERRCODE = '${MIGRATION_ERRORS.newer}';
  END IF;
  IF current_setting('server_encoding') <> 'UTF8' THEN
    RAISE EXCEPTION 'expected a database in UTF8' USING ERRCODE = '${MIGRATION_ERRORS.encoding}';
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('agent-history ${schema}', 0));
  CREATE SCHEMA IF NOT EXISTS ${schema};
  CREATE TABLE IF NOT EXISTS ${schema}.schema_version (version int NOT NULL);
  SELECT coalesce(max(version), 0) INTO present FROM ${schema}.schema_version;
${steps.join("\n")}
  DELETE FROM ${schema}.schema_version;
  INSERT INTO ${schema}.schema_version VALUES (${MIGRATIONS.length});
END $migration$`;
}
