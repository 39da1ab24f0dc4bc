import { numberOf } from "./sql.ts";
import type { Sql } from "./sql.ts";
import type { ThreadRow } from "./thread-row.ts";

/** Copies what forks share of a thread from a position on, into their own rows. Within a transaction. */
export function giveToForks(sql: Sql, { thread, stretches }: ThreadRow, position: number): void {
  const forks = sql.all(
    "SELECT thread, min(shared, version) AS until FROM threads WHERE parent = ? AND shared > ?",
    thread,
    position,
  );
  for (const row of forks) {
    const fork = numberOf(row, "thread");
    for (const { thread: owner, from, to } of stretches) {
      sql.run(
        "INSERT INTO entries (thread, position, id, json, tokens, sum) SELECT ?, position, id, json, tokens, sum FROM entries WHERE thread = ? AND position >= ? AND position < ?",
        fork,
        owner,
        Math.max(from, position),
        Math.min(to, numberOf(row, "until")),
      );
    }
    sql.run("UPDATE threads SET shared = ? WHERE thread = ?", position, fork);
  }
}
