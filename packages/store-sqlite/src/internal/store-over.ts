import type { HistoryStore } from "@agent-history/core";

import type { Connection } from "./connection.ts";
import { describeFile } from "./describe-file.ts";
import { logVerbs } from "./log-verbs.ts";
import type { OpenOptions } from "./open-database.ts";
import { threadVerbs } from "./thread-verbs.ts";
import { traceVerb } from "./trace-verb.ts";

/** Makes a store of a connection. */
export function storeOver(connection: Connection, options: OpenOptions): HistoryStore {
  return {
    ...logVerbs(connection),
    ...threadVerbs(connection),
    describe: async () =>
      traceVerb("describe", {}, async () => connection.read((sql) => describeFile(sql, options))),
    close: connection.close,
  };
}
