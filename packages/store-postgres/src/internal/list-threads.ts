import type { Connection } from "./connection.ts";
import { pageOfKeys } from "./page-of-keys.ts";
import type { KeyPage } from "./page-of-keys.ts";

/** Lists threads in the order of their keys. */
export async function listThreads(
  { schema, read }: Connection,
  page: KeyPage,
  signal: AbortSignal | undefined,
): Promise<{ readonly threadIds: readonly string[]; readonly cursor?: string }> {
  const sql = `SELECT id AS key, full_id AS full_key FROM ${schema}.threads WHERE NOT deleted AND ($1::text IS NULL OR id > $1::text) AND id >= $2::text ORDER BY id LIMIT $3::text::int`;
  const { rows, ...end } = await pageOfKeys(page, async ({ after, beginning, count }) =>
    read(sql, [after, beginning, count], signal),
  );
  return { threadIds: rows.map(({ name }) => name), ...end };
}
