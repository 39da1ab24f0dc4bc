import { LOCK_THREAD } from "./locks.ts";

/** Changes what a list shows of a thread: title and user where `p_change` has them, tags where there are some. Tags come by themselves: no operator takes JSON with an escaped NUL. It creates the thread where it is missing. */
export const METADATA_FUNCTION: string = `
CREATE FUNCTION {schema}.set_metadata(p_thread text, p_full_id text, p_change json, p_tags json) RETURNS text
LANGUAGE plpgsql AS $fn$
DECLARE
  t {schema}.threads%ROWTYPE;
  number bigint;
BEGIN
  ${LOCK_THREAD};
  SELECT * INTO t FROM {schema}.threads x WHERE x.id = p_thread;
  IF t.deleted THEN RETURN 'deleted'; END IF;
  IF t.id IS NULL THEN
    INSERT INTO {schema}.logs DEFAULT VALUES RETURNING log INTO number;
    INSERT INTO {schema}.threads (id, full_id, log) VALUES (p_thread, p_full_id, number);
  END IF;
  UPDATE {schema}.threads x SET
    title = CASE WHEN p_change -> 'title' IS NULL THEN x.title ELSE p_change ->> 'title' END,
    user_id = CASE WHEN p_change -> 'user' IS NULL THEN x.user_id ELSE p_change ->> 'user' END,
    tags = coalesce(p_tags, x.tags),
    confirmed = x.confirmed + 1
  WHERE x.id = p_thread;
  RETURN 'written';
END $fn$;
`;
