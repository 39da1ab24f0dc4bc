import type { HistoryEntry, ImportedThread, MoveOptions } from "@agent-history/core";
import {
  HistoryError,
  isHistoryError,
  MAX_BATCH_BYTES,
  MAX_BATCH_ENTRIES,
  throwIfAborted,
} from "@agent-history/core";
import { requireMetadata, requireName } from "@agent-history/core/schema";

import { appendBatch } from "../append-entries.ts";
import { bury } from "../graves.ts";
import { viewStateIn } from "../head.ts";
import { namesBelow } from "../list-threads.ts";
import { prepareBatch } from "../prepare-batch.ts";
import { commitCompaction } from "../summaries.ts";
import {
  accessInside,
  beginHead,
  commitChange,
  knowThread,
  writeThread,
} from "../thread-access.ts";
import type { ThreadAccess } from "../thread-access.ts";
import { setState } from "../thread-state.ts";
import { atLine, readExport } from "./export-format.ts";
import type { EntryTokens, ReadLine, ThreadRecord } from "./export-format.ts";
import { sumOfThread } from "./export-thread.ts";

/** Reads an export into threads that nobody finds before they are equal to it. What an earlier try has left is written anew. */
export async function importThread(
  outside: ThreadAccess,
  threadId: string,
  text: AsyncIterable<string> | Iterable<string>,
  options: MoveOptions & { readonly afterDelete?: boolean } = {},
): Promise<ImportedThread> {
  const { signal, onProgress, afterDelete = false } = options;
  throwIfAborted(signal);
  const access = accessInside(outside, "import");
  const names: string[] = [];
  const progress = { threads: 0, entries: 0 };
  const writing: Writing = {
    access,
    threadId,
    signal,
    name: threadId,
    entries: 0,
    batch: [],
    bytes: 0,
  };
  let standing: Standing | undefined;
  let sum = "";
  for await (const read of readExport(text, signal)) {
    const { record, line } = read;
    ({ sum } = read);
    if (record.kind === "entry") progress.entries += 1;
    if (record.kind === "thread") {
      const name = `${threadId}${record.name}`;
      progress.threads = names.push(name);
      if (afterDelete) await bury(outside, name, false, signal);
      standing ??= await standingOf(outside, access, threadId, signal);
    }
    if (standing === "whole" || standing === "shown in part") continue;
    try {
      await write(read, writing);
    } catch (error) {
      throw atLine(error, line);
    }
    if (record.kind !== "entry" || progress.entries % 100 === 0) onProgress?.({ ...progress });
  }
  const duplicate = standing === "whole";
  if ((await sumOfThread(duplicate ? outside : access, threadId, signal)) !== sum)
    throw duplicate ? isThere() : isNotEqual();
  if (!duplicate) for (const name of names.toReversed()) await release(access, name, signal);
  return { ...progress, duplicate };
}

/** What stands under the name: an earlier try may have ended while it showed the threads, the last of them first. */
type Standing = "nothing" | "shown in part" | "whole";

async function standingOf(
  outside: ThreadAccess,
  inside: ThreadAccess,
  threadId: string,
  signal: AbortSignal | undefined,
): Promise<Standing> {
  const isThereFor = async (access: ThreadAccess, name: string): Promise<boolean> =>
    (await knowThread(access, name, [], signal)).head !== undefined;
  if (await isThereFor(outside, threadId)) return "whole";
  for (const name of await namesBelow(outside, threadId, signal)) {
    if (!(await isThereFor(outside, name))) continue;
    if (await isThereFor(inside, threadId)) return "shown in part";
    throw isThere();
  }
  return "nothing";
}

/** Shows a thread to all. */
async function release(
  access: ThreadAccess,
  threadId: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  await writeThread<undefined>(
    access,
    threadId,
    {
      asks: [],
      isRecognized: true,
      decide: ({ head: known }) => {
        if (known?.forming === undefined) return { result: undefined, isKnown: true };
        const { forming: _, ...head } = known;
        return { result: undefined, change: { head } };
      },
    },
    signal,
  );
}

interface Writing {
  readonly access: ThreadAccess;
  /** The thread that the names of the export stand below. */
  readonly threadId: string;
  readonly signal: AbortSignal | undefined;
  /** The thread that is written, and how many entries it has. */
  name: string;
  entries: number;
  /** Entries that are not written yet. */
  batch: BatchedEntry[];
  bytes: number;
}

interface BatchedEntry {
  readonly entry: HistoryEntry;
  readonly tokens: EntryTokens;
  readonly line: number;
}

async function write({ record, bytes, line }: ReadLine, writing: Writing): Promise<void> {
  const { access, signal } = writing;
  if (record.kind === "entry") {
    const isFull = writing.batch.length === MAX_BATCH_ENTRIES;
    if (isFull || writing.bytes + bytes > MAX_BATCH_BYTES) await flush(writing);
    writing.batch.push({ entry: record.entry, tokens: record.tokens, line });
    writing.bytes += bytes;
    return;
  }
  await flush(writing);
  const { name } = writing;
  if (record.kind === "thread") await beginThread(record, writing);
  else if (record.kind === "state") {
    const options = { expectedRevision: 0, signal };
    await setState(access, name, record.key, record.value, options);
  } else if (record.kind === "summary") {
    const { summary } = record;
    const { view = "thread", covers = [] } = summary;
    const { head } = await knowThread(access, name, [], signal);
    const expectedViewRevision = viewStateIn(head, view).revision;
    await commitCompaction(access, name, { view, summary, covers, expectedViewRevision, signal });
  }
}

/** Begins a thread in place of what an earlier try has left. */
async function beginThread(
  { name, isFork, title, user, tags }: Extract<ThreadRecord, { readonly kind: "thread" }>,
  writing: Writing,
): Promise<void> {
  const { access, threadId, signal } = writing;
  writing.name = `${threadId}${name}`;
  writing.entries = 0;
  requireName("threadId", writing.name);
  const about = requireMetadata({ title, user, tags });
  const head = { ...beginHead(access), about, ...(isFork && { isFork }) };
  const { stamp } = await knowThread(access, writing.name, [], signal);
  const begin = { head, wipe: true };
  if ((await commitChange(access, writing.name, stamp, begin, signal)) !== true) throw isNotEqual();
}

async function flush(writing: Writing): Promise<void> {
  const { access, name, signal, batch } = writing;
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
    const options = { expectedVersion: writing.entries, signal };
    await appendBatch(access, name, { entries: counted, bytes }, options);
  } catch (error) {
    throw atLine(isHistoryError(error, "VERSION_CONFLICT") ? isNotEqual() : error, first.line);
  }
  writing.entries += batch.length;
}

/** Says that a thread is there that the export is not of. */
function isThere(): HistoryError {
  return new HistoryError(
    "Expected no thread of this name, and none named below it, or one that is equal to the export. Choose another name.",
    { code: "VERSION_CONFLICT", details: { expected: "none", actual: "exists" } },
  );
}

function isNotEqual(): HistoryError {
  return new HistoryError(
    "Expected the imported thread to be equal to the export, but it is not: others wrote to it, or an earlier try was of another export. Delete it with its forks, or import under another name.",
    { code: "VERSION_CONFLICT", details: { expected: "equal", actual: "other" } },
  );
}
