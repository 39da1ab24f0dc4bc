import type { ExpectedVersion } from "@agent-history/core";
import { countsOf, factKeys, indexBatch, versionOf } from "@agent-history/store-kit/indexed";
import type { IndexedBatch, PreparedBatch } from "@agent-history/store-kit/indexed";

import { lookUpFacts } from "./answer-fetch.ts";
import { appendWrite, NOTHING_MOVES, planRows } from "./append-write.ts";
import type { Moving, PlannedRows } from "./append-write.ts";
import { isDuplicate, knownVersion, replacedOf } from "./known-batch.ts";
import type { ThreadWriter } from "./known-threads.ts";
import type { Operation } from "./operation.ts";
import { listOf, numberOf } from "./reply.ts";
import type { StoreContext } from "./store-context.ts";
import { conflict, threadCorrupt } from "./thread-errors.ts";
import { threadReader } from "./thread-reader.ts";
import { countRetry } from "./trace-verb.ts";
import { locateThread } from "./tree-keys.ts";
import type { ThreadLocation } from "./tree-keys.ts";
import { writeThread } from "./write-thread.ts";

/** What an append comes to. `split`: of several batches one is known already; send each alone. */
export type Appended =
  | { readonly kind: "written"; readonly version: number }
  | { readonly kind: "duplicate"; readonly version: number }
  | { readonly kind: "split" };

/** Batches of one thread that go together: as one, all or nothing. */
export interface AppendGroup {
  readonly threadId: string;
  readonly batches: readonly PreparedBatch[];
  readonly expected: ExpectedVersion;
}

/** Writes batches behind what the thread has: works out their index from the head that it knows, and again where another writer was faster. */
export async function appendGroup(
  context: StoreContext,
  operation: Operation,
  { threadId, batches, expected }: AppendGroup,
): Promise<Appended> {
  const location = locateThread(context.namespace, threadId);
  const batch = together(batches);
  // A thread that this handle knows nothing of may be about to begin.
  const isRemembered = context.known.thread(threadId)?.writer !== undefined;
  const listed = context.index.enter(operation, threadId, isRemembered);
  await Promise.all([listed, writerOf(context, operation, location)]);
  for (;;) {
    const writer = await writerOf(context, operation, location);
    const planned = planRows(context.shortLimits, writer, batch);
    const moving = planned.moves
      ? await readShort(context, operation, { location, writer })
      : NOTHING_MOVES;
    if (moving === undefined) {
      context.known.forgetWriter(threadId);
      continue;
    }
    const facts = await factsOf(context, operation, { location, writer, batch });
    const { head } = writer;
    const replaced = await replacedOf(context, operation, { location, head, batch });
    if (replaced.size > 0) {
      if (batches.length > 1) return { kind: "split" };
      const known = await knownVersion(context, operation, { location, batch, replaced });
      if (known !== undefined) return { kind: "duplicate", version: known };
      context.known.forgetWriter(threadId);
      continue;
    }
    const index = indexBatch({ head, facts, batch, rowEnds: planned.rowEnds });
    const write = appendWrite(location, { batch, index, expected, planned, moving });
    const { status, values, expiresAtMs, isNew, change } = await writeThread(context, operation, {
      location,
      write,
    });
    const { version: after, entryCount } = countsOf(index.head);
    const version = numberOf(values[0]) + after - entryCount;
    switch (status) {
      case "ok":
        if (change !== undefined) context.newest.touch(threadId, change);
        keep(context, location, { writer, index, planned, expiresAtMs });
        if (isNew === true && isRemembered) await context.index.enter(operation, threadId, false);
        return { kind: "written", version };
      case "known":
        if (batches.length > 1) return { kind: "split" };
        if (await isDuplicate(context, operation, { location, batch, found: listOf(values[1]) })) {
          return { kind: "duplicate", version };
        }
        break;
      case "conflict":
        throw conflict("thread's version", expected, version);
      default:
        // Another writer was faster: its head is read anew.
        countRetry();
        context.known.forgetWriter(threadId);
    }
  }
}

function together(batches: readonly PreparedBatch[]): PreparedBatch {
  const [first, ...others] = batches;
  if (first !== undefined && others.length === 0) return first;
  return {
    entries: batches.flatMap(({ entries }) => entries),
    bytes: batches.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

/** The head to index from: the one of this handle's last write, else the server's. */
async function writerOf(
  context: StoreContext,
  operation: Operation,
  location: ThreadLocation,
): Promise<ThreadWriter> {
  const { known } = context;
  const remembered = known.thread(location.threadId)?.writer;
  if (remembered !== undefined) return remembered;
  const reader = threadReader(context, operation, location);
  await reader.answer([{ kind: "thread" }]);
  const found = reader.found();
  const writer: ThreadWriter = {
    head: found?.answer.head,
    facts: new Map(found?.short?.index.facts),
    shortLength: found?.short?.length,
  };
  if (found !== undefined) known.see(location.threadId, { ...found, writer });
  return writer;
}

/** Facts that are remembered at most, for one thread. */
const MAX_FACTS = 5000;

async function factsOf(
  { link }: StoreContext,
  operation: Operation,
  {
    location,
    writer: { facts, shortLength },
    batch,
  }: {
    readonly location: ThreadLocation;
    readonly writer: ThreadWriter;
    readonly batch: PreparedBatch;
  },
): Promise<ReadonlyMap<string, string>> {
  const keys = factKeys(batch);
  if (facts.size > MAX_FACTS && shortLength === undefined) facts.clear();
  const isWhole = shortLength !== undefined;
  const missing = isWhole ? [] : keys.filter((key) => !facts.has(key));
  if (missing.length > 0) {
    const lookup = lookUpFacts(location, { kind: "facts", keys: missing });
    const replies = await operation.read((signal) =>
      Promise.all(lookup.commands.map((command) => link.send(location.facts, command, signal))),
    );
    const found = lookup.read(replies).facts;
    for (const key of missing) facts.set(key, found.get(key));
  }
  const present = new Map<string, string>();
  for (const key of keys) {
    const fact = facts.get(key);
    if (fact !== undefined) present.set(key, fact);
  }
  return present;
}

/** Reads a short thread; `undefined` where it is another than the one that the index continues. */
async function readShort(
  context: StoreContext,
  operation: Operation,
  { location, writer }: { readonly location: ThreadLocation; readonly writer: ThreadWriter },
): Promise<Moving | undefined> {
  const reader = threadReader(context, operation, location);
  await reader.answer([{ kind: "thread" }]);
  const short = reader.found()?.short;
  if (short?.index.head !== writer.head) return undefined;
  // The log would have fewer rows than the thread has entries.
  if (short !== undefined && short.lines.size < versionOf(writer.head)) throw threadCorrupt("ids");
  return short;
}

function keep(
  { known }: StoreContext,
  { threadId }: ThreadLocation,
  {
    writer,
    index,
    planned: { ids, shortLength },
    expiresAtMs,
  }: {
    readonly writer: ThreadWriter;
    readonly index: IndexedBatch;
    readonly planned: PlannedRows;
    readonly expiresAtMs: number | undefined;
  },
): void {
  for (const [key, fact] of index.facts) writer.facts.set(key, fact);
  const { version, entryCount, replacements } = countsOf(index.head);
  known.see(threadId, {
    version,
    entryCount,
    replacements,
    lastId: ids.at(-1) ?? "",
    ancestry: known.thread(threadId)?.ancestry ?? [],
    writer: { head: index.head, facts: writer.facts, shortLength },
    ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
  });
}
