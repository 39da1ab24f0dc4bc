import { keyText, textKey } from "@agent-history/store-kit";

import { textOf } from "./sql.ts";
import type { Sql } from "./sql.ts";

/** Lists threads in the order of their keys. It reads no further than the page. */
export function listThreads(
  sql: Sql,
  {
    prefix,
    cursor = "",
    limit,
  }: { readonly prefix: string; readonly cursor?: string | undefined; readonly limit: number },
): { readonly threadIds: readonly string[]; readonly cursor?: string } {
  // A key goes on differently where the text ends within a pair.
  const beginning = textKey(prefix.replace(/[\uD800-\uDBFF]+$/, ""));
  const threadIds: string[] = [];
  let last: string | undefined;
  const rows = sql.each(
    "SELECT id FROM threads WHERE deleted = 0 AND id > ? AND id >= ? ORDER BY id",
    cursor,
    beginning,
  );
  for (const row of rows) {
    const key = textOf(row, "id");
    if (!key.startsWith(beginning)) break;
    const threadId = keyText(key);
    if (!threadId.startsWith(prefix)) continue;
    if (threadIds.length >= limit)
      return { threadIds, ...(last !== undefined && { cursor: last }) };
    threadIds.push(threadId);
    last = key;
  }
  return { threadIds };
}
