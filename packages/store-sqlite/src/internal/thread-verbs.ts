import { countOption } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";
import { requireName } from "@agent-history/core/stored-form";
import { encodeState, requireForkOptions } from "@agent-history/store-kit";

import type { Connection } from "./connection.ts";
import { deleteThread } from "./delete-thread.ts";
import { forkThread } from "./fork-thread.ts";
import { metadataVerbs } from "./metadata-verbs.ts";
import type { MetadataVerbs } from "./metadata-verbs.ts";
import { listState, readState, writeState } from "./thread-state.ts";
import { traceVerb } from "./trace-verb.ts";

type ThreadVerbs = MetadataVerbs &
  Pick<HistoryStore, "getState" | "setState" | "listState" | "fork" | "delete">;

/** The verbs about whole threads and what stands beside their logs. */
export function threadVerbs(connection: Connection): ThreadVerbs {
  return {
    getState: async (threadId, key, { signal } = {}) =>
      traceVerb("getState", {}, async () => {
        requireName("key", key);
        return connection.read((sql) => readState(sql, threadId, key), signal);
      }),
    setState: async (threadId, key, value, { expectedRevision, signal }) =>
      traceVerb("setState", {}, async () => {
        connection.enter(signal);
        requireName("key", key);
        const json = value === undefined ? undefined : encodeState(value);
        return connection.write(
          (sql) => writeState(sql, threadId, key, { json, expectedRevision }),
          signal,
        );
      }),
    listState: async (threadId, { prefix = "", cursor, limit = 100, signal } = {}) =>
      traceVerb("listState", {}, async () => {
        connection.enter(signal);
        const page = { prefix, cursor, limit: countOption("limit", limit) };
        return connection.read((sql) => listState(sql, threadId, page), signal);
      }),
    fork: async (threadId, { at, as, signal }) =>
      traceVerb("fork", {}, async () => {
        connection.enter(signal);
        requireForkOptions({ at, as });
        return connection.alone(
          (within) => forkThread(within, threadId, { at, as }, signal),
          signal,
        );
      }),
    ...metadataVerbs(connection),
    delete: async (threadId, { signal } = {}) =>
      traceVerb("delete", {}, async () =>
        connection.alone(async (within) => deleteThread(within, threadId, signal), signal),
      ),
  };
}
