/** Most entries in one batch. */
export const MAX_BATCH_ENTRIES = 500;
/** Most bytes in one batch: UTF-8 JSON of the stored form. */
export const MAX_BATCH_BYTES = 4_000_000;
/** Most ids in all clauses of one query together. */
export const MAX_QUERY_IDS = 500;
/** Most bytes of one entry (summaries included) and of one value of state. */
export const MAX_ENTRY_BYTES = 1_000_000;
/** Most UTF-16 code units in the id of a thread or fork, and in a key of state. */
export const MAX_NAME_LENGTH = 2000;
