import type { HistoryStore, JsonValue } from "@agent-history/core";

import { commitProgram, expandProgram } from "../compaction-programs.ts";
import type { CompactionChange, CompactionKnown } from "../compaction-programs.ts";
import { isKnownBatch, prepareBatch } from "../prepare-batch.ts";
import type { PreparedBatch } from "../prepare-batch.ts";
import { prepareReplacement } from "../prepare-replacement.ts";
import { readProgram } from "../read-program.ts";
import { replaceProgram } from "../replace-program.ts";
import type { SuffixChange, SuffixKnown } from "../replace-program.ts";
import { countsOf } from "../replaced-entries.ts";
import { requireVersion } from "../require-version.ts";
import { runProgram } from "../run-program.ts";
import type { StoreProgram } from "../store-program.ts";
import { summariesProgram } from "../summaries-program.ts";
import { verifyProgram } from "../verify-program.ts";
import { answerFromTables } from "./answer-from-tables.ts";
import type { JournalLogs } from "./journal-logs.ts";
import type { JournalEntries } from "./journal-record.ts";
import { requireAlive, requireThere } from "./require-thread.ts";
import type { Decision } from "./thread-log.ts";
import type { ThreadTables } from "./thread-tables.ts";

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
export function logVerbs(logs: JournalLogs): LogVerbs {
  const verify: HistoryStore["verify"] = async (threadId, { signal } = {}) =>
    logs.open(threadId, signal).check((tables, broken) => {
      requireAlive(tables);
      return [...broken, ...run(tables, verifyProgram())];
    }, signal);
  return {
    verify,
    // Its index is worked out whenever the log is read.
    reindex: verify,
    append: async (threadId, entries, { expectedVersion = "any", tokens, signal } = {}) => {
      const log = logs.open(threadId, signal);
      const batch = prepareBatch(entries, { tokens });
      return log.write((tables) => {
        requireAlive(tables);
        const { version, entryCount: position } = countsOf(tables.head);
        const isKnown = isKnownBatch(batch, knownOf(tables, batch), replacedOf(tables, batch));
        if (!isKnown) requireVersion(expectedVersion, tables.exists ? version : undefined);
        const added = isKnown ? 0 : entries.length;
        const result = { version: version + added, duplicate: isKnown };
        if (added === 0) return { result };
        return { result, change: { kind: "append", position, ...entriesOf(batch) } };
      }, signal);
    },

    replaceSuffix: async (threadId, { signal, expectedVersion, ...options }) => {
      const log = logs.open(threadId, signal);
      const prepared = prepareReplacement(options);
      return log.write((tables) => {
        requireThere(tables);
        return suffixDecision(
          run(tables, replaceProgram({ ...prepared, expectedVersion })),
          prepared.batch,
        );
      }, signal);
    },

    read: async (threadId, { query, originals, signal } = {}) =>
      logs.open(threadId, signal).read((tables, broken) => {
        requireAlive(tables);
        const { result } = run(tables, readProgram({ query, originals }));
        return { ...result, problems: [...broken, ...result.problems] };
      }, signal),

    ...viewVerbs(logs),
  };
}

function viewVerbs(
  logs: JournalLogs,
): Pick<HistoryStore, "commitCompaction" | "expand" | "listSummaries"> {
  return {
    commitCompaction: async (threadId, { signal, ...compaction }) =>
      logs.open(threadId, signal).write((tables) => {
        requireThere(tables);
        return viewDecision(run(tables, commitProgram(compaction)));
      }, signal),

    expand: async (threadId, summaryId, { signal } = {}) =>
      logs.open(threadId, signal).write((tables) => {
        requireThere(tables);
        return viewDecision(run(tables, expandProgram({ summaryId })));
      }, signal),

    listSummaries: async (threadId, { signal } = {}) =>
      logs.open(threadId, signal).read((tables) => {
        requireAlive(tables);
        return run(tables, summariesProgram());
      }, signal),
  };
}

function run<Result>(tables: ThreadTables, program: StoreProgram<Result>): Result {
  return runProgram(program, (fetch) => answerFromTables(tables, fetch));
}

function suffixDecision(
  outcome: SuffixChange | SuffixKnown,
  batch: PreparedBatch,
): Decision<{ readonly version: number }> {
  const result = { version: outcome.version };
  if (outcome.kind === "known") return { result };
  const { position, operation, removed, states } = outcome;
  const change = { position, operation, removed: removed.map(({ id }) => id), states: [...states] };
  return { result, change: { kind: "replace", ...change, ...entriesOf(batch) } };
}

/** What stood under the ids of a batch and was replaced. */
function replacedOf({ replaced }: ThreadTables, { entries }: PreparedBatch): typeof replaced {
  if (replaced.size === 0) return replaced;
  return new Map(
    entries.flatMap(({ entry: { id } }) => {
      const earlier = replaced.get(id);
      return earlier === undefined ? [] : [[id, earlier] as const];
    }),
  );
}

function viewDecision(
  outcome: CompactionChange | CompactionKnown,
): Decision<{ readonly viewRevision: number }> {
  const { viewRevision } = outcome;
  if (outcome.kind === "known") return { result: { viewRevision } };
  return { result: { viewRevision: viewRevision + 1 }, change: { ...outcome, kind: "view" } };
}

/** The stored form of those ids of a batch that the thread has, as entries or as summaries. */
function knownOf(tables: ThreadTables, { entries }: PreparedBatch): ReadonlyMap<string, string> {
  const known = new Map(tables.summaries.map(({ id, json }) => [id, json]));
  for (const { entry } of entries) {
    const row = tables.rows[tables.ids.get(entry.id) ?? -1];
    if (row !== undefined) known.set(entry.id, row.json);
  }
  return known;
}

function entriesOf({ entries }: PreparedBatch): JournalEntries {
  const stored = entries.map(({ json }): JsonValue => JSON.parse(json));
  const isCounted = entries.some(({ tokens }) => tokens !== undefined);
  if (!isCounted) return { entries: stored };
  return { entries: stored, tokens: entries.map(({ tokens }) => tokens ?? null) };
}
