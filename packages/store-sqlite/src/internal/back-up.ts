import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";

import { HistoryError } from "@agent-history/core";

import { asHistoryError, isLocked } from "./sqlite-failure.ts";

/** Refuses what names no new file. */
function requireNewFile(path: unknown): void {
  if (typeof path !== "string" || path === "" || path.startsWith(":")) {
    throw invalid("Expected `path` to name a file.");
  }
  if (existsSync(path)) throw invalid("Expected `path` to name a file that is not there yet.");
}

/** Copies a database as one moment has it to a file that is not there, which has its name once it is whole and on the disk. */
export function copyDatabase(database: DatabaseSync, path: string): void {
  requireNewFile(path);
  const partial = `${path}.partial-${crypto.randomUUID()}`;
  try {
    database.prepare("VACUUM INTO ?").run(partial);
    const file = openSync(partial, "r+");
    fsyncSync(file);
    closeSync(file);
    renameSync(partial, path);
  } catch (error) {
    rmSync(partial, { force: true });
    throw isLocked(error) ? error : asUnavailable(asHistoryError(error, "open"));
  }
}

/** What the file system says of the copy. */
function asUnavailable(error: unknown): unknown {
  const isSystem = error instanceof Error && "syscall" in error;
  if (!isSystem) return error;
  return new HistoryError("The backup could not be written. Nothing was changed.", {
    code: "STORE_UNAVAILABLE",
    details: { outcome: "not-sent", reason: "disk" },
    cause: error,
  });
}

function invalid(message: string): HistoryError {
  return new HistoryError(`${message} Nothing was written.`, {
    code: "INVALID_OPTION",
    details: { option: "path" },
  });
}
