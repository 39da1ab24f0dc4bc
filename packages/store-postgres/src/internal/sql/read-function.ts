/**
 * Answers a round of fetches, in one statement and so of one moment. Rows come with the number of their fetch; -1 is the thread, -2 and -3
 * are entries and summaries that `p_guesses` expects the next round to ask for.
 */
export const READ_FUNCTION: string = `
CREATE FUNCTION {schema}.read(p_thread text, p_fetches json, p_guesses json)
RETURNS TABLE (nth int, n int, c int, k text, v text, x text)
LANGUAGE plpgsql STABLE AS $fn$
DECLARE
  t {schema}.threads%ROWTYPE;
  f json;
  i int := 0;
  keys text[];
  limits int;
BEGIN
  SELECT * INTO t FROM {schema}.threads a WHERE a.id = p_thread;
  IF NOT FOUND THEN RETURN; END IF;
  IF t.deleted THEN RETURN QUERY SELECT -1, 0, 0, 'deleted', NULL::text, NULL::text; RETURN; END IF;
  RETURN QUERY SELECT -1, t.entry_count, coalesce(
      (SELECT max(e.position) + 1 FROM {schema}.entries e WHERE e.log = t.log),
      (SELECT l.shared FROM {schema}.logs l WHERE l.log = t.log), -1
    ), NULL::text, t.head, NULL::text;
  FOR f IN SELECT json_array_elements(p_fetches) LOOP
    keys := CASE WHEN f -> 'keys' IS NOT NULL THEN ARRAY(SELECT json_array_elements_text(f -> 'keys')) END;
    limits := (f ->> 'limit')::int;
    CASE f ->> 'kind'
    WHEN 'thread' THEN
      RETURN QUERY SELECT i, a.revision, 0, NULL::text, a.state, NULL::text
        FROM {schema}.views a WHERE a.log = t.log AND a.view = f ->> 'view';
    WHEN 'facts' THEN
      RETURN QUERY SELECT i, 0, 0, a.key, a.value, NULL::text
        FROM {schema}.facts_of(t.log, keys) a;
    WHEN 'references' THEN
      RETURN QUERY SELECT i, a.key, 0, NULL::text, a.refs, NULL::text
        FROM {schema}.refs a
        WHERE a.log = t.log AND a.stream = f ->> 'stream'
          AND a.key > (f ->> 'after')::int AND a.key < (f ->> 'before')::int
        ORDER BY a.key DESC LIMIT limits;
    WHEN 'positions' THEN
      RETURN QUERY SELECT i, e.position, 0, e.id, NULL::text, NULL::text
        FROM {schema}.entries_of(t.log, keys) e;
    WHEN 'entries' THEN
      RETURN QUERY SELECT i, e.position, e.checksum, NULL::text, e.json::text, e.tokens
        FROM {schema}.entries_at(t.log, keys::int[]) e
        ORDER BY e.position;
    WHEN 'log' THEN
      RETURN QUERY SELECT i, e.position, e.checksum, NULL::text, e.json::text, e.tokens
        FROM {schema}.entries_between(t.log, (f ->> 'from')::int, (f ->> 'to')::int) e
        ORDER BY e.position;
    WHEN 'summaries' THEN
      RETURN QUERY SELECT i, 0, z.checksum, z.id, z.json::text, z.view
        FROM {schema}.summaries_of(t.log, keys) z;
    WHEN 'overlays' THEN
      RETURN QUERY SELECT i, 0, z.checksum, z.id, z.json::text, z.view
        FROM {schema}.summaries z
        WHERE z.log = t.log AND (f ->> 'view' IS NULL OR z.view = f ->> 'view') ORDER BY z.nth;
    WHEN 'replaced' THEN
      RETURN QUERY SELECT i, r.nth, r.checksum, r.id, r.json::text, NULL::text
        FROM {schema}.replaced_of(t.log, keys) r;
    WHEN 'operation' THEN
      RETURN QUERY SELECT i, o.version, 0, o.id, o.hash, NULL::text
        FROM {schema}.operations o WHERE o.log = t.log AND o.id = f ->> 'id';
    END CASE;
    i := i + 1;
  END LOOP;
  FOR f IN SELECT json_array_elements(p_guesses) LOOP
    IF f ->> 'view' IS NOT NULL THEN
      RETURN QUERY SELECT -3, 0, z.checksum, z.id, z.json::text, z.view
        FROM {schema}.summaries z
        WHERE z.log = t.log AND z.view = f ->> 'view' ORDER BY z.nth DESC LIMIT 8;
    ELSE
      RETURN QUERY SELECT -2, g.n, g.c, NULL::text, g.v, g.x FROM {schema}.guess(t.log, t.turn, f) g;
    END IF;
  END LOOP;
END $fn$;
`;
