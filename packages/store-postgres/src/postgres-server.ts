import type { StoreDescription } from "@agent-history/core";

import type { Query } from "./postgres-driver.ts";

/** Describes the server, with the settings that are in effect on this connection. */
export async function describeServer(query: Query, schema: string): Promise<StoreDescription> {
  const [row = {}] = await query(
    "read",
    `SELECT current_setting('server_version') AS version, current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commits, current_setting('synchronous_standby_names') AS standbys, (SELECT count(*)::int FROM ${schema}.threads WHERE updated IS NOT NULL) AS threads, (SELECT max(v.version) FROM ${schema}.schema_version v) AS tables`,
    [],
  );
  const textOf = (column: string): string => {
    const value = row[column];
    return typeof value === "string" ? value : "";
  };
  const [fsync, commits, standbys] = [textOf("fsync"), textOf("commits"), textOf("standbys")];
  return {
    kind: "postgres",
    durability: durabilityOf(fsync, commits, standbys),
    details: {
      schema,
      schemaVersion: Number(row["tables"]),
      serverVersion: textOf("version"),
      fsync,
      synchronousCommit: commits,
      synchronousStandbyNames: standbys,
      threads: Number(row["threads"]),
    },
  };
}

function durabilityOf(fsync: string, commits: string, standbys: string): string {
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
