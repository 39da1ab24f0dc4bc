/**
 * What the store needs of a client: `query(text, values)`, as `Client` and `Pool` of `pg` have it, PGlite, and Neon's pool. Each call is one
 * statement and a transaction of its own, so that any connection may answer it. Whoever made the client ends it.
 */
export interface PostgresClient {
  query(
    text: string,
    values: (string | null)[],
  ): Promise<{ readonly rows: readonly PostgresRow[] }>;
}

/** A row by column name. */
export type PostgresRow = Readonly<Record<string, unknown>>;
