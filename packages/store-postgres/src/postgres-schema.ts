import { HistoryError } from "@agent-history/core";

/**
 * Migrations, each from one schema version to the next; a schema's version is the number of migrations applied. Never change a released migration: add
 * another. `{schema}` is replaced by the schema's name.
 */
const MIGRATIONS: readonly string[] = [
  `
CREATE TABLE {schema}.threads (
  no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text COLLATE "C" NOT NULL UNIQUE, full_name text,
  stamp bigint NOT NULL, head text NOT NULL, owner text COLLATE "C", updated bigint
);
CREATE INDEX threads_updated ON {schema}.threads (updated DESC, name) WHERE updated IS NOT NULL;
CREATE INDEX threads_owner ON {schema}.threads (owner, updated DESC, name) WHERE owner IS NOT NULL;
CREATE TABLE {schema}.rows (
  thread bigint NOT NULL, position bigint NOT NULL, lane "char" NOT NULL, text text NOT NULL, PRIMARY KEY (thread, position)
);
CREATE INDEX rows_lane ON {schema}.rows (thread, lane, position) WHERE lane <> 'h';
CREATE TABLE {schema}.items (
  thread bigint NOT NULL, kind "char" NOT NULL, key text COLLATE "C" NOT NULL, full_key text, value text NOT NULL,
  PRIMARY KEY (thread, kind, key)
);
CREATE VIEW {schema}.thread_entries AS
  SELECT coalesce(t.full_name, t.name) AS thread, r.position, r.json->>'id' AS id, r.json->>'type' AS type, r.json#>>'{agent,id}' AS agent,
    (r.facts->>1)::int AS turn, r.json->>'turnId' AS turn_id, r.json->>'phaseId' AS phase, r.json->>'taskId' AS task,
    to_timestamp((r.json->>'createdAtMs')::float8 / 1000) AS created_at, r.json
  FROM {schema}.threads t JOIN (
    SELECT thread, position, split_part(text, E'\\n', 1)::json AS facts, substring(text FROM position(E'\\n' IN text) + 1)::json AS json FROM {schema}.rows
  ) r ON r.thread = t.no;
CREATE FUNCTION {schema}.commit_thread(p_name text, p_full text, c jsonb, p_head text, p_rows text[], p_values text[]) RETURNS boolean LANGUAGE plpgsql AS $commit$
DECLARE
  t record;
  id bigint;
BEGIN
  SELECT * INTO t FROM {schema}.threads WHERE name = p_name FOR UPDATE;
  IF coalesce(t.stamp, 0) <> (c->>'stamp')::bigint THEN RETURN false; END IF;
  IF EXISTS (SELECT 1 FROM jsonb_array_elements(c->'absent') a JOIN {schema}.items i ON i.thread = t.no AND i.kind = (a->>0)::"char" AND i.key = a->>1) THEN RETURN false; END IF;
  IF t.no IS NULL THEN
    INSERT INTO {schema}.threads (name, full_name, stamp, head, owner, updated)
      VALUES (p_name, p_full, (c->>'stamp')::bigint + 1, p_head, c->>'owner', (c->>'updated')::bigint) ON CONFLICT DO NOTHING RETURNING no INTO id;
    IF id IS NULL THEN RETURN false; END IF;
  ELSE
    id := t.no;
    UPDATE {schema}.threads SET stamp = stamp + 1, head = p_head, owner = c->>'owner', updated = (c->>'updated')::bigint WHERE no = id;
    IF c ? 'wipe' THEN DELETE FROM {schema}.items WHERE thread = id; DELETE FROM {schema}.rows WHERE thread = id; END IF;
    IF c ? 'keep' THEN DELETE FROM {schema}.rows WHERE thread = id AND position >= (c->>'keep')::bigint; END IF;
    DELETE FROM {schema}.items i USING jsonb_array_elements(c->'drop') d WHERE i.thread = id AND i.kind = (d->>0)::"char" AND i.key = d->>1;
  END IF;
  IF c ? 'gone' THEN DELETE FROM {schema}.items WHERE thread = id; DELETE FROM {schema}.rows WHERE thread = id; DELETE FROM {schema}.threads WHERE no = id; RETURN true; END IF;
  UPDATE {schema}.rows r SET text = w->>1 FROM jsonb_array_elements(c->'rewrite') w WHERE r.thread = id AND r.position = (w->>0)::bigint;
  INSERT INTO {schema}.rows (thread, position, lane, text)
    SELECT id, (r->>0)::bigint, (r->>1)::"char", p_rows[n] FROM jsonb_array_elements(c->'rows') WITH ORDINALITY AS x(r, n);
  INSERT INTO {schema}.items (thread, kind, key, full_key, value)
    SELECT DISTINCT ON (p->>0, p->>1) id, (p->>0)::"char", p->>1, p->>2, p_values[n] FROM jsonb_array_elements(c->'put') WITH ORDINALITY AS x(p, n)
    ORDER BY p->>0, p->>1, n DESC
    ON CONFLICT (thread, kind, key) DO UPDATE SET value = excluded.value;
  RETURN true;
END $commit$;
`,
];

/** SQLSTATE codes that the migration raises itself. */
export const MIGRATION_ERRORS = { newer: "AH001", encoding: "AH002" } as const;

/** Returns one statement that atomically upgrades a schema to the version of this release. If the schema has that version, the statement changes nothing and needs no privileges. */
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

/** Throws if a schema name would need quotes, because it is part of every statement. */
export function requireSchemaName(schema: unknown): void {
  const isName = typeof schema === "string" && /^[a-z_][a-z0-9_]{0,39}$/u.test(schema);
  if (isName && !schema.startsWith("pg_")) return;
  throw new HistoryError(
    "Expected `schema` to be at most 40 lowercase letters, digits and `_`, without a digit or `pg_` at its beginning.",
    { code: "INVALID_OPTION", details: { option: "schema" } },
  );
}
