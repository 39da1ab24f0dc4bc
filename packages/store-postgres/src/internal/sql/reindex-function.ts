import { LOCK_THREAD } from "./locks.ts";

/** Writes the parts of a thread's index that differ from its log, where its head is still the one that they were worked out for. */
export const REINDEX_FUNCTION: string = `
CREATE FUNCTION {schema}.reindex(p_thread text, p_base text, p_index json) RETURNS TABLE (kind text)
LANGUAGE plpgsql AS $fn$
DECLARE
  t {schema}.threads%ROWTYPE;
BEGIN
  ${LOCK_THREAD};
  SELECT * INTO t FROM {schema}.threads x WHERE x.id = p_thread;
  IF NOT FOUND OR t.deleted OR t.head IS DISTINCT FROM p_base THEN RETURN QUERY SELECT 'moved'; RETURN; END IF;
  DELETE FROM {schema}.refs x WHERE x.log = t.log AND x.stream IN (SELECT json_array_elements_text(p_index -> 'streams'));
  PERFORM {schema}.write_index(t.log, p_index -> 'facts', p_index -> 'refs');
  -- A view whose row is gone had one revision for each of its summaries and each replacement, if not more.
  INSERT INTO {schema}.views (log, view, revision, state)
  SELECT t.log, w.view, t.replacements + (SELECT count(*) FROM {schema}.summaries z WHERE z.log = t.log AND z.view = w.view), w.state
  FROM json_to_recordset(p_index -> 'views') AS w (view text, state text)
  ON CONFLICT ON CONSTRAINT views_pkey DO UPDATE SET state = excluded.state;
  UPDATE {schema}.threads x SET head = p_index ->> 'head' WHERE x.id = p_thread;
  RETURN QUERY SELECT 'written';
END $fn$;
`;
