import type { HistoryEntry, ImportedThread } from "@agent-history/core";
import {
  HistoryError,
  isHistoryError,
  MAX_BATCH_BYTES,
  MAX_BATCH_ENTRIES,
} from "@agent-history/core";
import { requireMetadata, requireName } from "@agent-history/core/schema";

import { appendBatch, prepareBatch } from "../append-entries.ts";
import { viewStateIn } from "../head.ts";
import { threadsBelow } from "../list-threads.ts";
import { commitCompaction } from "../summaries.ts";
import { beginHead, bury, commitChange, know, writeThread } from "../thread-access.ts";
import type { Thread } from "../thread-access.ts";
import { setState } from "../thread-state.ts";
import { atLine, readExport } from "./export-format.ts";
import type { EntryTokens, ReadLine, ThreadRecord } from "./export-format.ts";
import { sumOfThread } from "./export-thread.ts";

/** Imports an export into threads that stay hidden until they equal the export. Overwrites the leftovers of an earlier attempt. */
export async function importThread(
  outside: Thread,
  text: AsyncIterable<string> | Iterable<string>,
  { afterDelete = false }: { readonly afterDelete?: boolean } = {},
): Promise<ImportedThread> {
  const inside = { ...outside, inside: "import", seen: new Map() };
  const threads: Thread[] = [];
  const writing: Writing = { thread: inside, entries: 0, batch: [], bytes: 0 };
  let standing: Standing | undefined;
  let entries = 0;
  let sum = "";
  for await (const read of readExport(text, outside.signal)) {
    const { record, line } = read;
    ({ sum } = read);
    if (record.kind === "entry") entries += 1;
    if (record.kind === "thread") {
      const thread = { ...inside, threadId: `${outside.threadId}${record.name}` };
      threads.push(thread);
      if (afterDelete) await bury(thread, false);
      standing ??= await standingOf(outside, inside);
    }
    if (standing === "whole" || standing === "shown in part") continue;
    try {
      await write(read, writing, threads.at(-1) ?? inside);
    } catch (error) {
      throw atLine(error, line);
    }
  }
  const duplicate = standing === "whole";
  if ((await sumOfThread(duplicate ? outside : inside)) !== sum)
    throw duplicate ? isThere() : isNotEqual();
  if (!duplicate) for (const thread of threads.toReversed()) await release(thread);
  return { threads: threads.length, entries, duplicate };
}

/** What exists under the name. An earlier attempt may have ended while it made its threads visible, last thread first. */
type Standing = "nothing" | "shown in part" | "whole";

async function standingOf(outside: Thread, inside: Thread): Promise<Standing> {
  if ((await know(outside)).head !== undefined) return "whole";
  for (const below of await threadsBelow(outside)) {
    if ((await know(below)).head === undefined) continue;
    if ((await know(inside)).head !== undefined) return "shown in part";
    throw isThere();
  }
  return "nothing";
}

/** Makes a thread visible. */
async function release(thread: Thread): Promise<void> {
  await writeThread<undefined>(thread, [], ({ head: known }) => {
    const { forming: _, ...head } = known ?? beginHead(thread);
    return { result: undefined, change: known && { head } };
  });
}

interface Writing {
  /** The thread that is being written, and its number of entries. */
  thread: Thread;
  entries: number;
  /** Entries that are not yet written. */
  batch: BatchedEntry[];
  bytes: number;
}

interface BatchedEntry {
  readonly entry: HistoryEntry;
  readonly tokens: EntryTokens;
  readonly line: number;
}

async function write(
  { record, bytes, line }: ReadLine,
  writing: Writing,
  thread: Thread,
): Promise<void> {
  if (record.kind === "entry") {
    const isFull = writing.batch.length === MAX_BATCH_ENTRIES;
    if (isFull || writing.bytes + bytes > MAX_BATCH_BYTES) await flush(writing);
    writing.batch.push({ entry: record.entry, tokens: record.tokens, line });
    writing.bytes += bytes;
    return;
  }
  await flush(writing);
  if (record.kind === "thread") {
    await beginThread(record, thread);
    writing.thread = thread;
    writing.entries = 0;
  }
  if (record.kind === "state")
    await setState(thread, record.key, record.value, { expectedRevision: 0 });
  if (record.kind === "summary") {
    const { summary } = record;
    const { view = "thread", covers = [] } = summary;
    const expectedViewRevision = viewStateIn((await know(thread)).head, view).revision;
    await commitCompaction(thread, { view, summary, covers, expectedViewRevision });
  }
}

/** Begins a thread; overwrites the leftovers of an earlier attempt. */
async function beginThread(
  { isFork, title, user, tags }: Extract<ThreadRecord, { readonly kind: "thread" }>,
  thread: Thread,
): Promise<void> {
  requireName("threadId", thread.threadId);
  const about = requireMetadata({ title, user, tags });
  const head = { ...beginHead(thread), about, ...(isFork && { isFork }) };
  const { stamp } = await know(thread);
  if (!(await commitChange(thread, stamp, { head, wipe: true }))) throw isNotEqual();
}

async function flush(writing: Writing): Promise<void> {
  const { thread, batch } = writing;
  const [first] = batch;
  if (first === undefined) return;
  writing.batch = [];
  writing.bytes = 0;
  try {
    const { entries, bytes } = prepareBatch(batch.map(({ entry }) => entry));
    const counted = entries.map((one, nth) => {
      const tokens = batch[nth]?.tokens ?? [];
      return tokens.length === 0 ? one : { ...one, tokens: JSON.stringify(tokens) };
    });
    await appendBatch(thread, { entries: counted, bytes }, writing.entries);
  } catch (error) {
    throw atLine(isHistoryError(error, "VERSION_CONFLICT") ? isNotEqual() : error, first.line);
  }
  writing.entries += batch.length;
}

/** The error for an existing thread that does not equal the export. */
function isThere(): HistoryError {
  return new HistoryError(
    "The store has another thread with this name, or with a name below it. Choose another name.",
    { code: "VERSION_CONFLICT", details: { expected: "none", actual: "exists" } },
  );
}

function isNotEqual(): HistoryError {
  return new HistoryError(
    "The imported thread differs from the export: it was written to during the import, or an earlier attempt used another export. Delete it with its forks, or import under another name.",
    { code: "VERSION_CONFLICT", details: { expected: "equal", actual: "other" } },
  );
}
