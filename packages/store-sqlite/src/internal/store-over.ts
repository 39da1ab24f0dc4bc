import type { SqliteStore } from "../sqlite-store.ts";
import type { Connection } from "./connection.ts";
import { describeFile } from "./describe-file.ts";
import { logVerbs } from "./log-verbs.ts";
import type { OpenOptions } from "./open-database.ts";
import { threadVerbs } from "./thread-verbs.ts";
import { traceVerb } from "./trace-verb.ts";

/** Makes a store of a connection. */
export function storeOver(connection: Connection, options: OpenOptions): SqliteStore {
  return {
    ...logVerbs(connection),
    ...threadVerbs(connection),
    ping: async ({ signal } = {}) =>
      traceVerb("ping", {}, async () => {
        await connection.read((sql) => sql.get("SELECT 1 FROM threads LIMIT 1"), signal);
      }),
    describe: async () =>
      traceVerb("describe", {}, async () => connection.read((sql) => describeFile(sql, options))),
    backup: async (path, { signal } = {}) =>
      traceVerb("backup", {}, async () => connection.copy(path, signal)),
    close: connection.close,
  };
}
