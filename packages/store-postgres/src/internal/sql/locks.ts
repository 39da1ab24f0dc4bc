/** Takes the lock of the thread `p_thread` until the statement ends. What a function looks at after it is newer than the lock. */
export const LOCK_THREAD =
  "PERFORM pg_advisory_xact_lock(hashtextextended(p_thread, '{schema}.threads'::regclass::oid::bigint))";

/** Takes the lock of what threads share until the statement ends. Taken before that of a thread. */
export const LOCK_LOGS = "PERFORM pg_advisory_xact_lock('{schema}.logs'::regclass::oid::bigint)";
