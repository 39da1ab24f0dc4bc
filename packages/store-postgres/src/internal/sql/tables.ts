/**
 * The tables. Ids are kept as `rowKey` writes them; where that shortens one, `full_id` has it whole. Texts are never `jsonb`: it refuses NUL
 * and halves of surrogate pairs, and reorders keys.
 *
 * A thread's `version` counts the changes of its log, `entry_count` what stands in it. `replaced` has what stood under an id before the nth replacement of a suffix.
 *
 * A thread's entries stand in its log, and before `shared` in that log's parents. A log is begun before its forks, so its number is the lower one.
 */
export const TABLES: string = `
CREATE TABLE {schema}.logs (
  log bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  parent bigint,
  shared int NOT NULL DEFAULT 0
);
CREATE INDEX logs_by_parent ON {schema}.logs (parent) WHERE parent IS NOT NULL;

CREATE TABLE {schema}.threads (
  id text COLLATE "C" PRIMARY KEY,
  full_id text,
  log bigint NOT NULL,
  version int NOT NULL DEFAULT 0,
  entry_count int NOT NULL DEFAULT 0,
  replacements int NOT NULL DEFAULT 0,
  turn int NOT NULL DEFAULT 0,
  head text,
  deleted boolean NOT NULL DEFAULT false,
  removed_revision int NOT NULL DEFAULT 0,
  confirmed bigint NOT NULL DEFAULT 0,
  title text,
  user_id text COLLATE "C",
  tags json,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 80);
CREATE INDEX threads_by_log ON {schema}.threads (log);
-- Without the time: an append changes no column that an index has.
CREATE INDEX threads_by_user ON {schema}.threads (user_id) WHERE user_id IS NOT NULL;

CREATE TABLE {schema}.entries (
  log bigint NOT NULL,
  position int NOT NULL,
  id text COLLATE "C" NOT NULL,
  type text NOT NULL,
  agent text,
  turn int NOT NULL,
  phase int,
  task int,
  partner int,
  bytes int NOT NULL,
  created_at_ms double precision NOT NULL,
  tokens text,
  checksum int NOT NULL,
  json json NOT NULL,
  PRIMARY KEY (log, position)
);
CREATE UNIQUE INDEX entries_by_id ON {schema}.entries (log, id);

CREATE TABLE {schema}.facts (
  log bigint NOT NULL,
  key text COLLATE "C" NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (log, key)
) WITH (fillfactor = 80);

CREATE TABLE {schema}.refs (
  log bigint NOT NULL,
  stream text COLLATE "C" NOT NULL,
  key int NOT NULL,
  turn int NOT NULL,
  positions int[] NOT NULL,
  refs text NOT NULL,
  PRIMARY KEY (log, stream, key)
);

CREATE TABLE {schema}.summaries (
  nth bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  log bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  view text COLLATE "C" NOT NULL,
  checksum int NOT NULL,
  json json NOT NULL
);
CREATE UNIQUE INDEX summaries_by_id ON {schema}.summaries (log, id);
CREATE INDEX summaries_by_view ON {schema}.summaries (log, view, nth);

CREATE TABLE {schema}.views (
  log bigint NOT NULL,
  view text COLLATE "C" NOT NULL,
  revision int NOT NULL,
  state text NOT NULL,
  PRIMARY KEY (log, view)
);

CREATE TABLE {schema}.replaced (
  log bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  nth int NOT NULL,
  checksum int NOT NULL,
  json json NOT NULL,
  PRIMARY KEY (log, id, nth)
);

CREATE TABLE {schema}.operations (
  log bigint NOT NULL,
  nth int NOT NULL,
  id text COLLATE "C" NOT NULL,
  hash text NOT NULL,
  version int NOT NULL,
  PRIMARY KEY (log, id)
);
CREATE UNIQUE INDEX operations_by_nth ON {schema}.operations (log, nth);

CREATE TABLE {schema}.state (
  thread text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  full_key text,
  revision int NOT NULL,
  value json NOT NULL,
  PRIMARY KEY (thread, key)
);

CREATE FUNCTION {schema}.stretches(p_log bigint) RETURNS TABLE (log bigint, lo int, hi int)
LANGUAGE sql STABLE AS $fn$
  WITH RECURSIVE chain AS (
    SELECT l.log, l.parent, l.shared AS lo, 2147483647 AS hi FROM {schema}.logs l WHERE l.log = p_log
    UNION ALL
    SELECT l.log, l.parent, LEAST(l.shared, c.lo), c.lo
    FROM chain c JOIN {schema}.logs l ON l.log = c.parent
    WHERE c.lo > 0 AND l.log < c.log
  )
  SELECT chain.log, chain.lo, chain.hi FROM chain WHERE chain.lo < chain.hi
$fn$;

CREATE VIEW {schema}.thread_entries AS
  SELECT t.id AS thread, e.position, e.id, e.type, e.agent, e.turn, e.phase, e.task, e.partner,
    e.bytes, to_timestamp(e.created_at_ms / 1000) AS created_at, e.json
  FROM {schema}.threads t
  CROSS JOIN LATERAL {schema}.stretches(t.log) s
  JOIN {schema}.entries e ON e.log = s.log AND e.position >= s.lo AND e.position < s.hi
  WHERE NOT t.deleted;
`;
