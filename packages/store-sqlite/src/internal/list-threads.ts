import type { HistoryStore } from "@agent-history/core";
import { textKey } from "@agent-history/store-kit";

import { pageOfKeys } from "./page-of-keys.ts";
import type { KeyPage } from "./page-of-keys.ts";
import { numberOf, textOf } from "./sql.ts";
import type { Sql } from "./sql.ts";
import { metadataOf, METADATA_COLUMNS } from "./thread-metadata.ts";

type Listed = Awaited<ReturnType<HistoryStore["list"]>>;

/** Lists threads in the order of their keys. It reads no further than the page. */
export function listThreads(sql: Sql, page: KeyPage): Listed {
  const { rows, ...end } = pageOfKeys(page, "id", (beginning, cursor) =>
    sql.each(
      `SELECT ${METADATA_COLUMNS} FROM threads WHERE deleted = 0 AND id > coalesce(?, '') AND id >= ? ORDER BY id`,
      cursor,
      beginning,
    ),
  );
  return { threads: rows.map(({ row }) => metadataOf(row)), ...end };
}

/** Lists threads of a user, or all, the newest first. What has another prefix is read and left out. */
export function listNewest(
  sql: Sql,
  { prefix, user, cursor, limit }: KeyPage & { readonly user: string | undefined },
): Listed {
  if (limit === 0) return { threads: [] };
  const [, time = Number.MAX_SAFE_INTEGER, key = ""] = /^(\d+) (.*)$/s.exec(cursor ?? "") ?? [];
  const owner = user === undefined ? "? IS NULL" : "user = ?";
  const rows = sql.all(
    `SELECT ${METADATA_COLUMNS} FROM threads WHERE deleted = 0 AND ${owner} AND updated_at_ms <= ? AND (updated_at_ms < ? OR id > ?) ORDER BY updated_at_ms DESC, id LIMIT ?`,
    user === undefined ? null : textKey(user),
    Number(time),
    Number(time),
    key,
    limit + 1,
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const threads = page.map(metadataOf).filter(({ threadId }) => threadId.startsWith(prefix));
  if (rows.length === page.length || last === undefined) return { threads };
  return { threads, cursor: `${numberOf(last, "updated_at_ms")} ${textOf(last, "id")}` };
}
