import type { StoredEntryProblem } from "@agent-history/core";
import { repairProgram, runProgramAsync } from "@agent-history/store-kit/indexed";
import type { IndexRepair } from "@agent-history/store-kit/indexed";

import type { Connection } from "./connection.ts";
import { indexArguments } from "./index-arguments.ts";
import { rowKey } from "./row-key.ts";
import { textOf } from "./row-values.ts";
import { busy } from "./thread-errors.ts";
import { threadReader, whileMoved } from "./thread-reader.ts";
import { countRetry } from "./trace-verb.ts";

/** How often another process may write to the thread first. */
const MOST_TRIES = 50;

/** Works the index of a thread out from its log, and writes what differs, where the thread is still what it was; else once more. Gives what is wrong afterwards. */
export async function reindexThread(
  connection: Connection,
  threadId: string,
  signal: AbortSignal | undefined,
): Promise<readonly StoredEntryProblem[]> {
  const { schema, write } = connection;
  const sql = `SELECT * FROM ${schema}.reindex($1::text, $2::text, $3::text::json)`;
  const derive = (): Promise<IndexRepair> =>
    whileMoved(() =>
      runProgramAsync(repairProgram(), threadReader(connection, threadId, { signal }).answer),
    );
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const { problems, repair } = await derive();
    if (problems.length === 0 || repair === undefined) return problems;
    const values = [rowKey(threadId), repair.base ?? null, repairArguments(repair)];
    const [row] = await write(sql, values, signal);
    if (textOf(row, "kind") === "written") return (await derive()).problems;
    countRetry();
  }
  throw busy();
}

/** Writes a repair as the function takes it. */
function repairArguments({
  head,
  index,
  differences,
  states,
}: NonNullable<IndexRepair["repair"]>): string {
  const { facts, streams, views } = differences;
  return JSON.stringify({
    ...indexArguments({
      version: 0,
      head,
      facts: new Map(facts.map((key) => [key, index.facts.get(key) ?? ""])),
      references: new Map(streams.map((name) => [name, index.references.get(name) ?? []])),
    }),
    streams: streams.map(rowKey),
    views: views.map((view) => ({ view: rowKey(view), state: states.get(view) ?? "" })),
  });
}
