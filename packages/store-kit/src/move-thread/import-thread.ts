import type { HistoryStore, JsonValue, SummaryEntry } from "@agent-history/core";
import { HistoryError, sameJson, throwIfAborted } from "@agent-history/core";
import { requireName } from "@agent-history/core/schema";

import { claimThread, isThere, releaseThread } from "./claim-thread.ts";
import type { Claim, ImportTarget } from "./claim-thread.ts";
import { sumOfThread } from "./export-thread.ts";
import type { MoveOptions } from "./move-options.ts";
import { atLine, readExport } from "./read-export.ts";
import type { ReadLine } from "./read-export.ts";
import type { ThreadRecord } from "./thread-record.ts";
import { entryWriter } from "./write-entries.ts";
import type { EntryWriter } from "./write-entries.ts";

/** What an import brought. */
export interface ImportedThread {
  /** The thread and those named below it. */
  readonly threads: number;
  /** Those that forks share counted once. */
  readonly entries: number;
  /** It was there before, equal to the export. Nothing was written. */
  readonly duplicate: boolean;
}

/**
 * Reads an export into a thread that is not there yet, under any name; its forks come along below that name.
 *
 * - All that was written is compared with the export, by its sum. Until then the thread's state has the key `agent-history:import`, and `exportThread` refuses it. Title and user come
 *   last, so that a list of a user's threads shows none that is half there.
 * - What fails in the middle is finished by the same import once more, by any process: nothing is doubled. The same import of a thread that is whole writes nothing
 *   (`duplicate`). To give up instead, delete the thread and its forks.
 * - Each line is checked with all before it, before it is written. `checkExport` does the same for the whole text without writing.
 *
 * Versions count the entries, revisions begin at 0 and 1 again, times are those of the import: read before you write with what you remember of the other store. Late retries
 * of writes belong to the other store, too.
 *
 * Writes batches as large as a store takes, and holds one in memory.
 *
 * @param text - What `exportThread` gave, in pieces cut anywhere.
 * @throws `HistoryError` with code `INVALID_ENTRY` where a line is damaged, missing or out of order, `UNKNOWN_VERSION` where a newer release wrote it (`details.line`; nothing is quoted);
 * `VERSION_CONFLICT` where another thread is there, or others write to it; what the store's verbs throw.
 */
export async function importThread(
  store: HistoryStore,
  threadId: string,
  text: AsyncIterable<string> | Iterable<string>,
  { signal, onProgress }: MoveOptions = {},
): Promise<ImportedThread> {
  requireName("threadId", threadId);
  throwIfAborted(signal);
  const target = { store, threadId, signal };
  const entries = entryWriter(target);
  const besides = { target, entries, name: "" };
  const progress = { threads: 0, entries: 0 };
  let claim: Claim | undefined;
  let sum = "";
  for await (const read of readExport(text, signal)) {
    claim ??= await claimThread(target);
    const { record, line } = read;
    ({ sum } = read);
    if (record.kind === "thread") progress.threads += 1;
    if (record.kind === "entry") progress.entries += 1;
    if (claim === "whole") continue;
    try {
      await write(read, besides);
    } catch (error) {
      throw atLine(error, line);
    }
    if (record.kind !== "entry" || progress.entries % 100 === 0) onProgress?.({ ...progress });
  }
  const duplicate = claim === "whole";
  const actual = await sumOfThread(store, threadId, signal);
  if (actual !== sum) throw duplicate ? isThere() : isNotEqual();
  if (!duplicate) await releaseThread(target);
  return { ...progress, duplicate };
}

interface Writing {
  readonly target: ImportTarget;
  readonly entries: EntryWriter;
  /** The thread that summaries and state belong to. */
  name: string;
}

async function write(read: ReadLine, writing: Writing): Promise<void> {
  const { record, line } = read;
  const { target, entries } = writing;
  const { store, signal } = target;
  const at = { ...target, threadId: `${target.threadId}${writing.name}` };
  switch (record.kind) {
    case "thread":
      return entries.begin(record, line);
    case "entry":
      return entries.add(record, read);
    case "beside":
      await entries.flush();
      writing.name = record.name;
      return undefined;
    case "summary":
      return writeSummary(at, record.summary);
    case "state":
      return writeState(at, record.key, record.value);
    case "metadata":
      await store.setMetadata(
        `${target.threadId}${record.name}`,
        changeOf(record),
        signal && { signal },
      );
      return undefined;
    case "export":
    case "end":
      return undefined;
  }
}

function changeOf({ title, user, tags }: Extract<ThreadRecord, { readonly kind: "metadata" }>): {
  readonly title: string | null;
  readonly user: string | null;
  readonly tags: readonly string[];
} {
  return { title, user, tags };
}

async function writeSummary(
  { store, threadId, signal }: ImportTarget,
  summary: SummaryEntry,
): Promise<void> {
  const { view = "thread", covers = [] } = summary;
  const cancellation = signal && { signal };
  const query = { clauses: [], view };
  const { viewRevision } = await store.read(threadId, { query, ...cancellation });
  const expected = { expectedViewRevision: viewRevision, ...cancellation };
  await store.commitCompaction(threadId, { view, summary, covers, ...expected });
}

async function writeState(
  { store, threadId, signal }: ImportTarget,
  key: string,
  value: JsonValue,
): Promise<void> {
  const cancellation = signal && { signal };
  const known = await store.getState(threadId, key, cancellation);
  if (known !== undefined && sameJson(known.value, value)) return;
  await store.setState(threadId, key, value, { expectedRevision: 0, ...cancellation });
}

function isNotEqual(): HistoryError {
  return new HistoryError(
    "Expected the imported thread to be equal to the export, but it is not: others wrote to it, or an earlier try was of another export. Delete it, and import under another name.",
    { code: "VERSION_CONFLICT", details: { expected: "equal", actual: "other" } },
  );
}
