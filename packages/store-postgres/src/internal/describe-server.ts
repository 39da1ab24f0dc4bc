import type { StoreDescription } from "@agent-history/core";

import type { Connection } from "./connection.ts";
import { numberOf, textOf } from "./row-values.ts";

/** Tells what the server is and what is really in force on this connection. */
export async function describeServer({ schema, read }: Connection): Promise<StoreDescription> {
  const [row] = await read(
    `SELECT current_setting('server_version') AS version, current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commits, current_setting('synchronous_standby_names') AS standbys, (SELECT count(*)::int FROM ${schema}.threads WHERE NOT deleted) AS threads, (SELECT max(v.version) FROM ${schema}.schema_version v) AS tables`,
    [],
  );
  const [fsync = "", commits = "", standbys = ""] = ["fsync", "commits", "standbys"].map((name) =>
    textOf(row, name),
  );
  return {
    kind: "postgres",
    durability: durabilityOf({ fsync, commits, standbys }),
    details: {
      schema,
      schemaVersion: numberOf(row, "tables"),
      serverVersion: textOf(row, "version") ?? "",
      fsync,
      synchronousCommit: commits,
      synchronousStandbyNames: standbys,
      threads: numberOf(row, "threads"),
    },
  };
}

function durabilityOf({
  fsync,
  commits,
  standbys,
}: {
  readonly fsync: string;
  readonly commits: string;
  readonly standbys: string;
}): string {
  if (commits === "off") {
    return "synchronous_commit is off: a crash of the server may lose the writes of the last moments, whole batches of them.";
  }
  if (fsync === "off") {
    return "fsync is off: a crash of the server's process loses nothing, a crash of its machine may lose and damage anything.";
  }
  const local = "An acknowledged write is on the server's disk: a crash of its machine loses none.";
  if (standbys === "" || commits === "local") {
    return `${local} Without a synchronous standby, a failover may lose the newest writes.`;
  }
  return `${local} It also waited for the synchronous standbys (${commits}), unless that wait was canceled.`;
}
