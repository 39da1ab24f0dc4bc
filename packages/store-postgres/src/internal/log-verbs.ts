import type { HistoryStore } from "@agent-history/core";
import { requireName } from "@agent-history/core/schema";
import {
  commitProgram,
  expandProgram,
  prepareBatch,
  prepareReplacement,
  readProgram,
  runProgramAsync,
  seenVersions,
  summariesProgram,
  verifyProgram,
  WHOLE_LOG_READS,
} from "@agent-history/store-kit/indexed";
import type { SeenVersions } from "@agent-history/store-kit/indexed";

import { appendBatch } from "./append-batch.ts";
import { changeView } from "./change-view.ts";
import type { Connection } from "./connection.ts";
import { guessArguments } from "./guess-arguments.ts";
import { knownThreads } from "./known-threads.ts";
import { reindexThread } from "./reindex-thread.ts";
import { replaceSuffix } from "./replace-suffix.ts";
import { threadReader, whileMoved } from "./thread-reader.ts";
import { traceVerb } from "./trace-verb.ts";
import type { WriteQueue } from "./write-queue.ts";

type LogVerbs = Pick<
  HistoryStore,
  "append" | "replaceSuffix" | "read" | "commitCompaction" | "expand" | "listSummaries" | "verify"
> & { readonly reindex: HistoryStore["verify"] };

/** The verbs that write and read a thread's log and its views. */
export function logVerbs(connection: Connection, queue: WriteQueue): LogVerbs {
  const seen = seenVersions();
  const known = knownThreads();
  return {
    append: async (threadId, entries, { expectedVersion = "any", tokens, signal } = {}) =>
      traceVerb(
        "append",
        { "agent_history.entries": entries.length },
        async () => {
          connection.enter(signal);
          requireName("threadId", threadId);
          const batch = prepareBatch(entries, tokens === undefined ? {} : { tokens });
          const result = await queue.run(threadId, signal, () => {
            const to = { threadId, batch, expectedVersion, seen: seen.of(threadId), signal };
            return appendBatch(connection, known, to);
          });
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
          const result = await queue.run(threadId, signal, () =>
            whileMoved(() => {
              const to = { threadId, expectedVersion, seen: seen.of(threadId), signal };
              return replaceSuffix(connection, { ...prepared, ...to });
            }),
          );
          seen.note(threadId, result.version);
          return result;
        },
      ),
    read: readVerb(connection, seen),
    ...viewVerbs(connection, queue),
    verify: async (threadId, { signal } = {}) =>
      traceVerb("verify", {}, async () => {
        connection.enter(signal);
        requireName("threadId", threadId);
        return whileMoved(() => {
          const reader = threadReader(connection, threadId, { signal });
          return runProgramAsync(verifyProgram(), reader.answer, signal);
        });
      }),
    reindex: async (threadId, { signal } = {}) =>
      traceVerb("reindex", {}, async () => {
        connection.enter(signal);
        requireName("threadId", threadId);
        return reindexThread(connection, threadId, signal);
      }),
  };
}

function readVerb(connection: Connection, seen: SeenVersions): HistoryStore["read"] {
  return async (threadId, { query, originals = false, signal } = {}) => {
    const { result } = await traceVerb(
      "read",
      { "agent_history.originals": originals },
      async () => {
        connection.enter(signal);
        requireName("threadId", threadId);
        const guesses = query === undefined ? [] : guessArguments(query, originals);
        return whileMoved(async () => {
          const program = readProgram({ originals, ...(query !== undefined && { query }) });
          const reader = threadReader(connection, threadId, { guesses, signal });
          // On another connection an append may be answered while this read is under way.
          const before = seen.of(threadId);
          const outcome = await runProgramAsync(program, reader.answer, signal);
          seen.check(threadId, outcome.result.version, before);
          return { ...outcome, fetched: reader.fetched() };
        });
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
  queue: WriteQueue,
): Pick<HistoryStore, "commitCompaction" | "expand" | "listSummaries"> {
  return {
    commitCompaction: async (threadId, { signal, ...compaction }) =>
      traceVerb(
        "commitCompaction",
        { "agent_history.runs": compaction.covers.length },
        async () => {
          connection.enter(signal);
          requireName("threadId", threadId);
          return queue.run(threadId, signal, () =>
            whileMoved(() =>
              changeView(connection, { threadId, signal }, () => commitProgram(compaction)),
            ),
          );
        },
      ),
    expand: async (threadId, summaryId, { signal } = {}) =>
      traceVerb("expand", {}, async () => {
        connection.enter(signal);
        requireName("threadId", threadId);
        return queue.run(threadId, signal, () =>
          whileMoved(() =>
            changeView(connection, { threadId, signal }, () => expandProgram({ summaryId })),
          ),
        );
      }),
    listSummaries: async (threadId, { signal } = {}) =>
      traceVerb("listSummaries", {}, async () => {
        connection.enter(signal);
        requireName("threadId", threadId);
        return whileMoved(() => {
          const reader = threadReader(connection, threadId, { signal });
          return runProgramAsync(summariesProgram(), reader.answer, signal);
        });
      }),
  };
}
