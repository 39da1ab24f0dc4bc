import { insertEntries } from "./insert-entries.ts";
import { LOCK_LOGS, LOCK_THREAD } from "./locks.ts";

/**
 * Replaces the end of a thread's log, where head and summaries are still those that the change was worked out for. What forks share of the rows that go is copied
 * into their logs.
 */
export const REPLACE_FUNCTION: string = `
CREATE FUNCTION {schema}.replace_suffix(
  p_thread text, p_seen int, p_base text, p_overlays text, p_index json, p_rows json, p_entries json
) RETURNS TABLE (kind text, n int)
LANGUAGE plpgsql AS $fn$
DECLARE
  t {schema}.threads%ROWTYPE;
  fork {schema}.logs%ROWTYPE;
  since int := (p_index ->> 'position')::int;
  gone text;
  this_one int := (p_index ->> 'nth')::int;
BEGIN
  ${LOCK_LOGS};
  ${LOCK_THREAD};
  SELECT * INTO t FROM {schema}.threads x WHERE x.id = p_thread;
  IF NOT FOUND THEN RETURN QUERY SELECT 'missing', 0; RETURN; END IF;
  IF t.deleted THEN RETURN QUERY SELECT 'deleted', 0; RETURN; END IF;
  IF t.version < p_seen THEN RETURN QUERY SELECT 'rewound', t.version; RETURN; END IF;
  IF t.head IS DISTINCT FROM p_base OR p_overlays IS DISTINCT FROM (
    SELECT coalesce(string_agg(z.checksum || ' ' || z.id, E'\\n' ORDER BY z.nth), '')
    FROM {schema}.summaries z WHERE z.log = t.log
  ) THEN
    RETURN QUERY SELECT 'moved', t.version; RETURN;
  END IF;
  FOR fork IN SELECT * FROM {schema}.logs x WHERE x.parent = t.log AND x.shared > since LOOP
    INSERT INTO {schema}.entries
      (log, position, id, type, agent, turn, phase, task, partner, bytes, created_at_ms, tokens, checksum, json)
    SELECT fork.log, e.position, e.id, e.type, e.agent, e.turn, e.phase, e.task, e.partner, e.bytes, e.created_at_ms,
      e.tokens, e.checksum, e.json
    FROM {schema}.entries_between(t.log, since, fork.shared) e;
    UPDATE {schema}.logs x SET shared = since WHERE x.log = fork.log;
  END LOOP;
  INSERT INTO {schema}.replaced (log, id, nth, checksum, json)
  SELECT t.log, e.id, this_one, e.checksum, e.json
  FROM {schema}.entries_between(t.log, since, 2147483647) e;
  DELETE FROM {schema}.entries x WHERE x.log = t.log AND x.position >= since;
  UPDATE {schema}.logs x SET shared = least(x.shared, since) WHERE x.log = t.log;
  -- One by one, so that each is a look into an index.
  FOR gone IN SELECT json_array_elements_text(p_index -> 'streams') LOOP
    DELETE FROM {schema}.refs x WHERE x.log = t.log AND x.stream = gone AND x.key > since;
  END LOOP;
  FOR gone IN SELECT json_array_elements_text(p_index -> 'gone') LOOP
    DELETE FROM {schema}.facts x WHERE x.log = t.log AND x.key = gone;
  END LOOP;
  FOR gone IN SELECT json_array_elements_text(p_index -> 'removed') LOOP
    DELETE FROM {schema}.summaries x WHERE x.log = t.log AND x.id = gone;
  END LOOP;
  UPDATE {schema}.views x SET revision = x.revision + 1 WHERE x.log = t.log;
  UPDATE {schema}.views x SET state = w.state
  FROM json_to_recordset(p_index -> 'views') AS w (view text, state text) WHERE x.log = t.log AND x.view = w.view;
  ${insertEntries("t.log")};
  PERFORM {schema}.write_index(t.log, p_index -> 'facts', p_index -> 'refs');
  INSERT INTO {schema}.operations (log, nth, id, hash, version)
  VALUES (t.log, this_one, p_index ->> 'operation', p_index ->> 'hash', (p_index ->> 'newVersion')::int);
  DELETE FROM {schema}.operations x WHERE x.log = t.log AND x.nth <= this_one - (p_index ->> 'most')::int;
  UPDATE {schema}.threads x
  SET version = (p_index ->> 'newVersion')::int, entry_count = (p_index ->> 'version')::int, replacements = this_one,
    head = p_index ->> 'head', updated_at = greatest(x.updated_at, now()), turn = coalesce(
      (SELECT max(r.turn) FROM (
        SELECT n.turn FROM {schema}.refs n WHERE n.log = t.log AND n.stream = 'all' ORDER BY n.key DESC LIMIT 128
      ) r), 0
    )
  WHERE x.id = p_thread;
  RETURN QUERY SELECT 'written', (p_index ->> 'newVersion')::int;
END $fn$;
`;
