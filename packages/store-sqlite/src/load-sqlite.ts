import type { DatabaseSync } from "node:sqlite";

import { HistoryError } from "@agent-history/core";

/** What this package uses of `node:sqlite`. */
export interface SqliteModule {
  readonly DatabaseSync: new (path: string) => DatabaseSync;
}

/** The part of `process` that finds and announces modules. */
export interface ModuleHost {
  readonly version: string;
  getBuiltinModule(id: "node:sqlite"): SqliteModule | undefined;
  emitWarning: (warning: string, type?: string) => void;
}

/**
 * Loads `node:sqlite`, without the warning that Node 22 gives for it.
 *
 * @throws `HistoryError` with code `STORE_UNAVAILABLE` if this Node has none.
 */
export function loadSqlite(host: ModuleHost = process): SqliteModule {
  const { emitWarning } = host;
  host.emitWarning = () => {};
  try {
    const sqlite = host.getBuiltinModule("node:sqlite");
    if (sqlite !== undefined) return sqlite;
  } finally {
    host.emitWarning = emitWarning;
  }
  throw new HistoryError(
    `Expected Node 22.13 or newer, which has node:sqlite; this is Node ${host.version}. Update Node, or use another store.`,
    { code: "STORE_UNAVAILABLE", details: { outcome: "not-sent", reason: "no-node-sqlite" } },
  );
}
