import type { ThreadMetadata } from "@agent-history/core";
import type { SoundMetadata } from "@agent-history/core/stored-form";
import { decodeTags, keyText, textKey } from "@agent-history/store-kit";

import { numberOf, textOf, textOrNone } from "./sql.ts";
import type { Row, Sql } from "./sql.ts";
import { createThread, findThread } from "./thread-row.ts";

/** The columns of `threads` that a list shows. */
export const METADATA_COLUMNS = "id, title, user, tags, created_at_ms, updated_at_ms, version";

/** Reads what a list shows of a thread. */
export function readMetadata(sql: Sql, threadId: string): ThreadMetadata | undefined {
  if (findThread(sql, threadId) === undefined) return undefined;
  const query = `SELECT ${METADATA_COLUMNS} FROM threads WHERE id = ?`;
  const row = sql.get(query, textKey(threadId));
  return row && metadataOf(row);
}

/** Changes what a list shows of a thread, which it creates where it is missing. Within a transaction. */
export function writeMetadata(
  sql: Sql,
  threadId: string,
  { title, user, tags }: SoundMetadata,
): ThreadMetadata {
  const thread = findThread(sql, threadId)?.thread ?? createThread(sql, threadId, { version: 0 });
  const set = (column: string, value: string | null | undefined): void => {
    if (value === undefined) return;
    sql.run(`UPDATE threads SET ${column} = ? WHERE thread = ?`, value, thread);
  };
  set("title", title === null ? null : title && textKey(title));
  set("user", user === null ? null : user && textKey(user));
  set("tags", tags && JSON.stringify(tags));
  const row = sql.get(`SELECT ${METADATA_COLUMNS} FROM threads WHERE thread = ?`, thread);
  return metadataOf(row);
}

/** Reads the row of a thread as a list shows it. */
export function metadataOf(row: Row | undefined): ThreadMetadata {
  const [title, user] = [textOrNone(row, "title"), textOrNone(row, "user")];
  return {
    threadId: keyText(textOf(row, "id")),
    ...(title !== undefined && { title: keyText(title) }),
    ...(user !== undefined && { user: keyText(user) }),
    tags: decodeTags(textOrNone(row, "tags")),
    createdAtMs: numberOf(row, "created_at_ms"),
    updatedAtMs: numberOf(row, "updated_at_ms"),
    entryCount: numberOf(row, "version"),
  };
}
