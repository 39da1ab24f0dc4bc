import type { PGlite, Transaction } from "@electric-sql/pglite";

import type { PostgresClient } from "../src/index.ts";

/** Rows of tables that statements looked at: of a table from its beginning, and by an index. */
export interface RowsRead {
  readonly scanned: number;
  readonly byIndex: number;
}

/** A client that counts the rows that its statements look at, as the server counts them. */
export interface ReadingClient extends PostgresClient {
  /** Of the statements since the last call. */
  readonly take: () => RowsRead;
}

/** Counts the rows that the statements of a client look at. */
export function readingClient(pglite: PGlite): ReadingClient {
  let scanned = 0;
  let byIndex = 0;
  return {
    query: (text, values) =>
      pglite.transaction(async (tx) => {
        const before = await countsOf(tx);
        const { rows } = await tx.query<Readonly<Record<string, unknown>>>(text, [...values]);
        const after = await countsOf(tx);
        scanned += after.scanned - before.scanned;
        byIndex += after.byIndex - before.byIndex;
        return { rows };
      }),
    take: () => {
      const read = { scanned, byIndex };
      scanned = 0;
      byIndex = 0;
      return read;
    },
  };
}

async function countsOf(tx: Transaction): Promise<RowsRead> {
  const { rows } = await tx.query<RowsRead>(
    'SELECT coalesce(sum(seq_tup_read), 0)::int AS scanned, coalesce(sum(idx_tup_fetch), 0)::int AS "byIndex" FROM pg_stat_xact_user_tables',
  );
  return rows[0] ?? { scanned: 0, byIndex: 0 };
}
