// The contract of the store kit, for those who write a store: each line is public.

// Writing
export { BATCH_LIMITS, isKnownBatch, prepareBatch } from "./prepare-batch.ts";
export type { PreparedBatch, PreparedEntry, PrepareOptions } from "./prepare-batch.ts";
export { factKeys, indexBatch, versionOf } from "./index-batch.ts";
export type { IndexedBatch, IndexInput } from "./index-batch.ts";
export { countsOf, replacementsIn, withReplacements } from "./replaced-entries.ts";
export type { Replacements, ThreadCounts } from "./replaced-entries.ts";
export { requireVersion } from "./require-version.ts";
export { messageOfFact } from "./known-facts.ts";

// Programs, and what they look up
export { commitProgram, expandProgram } from "./compaction-programs.ts";
export type { CompactionChange, CompactionKnown } from "./compaction-programs.ts";
export { prepareReplacement } from "./prepare-replacement.ts";
export type { PreparedReplacement } from "./prepare-replacement.ts";
export { MAX_OPERATIONS, replaceProgram } from "./replace-program.ts";
export type { ReplacedRow, SuffixChange, SuffixKnown } from "./replace-program.ts";
export { requireForkOptions } from "./require-fork-options.ts";
export { forkProgram } from "./fork-program.ts";
export type { ForkedIndex } from "./fork-program.ts";
export { guessEntries } from "./guess-entries.ts";
export type { EntryGuess } from "./guess-entries.ts";
export { readProgram } from "./read-program.ts";
export type { ReadOutcome } from "./read-program.ts";
export { reindexLog } from "./reindex-log.ts";
export type { DerivedIndex } from "./reindex-log.ts";
export { repairProgram, verifyProgram } from "./verify-program.ts";
export type { IndexRepair } from "./verify-program.ts";
export { runProgram, runProgramAsync, stepProgram } from "./run-program.ts";
export type {
  Answer,
  EntriesAnswer,
  EntriesFetch,
  EntryRow,
  FactsAnswer,
  FactsFetch,
  Fetch,
  LogFetch,
  OperationAnswer,
  OperationFetch,
  OverlaysFetch,
  PositionsAnswer,
  PositionsFetch,
  ReferenceRow,
  ReferencesAnswer,
  ReferencesFetch,
  ReplacedAnswer,
  ReplacedEntry,
  ReplacedFetch,
  StoredOperation,
  StoredSummary,
  StoreProgram,
  SummariesAnswer,
  SummariesFetch,
  ThreadAnswer,
  ThreadFetch,
} from "./store-program.ts";
export { summariesProgram } from "./summaries-program.ts";

// State
export { decodeState } from "./decode-state.ts";
export { decodeTags } from "./decode-tags.ts";
export { encodeState } from "./encode-state.ts";

// What a handle on a database keeps
export { boundedMap } from "./bounded-map.ts";
export type { BoundedMap } from "./bounded-map.ts";
export { pagesOf } from "./pages-of.ts";
export { listInPages } from "./list-in-pages.ts";
export { storeTelemetry, WHOLE_LOG_READS } from "../store-telemetry.ts";
export type { StoreTelemetry, VerbCounts } from "../store-telemetry.ts";
export { seenVersions } from "./seen-versions.ts";
export type { SeenVersions } from "./seen-versions.ts";
export { keyText, textKey } from "./text-key.ts";
export { threadQueue } from "./thread-queue.ts";
export type { Sent, ThreadQueue, ThreadQueueOptions } from "./thread-queue.ts";
export { packReferences, unpackReferences } from "./reference.ts";
export type { Reference, ReferenceFlags } from "./reference.ts";
