import { pageOfKeys } from "./page-of-keys.ts";
import type { KeyPage } from "./page-of-keys.ts";
import type { Sql } from "./sql.ts";

/** Lists threads in the order of their keys. It reads no further than the page. */
export function listThreads(
  sql: Sql,
  page: KeyPage,
): { readonly threadIds: readonly string[]; readonly cursor?: string } {
  const { rows, ...end } = pageOfKeys(page, "id", (beginning, cursor) =>
    sql.each(
      "SELECT id FROM threads WHERE deleted = 0 AND id > coalesce(?, '') AND id >= ? ORDER BY id",
      cursor,
      beginning,
    ),
  );
  return { threadIds: rows.map(({ name }) => name), ...end };
}
