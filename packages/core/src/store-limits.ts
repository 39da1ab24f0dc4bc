/** How many entries a store takes in one batch. */
export const MAX_BATCH_ENTRIES = 500;
/** How many bytes a store takes in one batch: UTF-8, as JSON, in the stored form. */
export const MAX_BATCH_BYTES = 4_000_000;
/** How many ids the clauses of one query may have in all. */
export const MAX_QUERY_IDS = 500;
/** How many bytes one entry may have, a summary too, and one value of state. */
export const MAX_ENTRY_BYTES = 1_000_000;
/** How many UTF-16 code units the id of a thread may have, a fork's too, and the key of a value of state. */
export const MAX_NAME_LENGTH = 2000;
