import type { HistoryEntry, HistoryStore, ImportedThread, MoveOptions } from "@agent-history/core";
import {
  HistoryError,
  isHistoryError,
  MAX_BATCH_BYTES,
  MAX_BATCH_ENTRIES,
  sameJson,
  throwIfAborted,
} from "@agent-history/core";

import { bury } from "../graves.ts";
import { accessInside, writeThread } from "../thread-access.ts";
import type { ThreadAccess } from "../thread-access.ts";
import { parentOf, sumOfThread } from "./export-thread.ts";
import { atLine, readExport } from "./read-export.ts";
import type { ReadLine } from "./read-export.ts";
import type { EntryTokens, ThreadRecord } from "./thread-record.ts";

/** Verbs on a thread. */
export type MoveVerbs = Pick<
  HistoryStore,
  | "append"
  | "fork"
  | "read"
  | "commitCompaction"
  | "getState"
  | "setState"
  | "getMetadata"
  | "setMetadata"
  | "list"
>;

/** What an import works with. */
export interface ImportTarget {
  readonly access: ThreadAccess;
  /** The verbs of an access. */
  readonly verbsOf: (access: ThreadAccess) => MoveVerbs;
  readonly threadId: string;
}

/** What an import is in the making by. */
const INSIDE = "import";

/** Reads an export into threads that nobody finds before they are equal to it. */
export async function importThread(
  { access: outside, verbsOf, threadId }: ImportTarget,
  text: AsyncIterable<string> | Iterable<string>,
  { signal, onProgress, afterDelete = false }: MoveOptions & { readonly afterDelete?: boolean },
): Promise<ImportedThread> {
  throwIfAborted(signal);
  const access = accessInside(outside, INSIDE);
  const writing = newWriting(verbsOf(access), threadId, signal);
  const progress = { threads: 0, entries: 0 };
  let duplicate: boolean | undefined;
  let sum = "";
  for await (const read of readExport(text, signal)) {
    if (duplicate === undefined && afterDelete) await bury(outside, threadId, false, signal);
    duplicate ??= await claimThread(verbsOf(outside), writing);
    const { record, line } = read;
    ({ sum } = read);
    if (record.kind === "thread") {
      progress.threads += 1;
      if (afterDelete) await bury(outside, `${threadId}${record.name}`, false, signal);
    }
    if (record.kind === "entry") progress.entries += 1;
    if (duplicate) continue;
    try {
      await write(read, writing);
    } catch (error) {
      throw atLine(error, line);
    }
    if (record.kind !== "entry" || progress.entries % 100 === 0) onProgress?.({ ...progress });
  }
  if (duplicate === true) {
    if ((await sumOfThread(outside, threadId, signal)) !== sum) throw isThere();
    return { ...progress, duplicate };
  }
  await markForks(access, writing);
  if ((await sumOfThread(access, threadId, signal)) !== sum) throw isNotEqual();
  for (const name of writing.names.toReversed())
    await release(access, `${threadId}${name}`, signal);
  return { ...progress, duplicate: false };
}

/** Returns whether the thread is whole; begins it if there is none. */
async function claimThread(
  outside: MoveVerbs,
  { verbs, threadId, call }: Writing,
): Promise<boolean> {
  if ((await outside.getMetadata(threadId, call)) !== undefined) return true;
  if ((await verbs.getMetadata(threadId, call)) !== undefined) return false;
  const below = await outside.list({ prefix: `${threadId}/`, limit: 1, ...call });
  if (below.threads.length > 0) throw isThere();
  await verbs.setMetadata(threadId, {}, call);
  return false;
}

/** Fork or not is no matter of names: a fork may share nothing any more. */
async function markForks(access: ThreadAccess, { threadId, forks, call }: Writing): Promise<void> {
  for (const name of forks)
    await writeThread<undefined>(
      access,
      `${threadId}${name}`,
      {
        asks: [],
        isRecognized: true,
        decide: ({ head }) =>
          head === undefined || head.isFork === true
            ? { result: undefined }
            : { result: undefined, change: { head: { ...head, isFork: true } } },
      },
      call.signal,
    );
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

interface Batch {
  readonly line: number;
  readonly entries: HistoryEntry[];
  readonly tokens: ReadonlyMap<string, number[]>;
  bytes: number;
}

interface Writing {
  readonly verbs: MoveVerbs;
  /** The thread that the names of the export stand below. */
  readonly threadId: string;
  readonly call: { readonly signal?: AbortSignal };
  readonly names: string[];
  readonly forks: string[];
  /** The thread that entries, then summaries and state, belong to. */
  name: string;
  version: number;
  batch: Batch | undefined;
}

function newWriting(verbs: MoveVerbs, threadId: string, signal: AbortSignal | undefined): Writing {
  const call = signal === undefined ? {} : { signal };
  return { verbs, threadId, call, names: [], forks: [], name: "", version: 0, batch: undefined };
}

async function write(read: ReadLine, writing: Writing): Promise<void> {
  const { record } = read;
  const { verbs, call } = writing;
  const threadId = `${writing.threadId}${writing.name}`;
  switch (record.kind) {
    case "thread":
      return beginThread(record, writing);
    case "entry":
      return addEntry(record, read, writing);
    case "beside":
      await flush(writing);
      writing.name = record.name;
      return undefined;
    case "summary": {
      const { view = "thread", covers = [] } = record.summary;
      const query = { clauses: [], view };
      const { viewRevision } = await verbs.read(threadId, { query, ...call });
      const expected = { expectedViewRevision: viewRevision, ...call };
      await verbs.commitCompaction(threadId, {
        view,
        summary: record.summary,
        covers,
        ...expected,
      });
      return undefined;
    }
    case "state": {
      const { key, value } = record;
      const known = await verbs.getState(threadId, key, call);
      if (known !== undefined && sameJson(known.value, value)) return undefined;
      await verbs.setState(threadId, key, value, { expectedRevision: 0, ...call });
      return undefined;
    }
    case "metadata": {
      const { name, title, user, tags } = record;
      await verbs.setMetadata(`${writing.threadId}${name}`, { title, user, tags }, call);
      return undefined;
    }
    case "export":
    case "end":
      return undefined;
  }
}

/** Begins a thread: forks it off its parent, where it shares something. */
async function beginThread(
  { name, shared, at, isFork }: Extract<ThreadRecord, { readonly kind: "thread" }>,
  writing: Writing,
): Promise<void> {
  await flush(writing);
  const { verbs, threadId, call } = writing;
  writing.names.push(name);
  if (isFork === true) writing.forks.push(name);
  writing.name = name;
  writing.version = shared;
  const parent = parentOf(name);
  if (at === undefined || parent === undefined || shared === 0) return;
  const as = name.slice(parent.length + 1);
  await verbs.fork(`${threadId}${parent}`, { at, as, operationId: INSIDE, ...call });
}

async function addEntry(
  { entry, tokens }: Extract<ThreadRecord, { readonly kind: "entry" }>,
  { line, bytes }: ReadLine,
  writing: Writing,
): Promise<void> {
  if (writing.batch !== undefined && !fits(writing.batch, tokens, bytes)) await flush(writing);
  writing.batch ??= {
    line,
    entries: [],
    tokens: new Map(tokens.map(([counterId]) => [counterId, []])),
    bytes: 0,
  };
  writing.batch.entries.push(entry);
  for (const [counterId, count] of tokens) writing.batch.tokens.get(counterId)?.push(count);
  writing.batch.bytes += bytes;
}

/** All entries of a batch have counts of the same counters. The same lines give the same batches, so that a further try finds them. */
function fits(batch: Batch, tokens: EntryTokens, bytes: number): boolean {
  return (
    batch.entries.length < MAX_BATCH_ENTRIES &&
    batch.bytes + bytes <= MAX_BATCH_BYTES &&
    tokens.length === batch.tokens.size &&
    tokens.every(([counterId]) => batch.tokens.has(counterId))
  );
}

async function flush(writing: Writing): Promise<void> {
  const { verbs, threadId, name, call, batch } = writing;
  writing.batch = undefined;
  if (batch === undefined) return;
  const { entries, tokens, line } = batch;
  try {
    const options = { expectedVersion: writing.version, tokens, ...call };
    await verbs.append(`${threadId}${name}`, entries, options);
  } catch (error) {
    throw atLine(isHistoryError(error, "VERSION_CONFLICT") ? isNotEqual() : error, line);
  }
  writing.version += entries.length;
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
