/**
 * The method that the store uses of a client: `query(text, values)`, as in `Client` and `Pool` of `pg`, PGlite, and Neon's pool. Each call is one
 * statement and its own transaction, so that any connection can run it. The caller closes the client.
 */
export interface PostgresClient {
  query(
    text: string,
    values: (string | null)[],
  ): Promise<{ readonly rows: readonly PostgresRow[] }>;
}

/** A row by column name. */
export type PostgresRow = Readonly<Record<string, unknown>>;
