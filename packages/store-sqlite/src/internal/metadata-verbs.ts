import { countOption } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";
import { requireMetadata } from "@agent-history/core/stored-form";
import { listInPages } from "@agent-history/store-kit";

import type { Connection } from "./connection.ts";
import { listNewest, listThreads } from "./list-threads.ts";
import type { KeyPage } from "./page-of-keys.ts";
import type { Sql } from "./sql.ts";
import { readMetadata, writeMetadata } from "./thread-metadata.ts";
import { traceVerb } from "./trace-verb.ts";

/** The verbs about what a list shows of threads. */
export type MetadataVerbs = Pick<HistoryStore, "getMetadata" | "setMetadata" | "list">;

/** Makes them. */
export function metadataVerbs(connection: Connection): MetadataVerbs {
  return {
    getMetadata: async (threadId, { signal } = {}) =>
      traceVerb("getMetadata", {}, async () =>
        connection.read((sql) => readMetadata(sql, threadId), signal),
      ),
    setMetadata: async (threadId, change, { signal } = {}) =>
      traceVerb("setMetadata", {}, async () => {
        connection.enter(signal);
        const sound = requireMetadata(change);
        return connection.write((sql) => writeMetadata(sql, threadId, sound), signal);
      }),
    list: async ({ prefix = "", user, newestFirst, cursor, limit = 100, signal } = {}) =>
      traceVerb(
        "list",
        {},
        async () => {
          connection.enter(signal);
          const count = countOption("limit", limit);
          const isByTime = newestFirst === true || user !== undefined;
          const read = (sql: Sql, page: Pick<KeyPage, "cursor" | "limit">) =>
            isByTime
              ? listNewest(sql, { prefix, user, ...page })
              : listThreads(sql, { prefix, ...page });
          return listInPages({ cursor, limit: count }, (page) =>
            connection.read((sql) => read(sql, page), signal),
          );
        },
        ({ threads }) => ({ "agent_history.threads": threads.length }),
      ),
  };
}
