/**
 * Gives the entries that a clause of a query shows most likely, from the plain columns: of one stream, of these types, of the last turns, since
 * the agent's last task. What it gives too much or too little costs a round, never a wrong answer.
 */
export const GUESS_FUNCTION: string = `
CREATE FUNCTION {schema}.guess(p_log bigint, p_turn int, p_guess json)
RETURNS TABLE (n int, c int, v text, x text)
LANGUAGE plpgsql STABLE AS $fn$
DECLARE
  types text[] := CASE WHEN p_guess -> 'types' IS NOT NULL THEN ARRAY(SELECT json_array_elements_text(p_guess -> 'types')) END;
  since_turn int := coalesce(p_turn + 1 - (p_guess ->> 'turns')::int, 0);
  since int := 0;
  candidates int[];
BEGIN
  SELECT array_agg(p) INTO candidates FROM (
    SELECT DISTINCT unnest(r.positions) AS p FROM (
      SELECT a.positions, a.turn FROM {schema}.refs a
      WHERE a.log = p_log AND a.stream = p_guess ->> 'stream'
      ORDER BY a.key DESC LIMIT 128
    ) r WHERE r.turn >= since_turn ORDER BY p DESC LIMIT (p_guess ->> 'entries')::int
  ) all_positions;
  IF p_guess ->> 'taskOf' IS NOT NULL THEN
    SELECT coalesce(max(e.position), 0) INTO since
    FROM {schema}.entries_at(p_log, candidates) e
    WHERE e.type = 'task' AND e.agent = p_guess ->> 'taskOf';
  END IF;
  RETURN QUERY
    SELECT w.position, w.checksum, w.json::text, w.tokens FROM (
      SELECT e.position, e.checksum, e.json, e.tokens, e.bytes, sum(e.bytes) OVER (ORDER BY e.position DESC) AS total
      FROM {schema}.entries_at(p_log, candidates) e
      WHERE e.position >= since AND e.turn >= since_turn AND (types IS NULL OR e.type = ANY(types))
    ) w WHERE w.total - w.bytes <= (p_guess ->> 'bytes')::int;
END $fn$;
`;
