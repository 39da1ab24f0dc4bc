import type { HistoryStore } from "@agent-history/core";
import { requireName } from "@agent-history/core/schema";
import { forkProgram, requireForkOptions, runProgramAsync } from "@agent-history/store-kit/indexed";

import type { Connection } from "./connection.ts";
import { forkArguments } from "./fork-arguments.ts";
import { metadataVerbs } from "./metadata-verbs.ts";
import type { MetadataVerbs } from "./metadata-verbs.ts";
import { fullIdOf, rowKey } from "./row-key.ts";
import { numberOf, textOf } from "./row-values.ts";
import { stateVerbs } from "./state-verbs.ts";
import type { StateVerbs } from "./state-verbs.ts";
import { conflict, threadDeleted, threadMissing } from "./thread-errors.ts";
import { MOVED, threadReader, whileMoved } from "./thread-reader.ts";
import { traceVerb } from "./trace-verb.ts";
import type { WriteQueue } from "./write-queue.ts";

type ThreadVerbs = StateVerbs & MetadataVerbs & Pick<HistoryStore, "fork" | "delete">;

/** The verbs about whole threads and what stands beside their logs. */
export function threadVerbs(connection: Connection, queue: WriteQueue): ThreadVerbs {
  const { schema } = connection;
  return {
    ...stateVerbs(connection, queue),
    fork: forkVerb(connection, queue),
    ...metadataVerbs(connection, queue),
    delete: async (threadId, { signal } = {}) =>
      traceVerb("delete", {}, async () => {
        connection.enter(signal);
        requireName("threadId", threadId);
        const values = [rowKey(threadId), fullIdOf(threadId)];
        await queue.run(threadId, signal, () =>
          connection.write(
            `SELECT ${schema}.delete_thread($1::text, $2::text)::text`,
            values,
            signal,
          ),
        );
      }),
  };
}

function forkVerb(connection: Connection, queue: WriteQueue): HistoryStore["fork"] {
  const sql = `SELECT * FROM ${connection.schema}.fork($1::text, $2::text, $3::text, $4::text::json)`;
  return async (threadId, { at, as, signal }) =>
    traceVerb("fork", {}, async () => {
      connection.enter(signal);
      requireName("threadId", threadId);
      requireForkOptions({ at, as });
      const forkId = `${threadId}/${as}`;
      requireName("threadId", forkId);
      return queue.run(threadId, signal, () =>
        whileMoved(async () => {
          const reader = threadReader(connection, threadId, { isRequired: true, signal });
          const index = await runProgramAsync(forkProgram({ at }), reader.answer, signal);
          const replacements = reader.found()?.replacements ?? 0;
          const names = [rowKey(threadId), rowKey(forkId), fullIdOf(forkId)];
          const values = [...names, await forkArguments(index, replacements)];
          const [row] = await connection.write(sql, values, signal);
          const kind = textOf(row, "kind");
          if (kind === "written") return { threadId: forkId };
          if (kind === "deleted") throw threadDeleted();
          if (kind === "missing") throw threadMissing();
          if (kind === "moved") throw MOVED;
          throw conflict("fork's version", "none", numberOf(row, "n"));
        }),
      );
    });
}
