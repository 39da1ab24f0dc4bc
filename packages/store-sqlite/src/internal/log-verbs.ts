import type { HistoryStore } from "@agent-history/core";
import { requireName } from "@agent-history/core/stored-form";
import {
  prepareBatch,
  prepareReplacement,
  readProgram,
  seenVersions,
  summariesProgram,
  verifyProgram,
  WHOLE_LOG_READS,
} from "@agent-history/store-kit";
import type { Answer, Fetch, SeenVersions } from "@agent-history/store-kit";

import { answerFetch } from "./answer-fetch.ts";
import { appendBatch } from "./append-batch.ts";
import { commitCompaction, expandSummary } from "./change-view.ts";
import type { Connection } from "./connection.ts";
import { driveProgram } from "./drive-program.ts";
import type { OpenThread } from "./drive-program.ts";
import { reindexThread } from "./reindex-thread.ts";
import { replaceSuffix } from "./replace-suffix.ts";
import type { Sql } from "./sql.ts";
import { findThread, requireThread } from "./thread-row.ts";
import { traceVerb } from "./trace-verb.ts";

type LogVerbs = Pick<
  HistoryStore,
  | "append"
  | "replaceSuffix"
  | "read"
  | "commitCompaction"
  | "expand"
  | "listSummaries"
  | "verify"
  | "reindex"
>;

/** The verbs that write and read a thread's log and its views. */
export function logVerbs(connection: Connection): LogVerbs {
  const seen = seenVersions();
  return {
    append: async (threadId, entries, { expectedVersion = "any", tokens, signal } = {}) =>
      traceVerb(
        "append",
        { "agent_history.entries": entries.length },
        async () => {
          connection.enter(signal);
          requireName("threadId", threadId);
          const batch = prepareBatch(entries, tokens === undefined ? {} : { tokens });
          const result = await connection.write((sql) => {
            const thread = findThread(sql, threadId);
            seen.check(threadId, thread?.version ?? 0);
            return appendBatch(sql, { threadId, thread, batch, expectedVersion });
          }, signal);
          seen.note(threadId, result.version);
          return result;
        },
        ({ duplicate }) => ({ "agent_history.duplicate": duplicate }),
      ),
    replaceSuffix: async (threadId, { signal, expectedVersion, ...options }) =>
      traceVerb(
        "replaceSuffix",
        { "agent_history.entries": options.replacement.length },
        async () => {
          connection.enter(signal);
          requireName("threadId", threadId);
          const prepared = prepareReplacement(options);
          const result = await connection.write((sql) => {
            const thread = requireThread(sql, threadId);
            seen.check(threadId, thread.version);
            return replaceSuffix(sql, thread, { ...prepared, expectedVersion });
          }, signal);
          seen.note(threadId, result.version);
          return result;
        },
      ),
    read: readVerb(connection, seen),
    ...viewVerbs(connection),
    verify: async (threadId, { signal } = {}) =>
      traceVerb("verify", {}, async () => {
        const open = openThread(threadId);
        return driveProgram(connection, { begin: verifyProgram, open, signal });
      }),
    reindex: async (threadId, { signal } = {}) =>
      traceVerb("reindex", {}, async () =>
        connection.alone((within) => reindexThread(within, threadId, signal), signal),
      ),
  };
}

function openThread(threadId: string): (sql: Sql) => OpenThread {
  return (sql) => {
    const thread = findThread(sql, threadId);
    return { thread, answer: (fetch) => answerFetch(sql, thread, fetch) };
  };
}

function readVerb(connection: Connection, seen: SeenVersions): HistoryStore["read"] {
  return async (threadId, { query, originals = false, signal } = {}) => {
    const { result } = await traceVerb(
      "read",
      { "agent_history.originals": originals },
      async () => {
        let fetched = 0;
        const open = (sql: Sql) => {
          const thread = findThread(sql, threadId);
          seen.check(threadId, thread?.version ?? 0);
          const counting = (fetch: Fetch): Answer => {
            const answer = answerFetch(sql, thread, fetch);
            if (answer.kind === "entries") fetched += answer.rows.length;
            return answer;
          };
          return { thread, answer: counting };
        };
        const begin = () => readProgram({ query, originals });
        return { ...(await driveProgram(connection, { begin, open, signal })), fetched };
      },
      ({ result: { entries, problems }, fallback, fetched }) => ({
        "agent_history.entries": entries.length,
        "agent_history.entries.fetched": fetched,
        "agent_history.problems": problems.length,
        ...(fallback !== undefined && { [WHOLE_LOG_READS]: fallback }),
      }),
    );
    seen.note(threadId, result.version);
    return result;
  };
}

function viewVerbs(
  connection: Connection,
): Pick<HistoryStore, "commitCompaction" | "expand" | "listSummaries"> {
  return {
    commitCompaction: async (threadId, { signal, ...compaction }) =>
      traceVerb("commitCompaction", { "agent_history.runs": compaction.covers.length }, async () =>
        connection.write((sql) => commitCompaction(sql, threadId, compaction), signal),
      ),
    expand: async (threadId, summaryId, { signal } = {}) =>
      traceVerb("expand", {}, async () =>
        connection.write((sql) => expandSummary(sql, threadId, summaryId), signal),
      ),
    listSummaries: async (threadId, { signal } = {}) =>
      traceVerb("listSummaries", {}, async () => {
        const open = openThread(threadId);
        return driveProgram(connection, { begin: summariesProgram, open, signal });
      }),
  };
}
