import type { StoreDescription } from "@agent-history/core";

import type { OpenOptions } from "./open-database.ts";
import { numberOf } from "./sql.ts";
import type { Sql } from "./sql.ts";

/** Tells what a file is and what is really in force, as SQLite says. */
export function describeFile(sql: Sql, { path, survivesPowerLoss }: OpenOptions): StoreDescription {
  const pragma = (name: string): string | number => {
    const value = sql.get(`PRAGMA ${name}`)?.[name];
    return typeof value === "string" || typeof value === "number" ? value : "";
  };
  const journalMode = pragma("journal_mode");
  const threads = sql.get("SELECT count(*) AS count FROM threads WHERE deleted = 0");
  return {
    kind: "sqlite",
    durability: durabilityOf(journalMode === "memory", survivesPowerLoss),
    details: {
      path,
      sqliteVersion: process.versions["sqlite"] ?? "",
      fileVersion: pragma("user_version"),
      journalMode,
      synchronous: pragma("synchronous"),
      bytes: Number(pragma("page_count")) * Number(pragma("page_size")),
      threads: numberOf(threads, "count"),
    },
  };
}

function durabilityOf(isInMemory: boolean, survivesPowerLoss: boolean): string {
  if (isInMemory) return "Nothing survives the end of the handle.";
  return survivesPowerLoss
    ? "A write that was acknowledged is on the disk: a crash of the process, or of the machine, loses none."
    : "A crash of the process loses nothing; a crash of the machine may cost the newest writes, whole batches of them.";
}
