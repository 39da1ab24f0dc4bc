import { LOCK_LOGS, LOCK_THREAD } from "./locks.ts";

/** Commits or undoes a summary, where the view's revision is still the one that the change was worked out for. */
const CHANGE_VIEW: string = `
CREATE FUNCTION {schema}.change_view(
  p_thread text, p_view text, p_revision int, p_state text, p_id text, p_checksum int, p_json text, p_remove text
) RETURNS TABLE (kind text, n int)
LANGUAGE plpgsql AS $fn$
DECLARE
  t {schema}.threads%ROWTYPE;
  actual int;
BEGIN
  ${LOCK_THREAD};
  SELECT * INTO t FROM {schema}.threads x WHERE x.id = p_thread;
  IF NOT FOUND THEN RETURN QUERY SELECT 'missing', 0; RETURN; END IF;
  IF t.deleted THEN RETURN QUERY SELECT 'deleted', 0; RETURN; END IF;
  IF p_state IS NULL THEN
    UPDATE {schema}.threads x SET confirmed = x.confirmed + 1 WHERE x.id = p_thread;
    RETURN QUERY SELECT 'written', 0; RETURN;
  END IF;
  SELECT a.revision INTO actual FROM {schema}.views a WHERE a.log = t.log AND a.view = p_view;
  actual := coalesce(actual, t.replacements);
  IF actual <> p_revision THEN RETURN QUERY SELECT 'moved', actual; RETURN; END IF;
  IF p_id IS NOT NULL THEN
    IF EXISTS (
      SELECT FROM {schema}.entries_of(t.log, ARRAY[p_id])
    ) OR EXISTS (SELECT FROM {schema}.summaries_of(t.log, ARRAY[p_id]))
      OR EXISTS (SELECT FROM {schema}.replaced_of(t.log, ARRAY[p_id])) THEN
      RETURN QUERY SELECT 'taken', actual; RETURN;
    END IF;
    INSERT INTO {schema}.summaries (log, id, view, checksum, json) VALUES (t.log, p_id, p_view, p_checksum, p_json::json);
  END IF;
  DELETE FROM {schema}.summaries z WHERE z.log = t.log AND z.id = p_remove;
  INSERT INTO {schema}.views (log, view, revision, state) VALUES (t.log, p_view, actual + 1, p_state)
  ON CONFLICT ON CONSTRAINT views_pkey DO UPDATE SET revision = excluded.revision, state = excluded.state;
  RETURN QUERY SELECT 'written', actual + 1;
END $fn$;
`;

/** Writes state, or removes it where the value is NULL. What was removed leaves its revision, so that none is given twice. */
const SET_STATE: string = `
CREATE FUNCTION {schema}.set_state(
  p_thread text, p_full_id text, p_key text, p_full_key text, p_value text, p_revision int
) RETURNS TABLE (kind text, n int)
LANGUAGE plpgsql AS $fn$
DECLARE
  t {schema}.threads%ROWTYPE;
  actual int;
  number bigint;
BEGIN
  ${LOCK_THREAD};
  SELECT * INTO t FROM {schema}.threads x WHERE x.id = p_thread;
  IF t.deleted THEN RETURN QUERY SELECT 'deleted', 0; RETURN; END IF;
  SELECT a.revision INTO actual FROM {schema}.state a WHERE a.thread = p_thread AND a.key = p_key;
  actual := coalesce(actual, 0);
  IF actual <> p_revision THEN RETURN QUERY SELECT 'conflict', actual; RETURN; END IF;
  IF p_value IS NULL THEN
    DELETE FROM {schema}.state x WHERE x.thread = p_thread AND x.key = p_key;
    UPDATE {schema}.threads x
    SET removed_revision = greatest(x.removed_revision, actual), confirmed = x.confirmed + 1 WHERE x.id = p_thread;
    RETURN QUERY SELECT 'written', 0; RETURN;
  END IF;
  IF actual = 0 THEN actual := coalesce(t.removed_revision, 0); END IF;
  IF t.id IS NULL THEN
    INSERT INTO {schema}.logs DEFAULT VALUES RETURNING log INTO number;
    INSERT INTO {schema}.threads (id, full_id, log) VALUES (p_thread, p_full_id, number);
  END IF;
  INSERT INTO {schema}.state (thread, key, full_key, revision, value) VALUES (p_thread, p_key, p_full_key, actual + 1, p_value::json)
  ON CONFLICT ON CONSTRAINT state_pkey DO UPDATE SET revision = excluded.revision, value = excluded.value;
  RETURN QUERY SELECT 'written', actual + 1;
END $fn$;
`;

/**
 * Begins a thread on the log of another, with the facts that it was given and the parent's rows of references. Of the row that the fork point cuts it has what stands before.
 */
const FORK: string = `
CREATE FUNCTION {schema}.fork(p_parent text, p_thread text, p_full_id text, p_index json)
RETURNS TABLE (kind text, n int)
LANGUAGE plpgsql AS $fn$
DECLARE
  parent {schema}.threads%ROWTYPE;
  t {schema}.threads%ROWTYPE;
  number bigint;
  version int := (p_index ->> 'version')::int;
BEGIN
  ${LOCK_LOGS};
  ${LOCK_THREAD};
  -- Changed, not only read: where a transaction sees what was before the lock, one of two that change the parent begins again.
  UPDATE {schema}.threads x SET confirmed = x.confirmed + 1 WHERE x.id = p_parent RETURNING * INTO parent;
  IF NOT FOUND THEN RETURN QUERY SELECT 'missing', 0; RETURN; END IF;
  SELECT * INTO t FROM {schema}.threads x WHERE x.id = p_thread;
  IF parent.deleted OR t.deleted THEN RETURN QUERY SELECT 'deleted', 0; RETURN; END IF;
  IF parent.replacements <> (p_index ->> 'replacements')::int THEN RETURN QUERY SELECT 'moved', 0; RETURN; END IF;
  IF t.id IS NOT NULL THEN
    UPDATE {schema}.threads x SET confirmed = x.confirmed + 1 WHERE x.id = p_thread;
    RETURN QUERY SELECT 'conflict', t.version; RETURN;
  END IF;
  INSERT INTO {schema}.logs (parent, shared) VALUES (parent.log, version) RETURNING log INTO number;
  INSERT INTO {schema}.refs (log, stream, key, turn, positions, refs)
  SELECT number, r.stream, r.key, r.turn, r.positions, r.refs
  FROM {schema}.refs r WHERE r.log = parent.log AND r.key <= version;
  PERFORM {schema}.write_index(number, p_index -> 'facts', (
    SELECT coalesce(json_agg(r), '[]') FROM json_to_recordset(p_index -> 'refs') AS r (stream text, key int, turn int, positions text, refs text)
    WHERE r.key > coalesce(
      (SELECT max(x.key) FROM {schema}.refs x WHERE x.log = number AND x.stream = r.stream COLLATE "C"), 0
    )
  ));
  INSERT INTO {schema}.threads (id, full_id, title, user_id, tags, log, version, entry_count, turn, head)
  VALUES (p_thread, p_full_id, parent.title, parent.user_id, parent.tags, number, version, version, coalesce(
    (SELECT max(r.turn) FROM (
      SELECT n.turn FROM {schema}.refs n WHERE n.log = number AND n.stream = 'all' ORDER BY n.key DESC LIMIT 128
    ) r), 0
  ), p_index ->> 'head');
  INSERT INTO {schema}.summaries (log, id, view, checksum, json)
  SELECT number, z.id, z.view, z.checksum, z.json::json
  FROM json_to_recordset(p_index -> 'summaries') AS z (nth int, id text, view text, checksum int, json text) ORDER BY z.nth;
  INSERT INTO {schema}.views (log, view, revision, state)
  SELECT number, w.view, 0, w.state FROM json_to_recordset(p_index -> 'views') AS w (view text, state text);
  RETURN QUERY SELECT 'written', 0;
END $fn$;
`;

/** Deletes a thread and leaves its name; lets go of rows that no fork shares, up the chain of parents. */
const DELETE_THREAD: string = `
CREATE FUNCTION {schema}.delete_thread(p_thread text, p_full_id text) RETURNS void
LANGUAGE plpgsql AS $fn$
DECLARE
  t {schema}.threads%ROWTYPE;
  l {schema}.logs%ROWTYPE;
  kept int;
  number bigint;
BEGIN
  ${LOCK_LOGS};
  ${LOCK_THREAD};
  SELECT * INTO t FROM {schema}.threads x WHERE x.id = p_thread;
  IF NOT FOUND THEN
    INSERT INTO {schema}.threads (id, full_id, log, deleted) VALUES (p_thread, p_full_id, 0, true);
    RETURN;
  END IF;
  UPDATE {schema}.threads x
  SET deleted = true, title = NULL, user_id = NULL, tags = NULL, head = NULL, version = 0, entry_count = 0, confirmed = x.confirmed + 1, updated_at = now() WHERE x.id = p_thread;
  IF t.deleted THEN RETURN; END IF;
  DELETE FROM {schema}.state x WHERE x.thread = p_thread;
  DELETE FROM {schema}.facts x WHERE x.log = t.log;
  DELETE FROM {schema}.refs x WHERE x.log = t.log;
  DELETE FROM {schema}.summaries x WHERE x.log = t.log;
  DELETE FROM {schema}.views x WHERE x.log = t.log;
  DELETE FROM {schema}.replaced x WHERE x.log = t.log;
  DELETE FROM {schema}.operations x WHERE x.log = t.log;
  number := t.log;
  LOOP
    SELECT * INTO l FROM {schema}.logs x WHERE x.log = number;
    EXIT WHEN NOT FOUND OR EXISTS (SELECT FROM {schema}.threads x WHERE x.log = number AND NOT x.deleted);
    SELECT coalesce(max(x.shared), 0) INTO kept FROM {schema}.logs x WHERE x.parent = number;
    DELETE FROM {schema}.entries x WHERE x.log = number AND x.position >= kept;
    IF kept = 0 THEN DELETE FROM {schema}.logs x WHERE x.log = number;
    ELSE UPDATE {schema}.logs x SET shared = least(x.shared, kept) WHERE x.log = number; END IF;
    EXIT WHEN l.parent IS NULL OR l.parent >= number;
    number := l.parent;
  END LOOP;
END $fn$;
`;

/** The functions about views, state, forks and whole threads. */
export const THREAD_FUNCTIONS: string = [CHANGE_VIEW, SET_STATE, FORK, DELETE_THREAD].join("\n");
