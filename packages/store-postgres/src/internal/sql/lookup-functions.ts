/**
 * Give rows by their keys, each by a look into an index. A connection keeps the plan that it made while a table was empty, when reading the table
 * from its beginning cost least: an inner `SELECT` that ends with `OFFSET 0` leaves the planner no choice.
 */
export const LOOKUP_FUNCTIONS: string = `
CREATE FUNCTION {schema}.entries_at(p_log bigint, p_positions int[]) RETURNS SETOF {schema}.entries
LANGUAGE sql STABLE AS $fn$
  SELECT e.* FROM {schema}.stretches(p_log) s JOIN unnest(p_positions) i(position) ON i.position >= s.lo AND i.position < s.hi
  CROSS JOIN LATERAL (SELECT * FROM {schema}.entries x WHERE x.log = s.log AND x.position = i.position OFFSET 0) e
$fn$;

CREATE FUNCTION {schema}.entries_between(p_log bigint, p_from int, p_to int) RETURNS SETOF {schema}.entries
LANGUAGE sql STABLE AS $fn$
  SELECT e.* FROM {schema}.stretches(p_log) s
  CROSS JOIN LATERAL (
    SELECT * FROM {schema}.entries x
    WHERE x.log = s.log AND x.position >= greatest(s.lo, p_from) AND x.position < least(s.hi, p_to) OFFSET 0
  ) e
$fn$;

CREATE FUNCTION {schema}.entries_of(p_log bigint, p_ids text[]) RETURNS SETOF {schema}.entries
LANGUAGE sql STABLE AS $fn$
  SELECT e.* FROM {schema}.stretches(p_log) s CROSS JOIN unnest(p_ids) i(id)
  CROSS JOIN LATERAL (SELECT * FROM {schema}.entries x WHERE x.log = s.log AND x.id = i.id OFFSET 0) e
  WHERE e.position >= s.lo AND e.position < s.hi
$fn$;

CREATE FUNCTION {schema}.facts_of(p_log bigint, p_keys text[]) RETURNS SETOF {schema}.facts
LANGUAGE sql STABLE AS $fn$
  SELECT f.* FROM unnest(p_keys) i(key)
  CROSS JOIN LATERAL (SELECT * FROM {schema}.facts x WHERE x.log = p_log AND x.key = i.key OFFSET 0) f
$fn$;

CREATE FUNCTION {schema}.summaries_of(p_log bigint, p_ids text[]) RETURNS SETOF {schema}.summaries
LANGUAGE sql STABLE AS $fn$
  SELECT z.* FROM unnest(p_ids) i(id)
  CROSS JOIN LATERAL (SELECT * FROM {schema}.summaries x WHERE x.log = p_log AND x.id = i.id OFFSET 0) z
$fn$;

CREATE FUNCTION {schema}.replaced_of(p_log bigint, p_ids text[]) RETURNS SETOF {schema}.replaced
LANGUAGE sql STABLE AS $fn$
  SELECT r.* FROM unnest(p_ids) i(id)
  CROSS JOIN LATERAL (SELECT * FROM {schema}.replaced x WHERE x.log = p_log AND x.id = i.id OFFSET 0) r
$fn$;
`;
