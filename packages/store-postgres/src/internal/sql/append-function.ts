import { LOCK_THREAD } from "./locks.ts";

/**
 * Writes a batch with its index, or says why not. Nothing is written before everything was looked at.
 *
 * `p_base` is the head that the index was derived from, `p_absent` the facts that it took for missing: where either is not so, the answer brings
 * what is there. A batch that is known raises `confirmed`: its answer waits for whatever a commit waits for.
 */
export const APPEND_FUNCTION: string = `
CREATE FUNCTION {schema}.append(
  p_thread text, p_full_id text, p_expected text, p_seen int, p_base text,
  p_ids json, p_index json, p_entries json
) RETURNS TABLE (kind text, n int, k text, v text)
LANGUAGE plpgsql AS $fn$
DECLARE
  t {schema}.threads%ROWTYPE;
  ids text[] := ARRAY(SELECT json_array_elements_text(p_ids));
  is_there boolean;
  own int;
  last int;
  number bigint;
BEGIN
  ${LOCK_THREAD};
  SELECT * INTO t FROM {schema}.threads x WHERE x.id = p_thread;
  is_there := FOUND;
  IF t.deleted THEN RETURN QUERY SELECT 'deleted', 0, NULL::text, NULL::text; RETURN; END IF;
  IF coalesce(t.version, 0) < p_seen THEN
    RETURN QUERY SELECT 'rewound', coalesce(t.version, 0), NULL::text, NULL::text; RETURN;
  END IF;
  IF is_there THEN
    RETURN QUERY
      SELECT 'known', e.checksum, e.id, e.json::text
      FROM {schema}.entries_of(t.log, ids) e
      UNION ALL
      SELECT 'known', z.checksum, z.id, z.json::text FROM {schema}.summaries_of(t.log, ids) z;
    IF FOUND THEN
      UPDATE {schema}.threads x SET confirmed = x.confirmed + 1 WHERE x.id = p_thread;
      RETURN QUERY SELECT 'version', t.version, NULL::text, NULL::text;
      RETURN;
    END IF;
  END IF;
  IF NOT (p_expected = 'any' OR (p_expected = 'none' AND NOT is_there) OR (p_expected = 'exists' AND is_there)
      OR p_expected = coalesce(t.version, 0)::text) THEN
    RETURN QUERY SELECT 'conflict', coalesce(t.version, 0), NULL::text, NULL::text; RETURN;
  END IF;
  IF cardinality(ids) = 0 THEN
    RETURN QUERY SELECT 'empty', coalesce(t.version, 0), NULL::text, NULL::text; RETURN;
  END IF;
  IF is_there THEN
    SELECT l.shared, (SELECT max(e.position) FROM {schema}.entries e WHERE e.log = l.log) INTO own, last
    FROM {schema}.logs l WHERE l.log = t.log;
    IF own IS NULL OR own > t.version OR coalesce(last + 1, own) <> t.version THEN
      RETURN QUERY SELECT 'corrupt', t.version, NULL::text, NULL::text; RETURN;
    END IF;
    IF t.head IS DISTINCT FROM p_base OR EXISTS (
      SELECT FROM {schema}.facts_of(t.log, ARRAY(SELECT json_array_elements_text(p_index -> 'absent')))
    ) THEN
      RETURN QUERY
        SELECT 'moved', t.version, NULL::text, t.head
        UNION ALL
        SELECT 'fact', 0, f.key, f.value
        FROM {schema}.facts_of(t.log, ARRAY(SELECT json_array_elements_text(p_index -> 'needed'))) f;
      RETURN;
    END IF;
    number := t.log;
  ELSIF p_base IS NOT NULL THEN
    RETURN QUERY SELECT 'moved', 0, NULL::text, NULL::text; RETURN;
  ELSE
    INSERT INTO {schema}.logs DEFAULT VALUES RETURNING log INTO number;
    INSERT INTO {schema}.threads (id, full_id, log) VALUES (p_thread, p_full_id, number);
  END IF;
  INSERT INTO {schema}.entries
    (log, position, id, type, agent, turn, phase, task, partner, bytes, created_at_ms, tokens, checksum, json)
  SELECT number, e.at, e.id, e.type, e.agent, e.turn, e.phase, e.task, e.partner, e.bytes, e.created, e.tokens, e.checksum, e.json::json
  FROM json_to_recordset(p_entries) AS e (
    at int, id text, type text, agent text, turn int, phase int, task int, partner int, bytes int,
    created double precision, tokens text, checksum int, json text
  );
  PERFORM {schema}.write_index(number, p_index);
  UPDATE {schema}.threads x
  SET version = (p_index ->> 'version')::int, head = p_index ->> 'head', updated_at = now(),
    turn = greatest(x.turn, (p_index ->> 'turn')::int)
  WHERE x.id = p_thread;
  RETURN QUERY SELECT 'written', (p_index ->> 'version')::int, NULL::text, NULL::text;
END $fn$;
`;
