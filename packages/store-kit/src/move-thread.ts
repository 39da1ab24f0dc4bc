import {
  HistoryError,
  isHistoryError,
  MAX_BATCH_BYTES,
  MAX_BATCH_ENTRIES,
  throwIfAborted,
} from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { contentHash } from "@agent-history/core/kit";
import {
  decodeEntry,
  jsonValueSchema,
  requireMetadata,
  requireName,
  validCopy,
} from "@agent-history/core/schema";
import * as z from "zod/mini";

import { appendBatch, prepareBatch, utf8Bytes } from "./append-entries.ts";
import { versionOf, viewStateIn } from "./head.ts";
import type { Head } from "./head.ts";
import { threadsBelow } from "./list-threads.ts";
import { conflict, jsonIn, keyDestroyed, notFound } from "./store-errors.ts";
import { commitCompaction } from "./summaries.ts";
import { overlaysIn } from "./summaries.ts";
import {
  beginHead,
  breather,
  bury,
  commitChange,
  know,
  pagesOf,
  writeThread,
} from "./thread-access.ts";
import type { Thread, ThreadVerb } from "./thread-access.ts";
import { getState, setState } from "./thread-state.ts";

/** The export format version that this release writes. */
const VERSION = 1;

const count = z.int().check(z.minimum(0));

/** One line of an export. The line of a thread is followed by its entries, its summaries and its state; its name is relative to the exported thread, whose own name is `""`. */
const recordSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("export"),
    format: z.literal("agent-history-threads"),
    version: count,
  }),
  z.object({
    kind: z.literal("thread"),
    name: z.string(),
    isFork: z.boolean(),
    title: z.nullable(z.string()),
    user: z.nullable(z.string()),
    tags: z.array(z.string()),
  }),
  z.object({
    kind: z.literal("entry"),
    entry: z.unknown(),
    tokens: z.array(z.tuple([z.string(), count])),
  }),
  z.object({ kind: z.literal("summary"), summary: z.unknown() }),
  z.object({ kind: z.literal("state"), key: z.string(), value: jsonValueSchema }),
  z.object({ kind: z.literal("end"), threads: count, entries: count }),
]);

type ThreadRecord = z.infer<typeof recordSchema>;

/** Returns the checksum of a line, over its record and all previous lines. */
function nextSum(before: string, record: object): string {
  return contentHash([before, record]);
}

/**
 * Prefix of the state keys under which the history manager stores plans. A plan refers to entries by id. If an end of the thread was replaced, an id may have belonged to another
 * entry, which an import cannot detect: exports of such threads contain no plans.
 */
const PLAN_KEYS = "history-manager/prompt:";

/** Exports a thread and all threads named below it, as lines. */
export async function* exportThread(thread: Thread): AsyncGenerator<string, void> {
  let sum = "";
  for await (const record of exportRecords(thread)) {
    sum = nextSum(sum, record);
    yield `${JSON.stringify({ ...record, sum })}\n`;
  }
}

/** Yields the records of a thread and of the threads below it, parents first. */
async function* exportRecords(root: Thread): AsyncGenerator<ThreadRecord> {
  const found: (readonly [thread: Thread, head: Head])[] = [];
  for (const thread of [root, ...(await threadsBelow(root))]) {
    // A thread below may be deleted or still being written.
    const { head } = await know(thread);
    if (head?.sealed !== undefined) throw keyDestroyed();
    if (head !== undefined) found.push([thread, head]);
    else if (thread === root) throw notFound("The store has no thread with this id.");
  }
  let entries = 0;
  yield { kind: "export", format: "agent-history-threads", version: VERSION };
  for (const [thread, head] of found) {
    const name = thread.threadId.slice(root.threadId.length);
    for await (const record of recordsOf(thread, head, name)) {
      if (record.kind === "entry") entries += 1;
      yield record;
    }
  }
  yield { kind: "end", threads: found.length, entries };
}

/** Yields the records of one thread. */
async function* recordsOf(thread: Thread, head: Head, name: string): AsyncGenerator<ThreadRecord> {
  const { about, isFork = false, entryCount, changes } = head;
  const { title = null, user = null, tags = [] } = about;
  yield { kind: "thread", name, isFork, title, user, tags: [...tags] };
  for await (const rows of pagesOf(thread, head, 0, entryCount)) {
    if (rows === undefined) throw changedMeanwhile(head, (await know(thread)).head);
    for (const { isErased, json, tokens } of rows) {
      if (isErased) continue;
      const counts = tokens.map(([counter, one]): [string, number] => [counter, one]);
      // The turn id stands last, whether the append or the store assigned it: exports are equal to the byte.
      const { turnId, ...entry }: { readonly turnId?: string } = JSON.parse(json);
      yield {
        kind: "entry",
        entry: { ...entry, ...(turnId !== undefined && { turnId }) },
        tokens: counts.toSorted(([one], [other]) => (one < other ? -1 : 1)),
      };
    }
  }
  const { answers } = await know(thread, [{ kind: "items", of: "o" }]);
  for (const { json } of overlaysIn(answers[0]))
    yield { kind: "summary", summary: JSON.parse(json) };
  const { answers: states } = await know(thread, [{ kind: "keys", of: "s" }]);
  for (const key of [...(states[0]?.items.keys() ?? [])].toSorted()) {
    const state = await getState(thread, key);
    // `changes` is 0 only if no end of the thread was ever replaced.
    if (state !== undefined && (changes === 0 || !key.startsWith(PLAN_KEYS)))
      yield { kind: "state", key, value: state.value };
  }
  const { head: now } = await know(thread);
  if (versionOf(now) !== versionOf(head)) throw changedMeanwhile(head, now);
}

function changedMeanwhile(head: Head, now: Head | undefined): HistoryError {
  const advice = "The thread changed during the export. Export it again.";
  return conflict("the thread's version", versionOf(head) ?? 0, versionOf(now) ?? 0, advice);
}

/** An export in chunks of any size. */
type Text = AsyncIterable<string> | Iterable<string>;

/** A valid line of an export. */
interface ReadLine {
  /** Line number, from 1. */
  readonly line: number;
  readonly record: ThreadRecord;
  /** The entry or summary of the record. */
  readonly entry: HistoryEntry | undefined;
  /** Checksum of this line and all previous ones. */
  readonly sum: string;
  /** Size in UTF-8 bytes. */
  readonly bytes: number;
}

/** Most characters of a line: an entry has at most one megabyte, plus its counts. */
const MAX_LINE = 4_000_000;

/**
 * Checks that an export is complete and undamaged, without importing it.
 *
 * @param text - The text from `exportThread` of a store, in chunks of any size.
 * @returns How many threads and entries it contains.
 * @throws `HistoryError` with code `INVALID_ENTRY` or `UNKNOWN_VERSION` if it is not; `details.line` is the line number. The error does not quote the text.
 */
export async function checkExport(
  text: Text,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<{ readonly threads: number; readonly entries: number }> {
  let found = { threads: 0, entries: 0 };
  for await (const { record } of readExport(text, signal))
    if (record.kind === "end") found = { threads: record.threads, entries: record.entries };
  return found;
}

/**
 * Reads the lines of an export in order. Validates each line before it reads the next.
 *
 * @throws `HistoryError` with code `INVALID_ENTRY` or `UNKNOWN_VERSION`; `details.line` is the line number.
 */
async function* readExport(text: Text, signal: AbortSignal | undefined): AsyncGenerator<ReadLine> {
  const breathe = breather();
  let [line, sum, threads, entries] = [0, "", 0, 0];
  /** The name of the current thread. */
  let name: string | undefined;
  let isEnded = false;
  for await (const content of splitLines(text)) {
    throwIfAborted(signal);
    await breathe();
    line += 1;
    try {
      const { sum: given, ...stored }: { readonly sum?: unknown } = Object(jsonIn(content));
      sum = nextSum(sum, stored);
      if (given !== sum) throw unreadable("an unchanged line in its original position");
      const record = validCopy(recordSchema, stored);
      if (record === undefined) throw unreadable("a record of an exported thread");
      if (record.kind === "export" && record.version > VERSION)
        throw new HistoryError(
          `Expected an export of version ${VERSION} or older, got version ${record.version}. Import it with a newer release.`,
          { code: "UNKNOWN_VERSION", details: { version: record.version } },
        );
      if (isEnded || !mayFollow(record)) throw unreadable("a record that is allowed here");
      yield { line, record, entry: entryOf(record), sum, bytes: utf8Bytes(content) };
    } catch (error) {
      throw atLine(error, line);
    }
  }
  if (!isEnded) throw atLine(unreadable("the end of the export"), line + 1);

  /** Whether a record may follow the previous ones. The order of the records of one thread is checked when what was imported is compared with the export. */
  function mayFollow(record: ThreadRecord): boolean {
    const before = name;
    if (record.kind === "export") return line === 1;
    if (record.kind === "thread") {
      [name, threads] = [record.name, threads + 1];
      return before === undefined
        ? line === 2 && name === ""
        : name.startsWith("/") && name > before;
    }
    if (record.kind === "entry") entries += 1;
    isEnded = record.kind === "end";
    const isWhole =
      record.kind !== "end" || (record.threads === threads && record.entries === entries);
    return before !== undefined && isWhole;
  }
}

function entryOf(record: ThreadRecord): HistoryEntry | undefined {
  if (record.kind === "entry") return decodeEntry(record.entry);
  if (record.kind !== "summary") return undefined;
  const summary = decodeEntry(record.summary);
  if (summary.type === "summary" && summary.view !== undefined) return summary;
  throw unreadable("a summary that is in a view");
}

/** The error for a text that is not an export, or not a complete one. */
function unreadable(expected: string): HistoryError {
  const advice = "The export is damaged or incomplete. Export the thread again.";
  return new HistoryError(`Expected ${expected}. ${advice}`, { code: "INVALID_ENTRY" });
}

/** Adds the line number to an error, unless the store failed or the caller aborted. */
function atLine(error: unknown, line: number): unknown {
  if (!isHistoryError(error) || "line" in error.details || PASSING.has(error.code)) return error;
  const { message, code, details } = error;
  return new HistoryError(`${message} The fault is in line ${line} of the export.`, {
    code,
    details: { ...details, line },
    cause: error,
  });
}

const PASSING: ReadonlySet<string> = new Set(["ABORTED", "STORE_UNAVAILABLE", "OUTCOME_UNKNOWN"]);

/** Splits chunks of text into lines. */
async function* splitLines(text: Text) {
  let pieces: string[] = [];
  let length = 0;
  for await (const piece of text) {
    const [first = "", ...lines] = piece.split("\n");
    pieces.push(first);
    length += first.length;
    for (const line of lines) {
      yield pieces.join("");
      pieces = [line];
      ({ length } = line);
    }
    // Stops here, because a text without line breaks would fill the memory.
    if (length > MAX_LINE) break;
  }
  const last = pieces.join("");
  if (last !== "") yield last;
}

/** Imports an export into threads that stay hidden until they equal the export. Overwrites the leftovers of an earlier attempt. */
export const importThread: ThreadVerb<"importThread"> = async (outside, text, options = {}) => {
  // Imports write entries unchanged.
  const importing = { inside: "import", seen: new Map(), beforeStore: undefined };
  const inside: Thread = { ...outside, ...importing };
  const threads: Thread[] = [];
  let standing: Standing = "nothing";
  let [entries, written, bytes, sum] = [0, 0, 0, ""];
  /** Entries that are written together. */
  let batch: ReadLine[] = [];
  for await (const one of readExport(text, outside.signal)) {
    const { record, line } = one;
    const isEntry = record.kind === "entry";
    const isFull = batch.length === MAX_BATCH_ENTRIES || bytes + one.bytes > MAX_BATCH_BYTES;
    const [first = one] = batch;
    if (!isEntry || isFull) {
      await writing(first.line, async (thread) => writeEntries(thread, batch, written));
      written += batch.length;
      [batch, bytes] = [[], 0];
    }
    if (isEntry) {
      batch.push(one);
      bytes += one.bytes;
    } else if (record.kind === "thread") {
      const thread = { ...inside, threadId: `${outside.threadId}${record.name}` };
      if (options.afterDelete === true) await bury(thread, false);
      if (threads.push(thread) === 1) standing = await standingOf(outside, inside);
      written = 0;
    }
    if (!isEntry) await writing(line, async (thread) => writeLine(thread, one));
    if (record.kind === "end") ({ entries } = record);
    ({ sum } = one);
  }
  const duplicate = standing === "whole";
  let actual = "";
  for await (const record of exportRecords(duplicate ? outside : inside))
    actual = nextSum(actual, record);
  if (actual !== sum) throw duplicate ? isThere() : isNotEqual();
  // Makes the threads visible.
  for (const thread of duplicate ? [] : threads.toReversed())
    await writeThread<undefined>(thread, [], ({ head: known }) => {
      const { forming: _, ...head } = known ?? beginHead(thread);
      return { result: undefined, change: known && { head } };
    });
  return { threads: threads.length, entries, duplicate };

  /** Writes to the current thread, unless the import only compares. */
  async function writing(line: number, write: (thread: Thread) => Promise<unknown>) {
    try {
      if (standing === "nothing") await write(threads.at(-1) ?? inside);
    } catch (error) {
      throw atLine(error, line);
    }
  }
};

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

/** Writes entries to a thread that has `written` entries so far. */
async function writeEntries(thread: Thread, lines: readonly ReadLine[], written: number) {
  if (lines.length === 0) return;
  const { entries, bytes } = prepareBatch(lines.flatMap(({ entry }) => entry ?? []));
  const counted = entries.map((one, nth) => {
    const record = lines[nth]?.record;
    return record?.kind === "entry" ? { ...one, tokens: record.tokens } : one;
  });
  try {
    await appendBatch(thread, { entries: counted, bytes }, written);
  } catch (error) {
    throw isHistoryError(error, "VERSION_CONFLICT") ? isNotEqual() : error;
  }
}

/** Writes a line that is no entry. */
async function writeLine(thread: Thread, { record, entry }: ReadLine) {
  if (record.kind === "thread") {
    const { isFork, title, user, tags } = record;
    requireName("threadId", thread.threadId);
    const about = requireMetadata({ title, user, tags });
    const head = { ...beginHead(thread), about, ...(isFork && { isFork }) };
    const { stamp } = await know(thread);
    // Overwrites the leftovers of an earlier attempt.
    if (!(await commitChange(thread, stamp, { head, wipe: true }))) throw isNotEqual();
  } else if (record.kind === "state")
    await setState(thread, record.key, record.value, { expectedRevision: 0 });
  else if (entry?.type === "summary") {
    const { view = "thread", covers = [] } = entry;
    const expectedViewRevision = viewStateIn((await know(thread)).head, view).revision;
    await commitCompaction(thread, { view, summary: entry, covers, expectedViewRevision });
  }
}

/** The error for an existing thread that does not equal the export. */
function isThere(): HistoryError {
  const advice = "Another thread has this name, or a name below it. Choose another name.";
  return conflict("the thread", "none", "exists", advice);
}

function isNotEqual(): HistoryError {
  const advice =
    "It was written to during the import, or an earlier attempt used another export. Delete it with its forks, or import under another name.";
  return conflict("the imported thread", "equal", "other", advice);
}
