/** Writes what is kept beside entries: facts and rows of references. */
export const WRITE_INDEX_FUNCTION: string = `
CREATE FUNCTION {schema}.write_index(p_log bigint, p_facts json, p_refs json) RETURNS void
LANGUAGE plpgsql AS $fn$
BEGIN
  INSERT INTO {schema}.facts (log, key, value)
  SELECT p_log, f.key, f.value FROM json_to_recordset(p_facts) AS f (key text, value text)
  ON CONFLICT ON CONSTRAINT facts_pkey DO UPDATE SET value = excluded.value;
  INSERT INTO {schema}.refs (log, stream, key, turn, positions, refs)
  SELECT p_log, r.stream, r.key, r.turn, r.positions::int[], r.refs
  FROM json_to_recordset(p_refs) AS r (stream text, key int, turn int, positions text, refs text);
END $fn$;
`;
