import type { HistoryStore } from "@agent-history/core";

import type { Connection } from "./connection.ts";
import { describeServer } from "./describe-server.ts";
import { logVerbs } from "./log-verbs.ts";
import { threadVerbs } from "./thread-verbs.ts";
import { traceVerb } from "./trace-verb.ts";
import { writeQueue } from "./write-queue.ts";

/** Makes a store of a connection. */
export function storeOver(connection: Connection): HistoryStore {
  const queue = writeQueue();
  return {
    ...logVerbs(connection, queue),
    ...threadVerbs(connection, queue),
    ping: async ({ signal } = {}) =>
      traceVerb("ping", {}, async () => {
        connection.enter(signal);
        await connection.read(`SELECT 1 FROM ${connection.schema}.schema_version`, [], signal);
      }),
    describe: async () =>
      traceVerb("describe", {}, async () => {
        connection.enter(undefined);
        return describeServer(connection);
      }),
    close: async () => {
      connection.close();
      await queue.idle();
    },
  };
}
