import { countOption } from "@agent-history/core";
import type { HistoryStore, ThreadMetadata } from "@agent-history/core";
import { requireMetadata, requireName } from "@agent-history/core/schema";
import type { SoundMetadata } from "@agent-history/core/schema";
import { decodeTags, keyText, listInPages } from "@agent-history/store-kit/indexed";

import type { PostgresRow } from "../postgres-client.ts";
import type { Connection } from "./connection.ts";
import { pageOfKeys } from "./page-of-keys.ts";
import type { KeyPage } from "./page-of-keys.ts";
import { escaped, fullIdOf, rowKey } from "./row-key.ts";
import { numberOf, textOf } from "./row-values.ts";
import { threadCorrupt, threadDeleted } from "./thread-errors.ts";
import { traceVerb } from "./trace-verb.ts";
import type { WriteQueue } from "./write-queue.ts";

/** The verbs about what a list shows of threads. */
export type MetadataVerbs = Pick<HistoryStore, "list" | "getMetadata" | "setMetadata">;

type Listed = Awaited<ReturnType<HistoryStore["list"]>>;

/** The columns of a thread that a list shows. */
const COLUMNS =
  "id AS key, full_id AS full_key, title, user_id, tags::text AS tags, entry_count, floor(extract(epoch FROM created_at) * 1000)::text AS created, floor(extract(epoch FROM updated_at) * 1000)::text AS updated";

/** Makes them. */
export function metadataVerbs(connection: Connection, queue: WriteQueue): MetadataVerbs {
  const { schema, enter, read, write } = connection;
  const getOne = `SELECT ${COLUMNS}, deleted::text AS deleted FROM ${schema}.threads WHERE id = $1::text`;
  const setOne = `SELECT ${schema}.set_metadata($1::text, $2::text, $3::text::json, $4::text::json) AS kind`;

  async function find(
    threadId: string,
    signal: AbortSignal | undefined,
  ): Promise<ThreadMetadata | undefined> {
    const [row] = await read(getOne, [rowKey(threadId)], signal);
    if (textOf(row, "deleted") === "true") throw threadDeleted();
    return row && metadataOf(row);
  }

  return {
    getMetadata: async (threadId, { signal } = {}) =>
      traceVerb("getMetadata", {}, async () => {
        enter(signal);
        requireName("threadId", threadId);
        return find(threadId, signal);
      }),

    setMetadata: async (threadId, change, { signal } = {}) =>
      traceVerb("setMetadata", {}, async () => {
        enter(signal);
        requireName("threadId", threadId);
        const { tags, ...texts } = requireMetadata(change);
        const names = [rowKey(threadId), fullIdOf(threadId)];
        const values = [
          ...names,
          argumentOf(texts),
          tags === undefined ? null : JSON.stringify(tags),
        ];
        return queue.run(threadId, signal, async () => {
          const [row] = await write(setOne, values, signal);
          if (textOf(row, "kind") === "deleted") throw threadDeleted();
          const metadata = await find(threadId, signal);
          if (metadata === undefined) throw threadCorrupt("answer");
          return metadata;
        });
      }),

    list: async ({ prefix = "", user, newestFirst, cursor, limit = 100, signal } = {}) =>
      traceVerb(
        "list",
        {},
        async () => {
          enter(signal);
          const page = { prefix, cursor, limit: countOption("limit", limit) };
          if (newestFirst !== true && user === undefined) return byKey(connection, page, signal);
          return listInPages(page, (part) =>
            newest(connection, { ...page, ...part, user }, signal),
          );
        },
        ({ threads }) => ({ "agent_history.threads": threads.length }),
      ),
  };
}

/** Lists threads in the order of their keys. */
async function byKey(
  { schema, read }: Connection,
  page: KeyPage,
  signal: AbortSignal | undefined,
): Promise<Listed> {
  const sql = `SELECT ${COLUMNS} FROM ${schema}.threads WHERE NOT deleted AND ($1::text IS NULL OR id > $1::text) AND id >= $2::text ORDER BY id LIMIT $3::text::int`;
  const { rows, ...end } = await pageOfKeys(page, async ({ after, beginning, count }) =>
    read(sql, [after, beginning, count], signal),
  );
  return { threads: rows.map(({ row }) => metadataOf(row)), ...end };
}

/** Lists threads of a user, or all, the newest first. What has another prefix is read and left out. */
async function newest(
  { schema, read }: Connection,
  { prefix, user, cursor, limit }: KeyPage & { readonly user: string | undefined },
  signal: AbortSignal | undefined,
): Promise<Listed> {
  if (limit === 0) return { threads: [] };
  const [, time = null, key = ""] = /^(\d+) (.*)$/s.exec(cursor ?? "") ?? [];
  const micros = "floor(extract(epoch FROM updated_at) * 1000000)::bigint";
  const sql = `SELECT ${COLUMNS}, ${micros}::text AS micros FROM ${schema}.threads
WHERE NOT deleted AND ($1::text IS NULL OR user_id = $1::text)
  AND ($2::text IS NULL OR ${micros} < $2::text::bigint OR (${micros} = $2::text::bigint AND id > $3::text))
ORDER BY ${micros} DESC, id LIMIT $4::text::int`;
  const owner = user === undefined ? null : escaped(user);
  const rows = await read(sql, [owner, time, key, limit + 1], signal);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const threads = page.map(metadataOf).filter(({ threadId }) => threadId.startsWith(prefix));
  if (rows.length === page.length) return { threads };
  return { threads, cursor: `${textOf(last, "micros")} ${textOf(last, "key")}` };
}

function metadataOf(row: PostgresRow): ThreadMetadata {
  const [title, user] = [textOf(row, "title"), textOf(row, "user_id")];
  return {
    threadId: keyText(textOf(row, "full_key") ?? textOf(row, "key") ?? ""),
    ...(title !== undefined && { title: keyText(title) }),
    ...(user !== undefined && { user: keyText(user) }),
    tags: decodeTags(textOf(row, "tags")),
    createdAtMs: numberOf(row, "created"),
    updatedAtMs: numberOf(row, "updated"),
    entryCount: numberOf(row, "entry_count"),
  };
}

function argumentOf({ title, user }: SoundMetadata): string {
  return JSON.stringify({
    title: typeof title === "string" ? escaped(title) : title,
    user: typeof user === "string" ? escaped(user) : user,
  });
}
