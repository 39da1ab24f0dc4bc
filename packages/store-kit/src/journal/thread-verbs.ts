import type { HistoryStore, JsonValue } from "@agent-history/core";
import { HistoryError } from "@agent-history/core";

import { forkProgram } from "../fork-program.ts";
import { countsOf } from "../replaced-entries.ts";
import { requireForkOptions } from "../require-fork-options.ts";
import { runProgram } from "../run-program.ts";
import { answerFromTables } from "./answer-from-tables.ts";
import type { JournalLogs } from "./journal-logs.ts";
import type { JournalChange } from "./journal-record.ts";
import { requireAlive, requireThere } from "./require-thread.ts";
import type { ThreadTables } from "./thread-tables.ts";

type ThreadVerbs = Pick<HistoryStore, "fork" | "delete">;

/** The verbs about whole threads. */
export function threadVerbs(logs: JournalLogs): ThreadVerbs {
  return {
    fork: async (threadId, { at, as, signal }) => {
      const parent = logs.open(threadId, signal);
      requireForkOptions({ at, as });
      const forkId = `${threadId}/${as}`;
      const fork = logs.open(forkId, signal);
      await parent.read(requireThere, signal);
      await fork.read(requireNone, signal);
      const change = await parent.read((tables) => forkOf(tables, at), signal);
      return fork.write((tables) => {
        requireNone(tables);
        return { result: { threadId: forkId }, change };
      }, signal);
    },

    delete: async (threadId, { signal } = {}) =>
      logs.open(threadId, signal).write(({ isDeleted }) => {
        const result = undefined;
        return isDeleted ? { result } : { result, change: { kind: "delete" } };
      }, signal),
  };
}

/** All that a fork shares, as one change: from there on it goes its own way, also where the thread is deleted. */
function forkOf(tables: ThreadTables, at: string): JournalChange {
  requireThere(tables);
  const index = runProgram(forkProgram({ at }), (fetch) => answerFromTables(tables, fetch));
  const rows = Array.from({ length: index.version }, (_, position) => tables.rows[position]);
  return {
    kind: "fork",
    entries: rows.map((row): JsonValue => JSON.parse(row?.json ?? "null")),
    tokens: rows.map((row) => row?.tokens ?? null),
    about: tables.about,
    overlays: index.overlays,
    states: [...index.states],
  };
}

function requireNone(tables: ThreadTables): void {
  requireAlive(tables);
  if (!tables.exists) return;
  throw new HistoryError("Expected no thread with the fork's name. Choose another for `as`.", {
    code: "VERSION_CONFLICT",
    details: { expected: "none", actual: countsOf(tables.head).version },
  });
}
