import { insertEntries } from "./insert-entries.ts";
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
  p_index json, p_rows json, p_entries json
) RETURNS TABLE (kind text, n int, k text, v text)
LANGUAGE plpgsql AS $fn$
DECLARE
  t record;
  b record;
  is_there boolean;
  is_known boolean := false;
  is_replaced boolean := false;
  number bigint;
BEGIN
  ${LOCK_THREAD};
  SELECT * INTO b FROM json_to_record(p_index) AS x (
    ids text[], absent text[], needed text[], version int, head text, turn int, facts json, refs json
  );
  SELECT x.*, l.shared, (SELECT max(e.position) FROM {schema}.entries e WHERE e.log = x.log) AS last INTO t
  FROM {schema}.threads x LEFT JOIN {schema}.logs l ON l.log = x.log WHERE x.id = p_thread;
  is_there := FOUND;
  IF t.deleted THEN RETURN QUERY SELECT 'deleted', 0, NULL::text, NULL::text; RETURN; END IF;
  IF coalesce(t.version, 0) < p_seen THEN
    RETURN QUERY SELECT 'rewound', coalesce(t.version, 0), NULL::text, NULL::text; RETURN;
  END IF;
  IF is_there THEN
    -- What the log shares with its parents is looked for only where there is some.
    IF t.shared > 0 THEN is_known := EXISTS (SELECT FROM {schema}.entries_of(t.log, b.ids));
    ELSE is_known := EXISTS (
      SELECT FROM unnest(b.ids) i(id)
      CROSS JOIN LATERAL (SELECT FROM {schema}.entries x WHERE x.log = t.log AND x.id = i.id OFFSET 0) e
    );
    END IF;
    IF t.replacements > 0 THEN is_replaced := EXISTS (SELECT FROM {schema}.replaced_of(t.log, b.ids)); END IF;
    IF is_known OR is_replaced OR EXISTS (SELECT FROM {schema}.summaries_of(t.log, b.ids)) THEN
      RETURN QUERY
        SELECT 'known', e.checksum, e.id, e.json::text FROM {schema}.entries_of(t.log, b.ids) e
        UNION ALL
        SELECT 'known', z.checksum, z.id, z.json::text FROM {schema}.summaries_of(t.log, b.ids) z
        UNION ALL
        SELECT 'replaced', r.checksum, r.id, r.json::text FROM {schema}.replaced_of(t.log, b.ids) r;
      UPDATE {schema}.threads x SET confirmed = x.confirmed + 1 WHERE x.id = p_thread;
      RETURN QUERY SELECT 'version', t.version, NULL::text, NULL::text;
      RETURN;
    END IF;
  END IF;
  IF NOT (p_expected = 'any' OR (p_expected = 'none' AND NOT is_there) OR (p_expected = 'exists' AND is_there)
      OR p_expected = coalesce(t.version, 0)::text) THEN
    RETURN QUERY SELECT 'conflict', coalesce(t.version, 0), NULL::text, NULL::text; RETURN;
  END IF;
  IF cardinality(b.ids) = 0 THEN
    RETURN QUERY SELECT 'empty', coalesce(t.version, 0), NULL::text, NULL::text; RETURN;
  END IF;
  IF is_there THEN
    IF t.shared IS NULL OR t.shared > t.entry_count OR coalesce(t.last + 1, t.shared) <> t.entry_count THEN
      RETURN QUERY SELECT 'corrupt', t.version, NULL::text, NULL::text; RETURN;
    END IF;
    IF t.head IS DISTINCT FROM p_base OR EXISTS (SELECT FROM {schema}.facts_of(t.log, b.absent)) THEN
      RETURN QUERY
        SELECT 'moved', t.entry_count, NULL::text, t.head
        UNION ALL
        SELECT 'fact', 0, f.key, f.value FROM {schema}.facts_of(t.log, b.needed) f;
      RETURN;
    END IF;
    number := t.log;
  ELSIF p_base IS NOT NULL THEN
    RETURN QUERY SELECT 'moved', 0, NULL::text, NULL::text; RETURN;
  ELSE
    INSERT INTO {schema}.logs DEFAULT VALUES RETURNING log INTO number;
    INSERT INTO {schema}.threads (id, full_id, log) VALUES (p_thread, p_full_id, number);
  END IF;
  ${insertEntries("number")};
  PERFORM {schema}.write_index(number, b.facts, b.refs);
  UPDATE {schema}.threads x
  SET version = x.version + cardinality(b.ids), entry_count = b.version, head = b.head, updated_at = greatest(x.updated_at, now()),
    turn = greatest(x.turn, b.turn)
  WHERE x.id = p_thread;
  RETURN QUERY SELECT 'written', coalesce(t.version, 0) + cardinality(b.ids), NULL::text, NULL::text;
END $fn$;
`;
