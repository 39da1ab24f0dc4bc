import { HistoryError, isHistoryError, throwIfAborted } from "@agent-history/core";
import type { HistoryStore, Retention } from "@agent-history/core";

import type { WaitingAppends } from "./append-entries.ts";
import type { Answer, Ask, Change, DriverCall, DriverRead, ThreadDriver } from "./driver.ts";
import { GRAVES, newHead, parseHead, presentHead } from "./head.ts";
import type { Head } from "./head.ts";
import { keyedHash, newKey } from "./keyed-hash.ts";
import { corrupt, keyDestroyed, notSent, threadDeleted } from "./store-errors.ts";
import type { VerbCounts } from "./store-telemetry.ts";
import { loadSound } from "./stored-log.ts";
import type { LoadedRow } from "./stored-log.ts";
import type { ThreadStoreOptions } from "./thread-store.ts";

/** An open store. */
export interface StoreHandle extends Required<
  Omit<ThreadStoreOptions, "scope" | "describe" | "wrapDriver" | "retention">
> {
  readonly driver: ThreadDriver;
  readonly retention: Retention;
  /** Last seen state of recently used threads: allows writes without a prior read, and reveals lost writes. */
  readonly seen: Map<string, { readonly stamp: number; readonly head: Head }>;
  /** The last queued write of each thread. */
  readonly queues: Map<string, Promise<unknown>>;
  /** The queued writes that are appends which wait to be written together. */
  readonly waiting: WeakMap<Promise<unknown>, WaitingAppends>;
  /** Numbers commits, and caches the hash key of the names of deleted threads. */
  readonly own: { readonly id: string; commits: number; graves?: string; isClosed: boolean };
}

/** A method call. */
export interface StoreCall extends StoreHandle {
  readonly signal: AbortSignal | undefined;
  /** Attributes of its span. */
  readonly counts: VerbCounts;
  /** Name of the operation that writes new threads, e.g. an import: they are hidden from all others until they are complete. */
  readonly inside?: string;
}

/** A call on one thread. */
export interface Thread extends StoreCall {
  readonly threadId: string;
}

type VerbName = Exclude<keyof HistoryStore, "exportThread">;

/** A method of the store, which gets the call. */
export type StoreVerb<Name extends VerbName> = (
  call: StoreCall,
  ...args: Parameters<HistoryStore[Name]>
) => ReturnType<HistoryStore[Name]>;

/** A method on a thread, which gets the thread in place of its name. */
export type ThreadVerb<Name extends VerbName> =
  Parameters<HistoryStore[Name]> extends [unknown, ...infer Args]
    ? (thread: Thread, ...args: Args) => ReturnType<HistoryStore[Name]>
    : never;

/** A consistent read of a thread. */
export interface Known {
  readonly stamp: number;
  readonly head: Head | undefined;
  readonly answers: readonly Answer[];
}

/** A change to a thread, with its head not yet serialized. */
export type HeadChange = Omit<Change, "stamp" | "head" | "listed" | "gone"> & {
  readonly head: Head;
};

/** The result of a write, and the change to commit before it is returned. A repeated write commits its head once more, so that it is as durable as a new write (L18). */
export interface Decision<Result> {
  readonly result: Result;
  readonly change?: HeadChange | undefined;
}

/** Most threads that a handle remembers. */
const MOST_SEEN = 1000;

/** The head of a new thread. */
export function beginHead({ now, inside }: StoreCall): Head {
  return { ...newHead(now()), ...(inside !== undefined && { forming: inside }) };
}

function remember({ seen, threadId }: Thread, stamp: number, head: Head): void {
  if ((seen.get(threadId)?.stamp ?? 0) > stamp) return;
  seen.delete(threadId);
  seen.set(threadId, { stamp, head });
  const [oldest] = seen.keys();
  if (seen.size > MOST_SEEN && oldest !== undefined) seen.delete(oldest);
}

/** Reads rows and items of a thread regardless of its head, even of a deleted thread. */
export async function look(thread: Thread, asks: readonly Ask[]): Promise<Known> {
  const { stamp, head, answers } = await lookUnread(thread, asks);
  return { stamp, head: head === undefined ? undefined : parseHead(head), answers };
}

/** As `look`, with the head as unparsed text, which may be damaged. */
export async function lookUnread(thread: Thread, asks: readonly Ask[]): Promise<DriverRead> {
  const { driver, threadId } = thread;
  const read = await patiently("read", thread, (call) => driver.read(threadId, asks, call));
  if (Number.isSafeInteger(read.stamp)) return read;
  throw corrupt("the stamp of the thread", { reason: "stamp" });
}

/**
 * Reads a thread as its users see it.
 *
 * @throws `HistoryError` with code `HISTORY_REWOUND` if the thread is older than what this handle has already seen, `THREAD_DELETED`.
 */
export async function know(thread: Thread, asks: readonly Ask[] = []): Promise<Known> {
  const { seen, threadId, mayExpire, inside } = thread;
  const before = seen.get(threadId);
  const { stamp, head, answers } = await look(thread, asks);
  if (head === undefined && (await readGraves(thread)).isThere) throw threadDeleted();
  const isBehind =
    before !== undefined &&
    (stamp < before.stamp || (stamp === before.stamp && head?.by !== before.head.by));
  if (isBehind) seen.delete(threadId);
  if (isBehind && !(mayExpire && stamp === 0)) throw rewound(before.stamp, stamp);
  if (head !== undefined) remember(thread, stamp, head);
  const present = presentHead(head, inside);
  // What an unfinished fork or import has written so far is hidden.
  return { stamp, head: present, answers: present === undefined ? [] : answers };
}

/** Rows of a page. */
const PAGE = 500;

/**
 * Reads all rows of a log from one position up to another, in pages. Ends with `undefined` if the end of the log was replaced or entries were erased since `head` was read.
 *
 * @throws `HistoryError` with code `THREAD_CORRUPT` if a row is missing or cannot be read; `THREAD_DELETED`.
 */
export async function* pagesOf(
  thread: Thread,
  { cuts, erased }: Head,
  begin: number,
  end: number,
): AsyncGenerator<readonly LoadedRow[] | undefined> {
  for (let from = begin; from < end; from += PAGE) {
    throwIfAborted(thread.signal);
    const to = Math.min(from + PAGE, end);
    const ask: Ask = { kind: "rows", from, to, limit: PAGE, forward: true };
    const { head, answers } = await look(thread, [ask]);
    const now = presentHead(head, thread.inside);
    if (now?.cuts !== cuts || now.erased !== erased) return yield undefined;
    const rows = (answers[0]?.rows ?? []).map(loadSound);
    for (let position = from; position < to; position += 1)
      if (rows[position - from]?.position !== position)
        throw corrupt("every row", { reason: "row", position });
    yield rows;
  }
}

/** Reads, decides and commits; repeats while other writers commit in between, until the timeout. */
export async function writeThread<Result>(
  thread: Thread,
  asks: readonly Ask[],
  decide: (known: Known) => Decision<Result> | Promise<Decision<Result>>,
): Promise<Result> {
  const endMs = performance.now() + thread.timeoutMs;
  for (;;) {
    const known = await know(thread, asks);
    if (known.head?.sealed !== undefined) throw keyDestroyed();
    const { result, change } = await decide(known);
    if (change === undefined) return result;
    // Removes what an unfinished fork or import has left under this name.
    const isLeft = known.head === undefined && known.stamp > 0;
    const sent = isLeft ? { ...change, absent: [], wipe: true } : change;
    // The retry of the write that began the thread checks the name again.
    if (await commitChange(thread, known.stamp, sent, known.stamp <= 1)) return result;
    countRetry(thread);
    if (performance.now() > endMs)
      throw notSent(
        "contention",
        "Other writes to the thread came first in every attempt. Nothing was written. Try again, or allow more time.",
      );
  }
}

/**
 * Commits one change at a stamp. If it creates a thread under a deleted name, removes the thread again and throws. Returns false if another writer committed first.
 *
 * @throws `HistoryError` with code `OUTCOME_UNKNOWN` if an earlier attempt may have been applied and others have written since, `THREAD_DELETED`.
 */
export async function commitChange(
  thread: Thread,
  stamp: number,
  { head, ...change }: HeadChange,
  checksName: boolean = stamp === 0,
): Promise<boolean> {
  const { driver, threadId, own } = thread;
  const { user } = head.about;
  const keyName = head.keyName ?? (await driver.keyName?.(threadId, user ?? undefined));
  const by = `${own.id}.${(own.commits += 1)}`;
  const next = { ...head, by, ...(keyName !== undefined && { keyName }) };
  const listed = { ...(typeof user === "string" && { user }), updatedAtMs: next.updatedAtMs };
  const sent: Change = { ...change, stamp, head: JSON.stringify(next), listed };
  let lost: unknown;
  const isDone = await patiently("write", thread, async (call) => {
    try {
      return await driver.commit(threadId, sent, call);
    } catch (error) {
      if (isHistoryError(error, "OUTCOME_UNKNOWN")) lost = error;
      throw error;
    }
  });
  if (!isDone && lost === undefined) return false;
  try {
    if (!isDone && (await look(thread, [])).head?.by !== by) throw overwritten(lost);
    remember(thread, stamp + 1, next);
    if (checksName) await requireNotBuried(thread);
  } catch (error) {
    // The change is written, or may be: an error that says the opposite would be wrong.
    const isUntrue = isHistoryError(error, "STORE_UNAVAILABLE") || isHistoryError(error, "ABORTED");
    throw isUntrue ? unanswered("unchecked", error) : error;
  }
  return true;
}

/**
 * Runs a write after the earlier writes to the same threads, in call order. If one of those failed and its caller may retry it, this write is not sent: otherwise the retry would
 * be applied after it.
 */
export async function inOrder<Result>(
  { queues }: StoreHandle,
  names: readonly string[],
  write: () => Promise<Result>,
): Promise<Result> {
  const before = names.flatMap((name) => queues.get(name) ?? []);
  const work = Promise.allSettled(before).then(async (outcomes) => {
    for (const outcome of outcomes)
      if (outcome.status === "rejected" && mayBeSentAgain(outcome.reason))
        throw notSent(
          "behind-failed",
          "An earlier write of this handle failed. Nothing was sent. Send both writes again, in order.",
          outcome.reason,
        );
    return write();
  });
  for (const name of names) queues.set(name, work);
  try {
    return await work;
  } finally {
    for (const name of names) if (queues.get(name) === work) queues.delete(name);
  }
}

export function mayBeSentAgain(error: unknown): boolean {
  return isHistoryError(error, "OUTCOME_UNKNOWN") || isHistoryError(error, "STORE_UNAVAILABLE");
}

/*
 * Names of deleted threads are stored as keyed hashes, in items `p` of one hidden thread: a name may be an e-mail address or describe a conversation.
 */

/** Stores the name of a deleted thread, or removes it if the thread is restored. */
export async function bury(thread: Thread, isDeleted: boolean): Promise<void> {
  for (;;) {
    const { stamp, key, isThere } = await readGraves(thread);
    // Writes a stored name again, so that it is as durable as a new write.
    if (!isThere && !isDeleted) return;
    const hash = await (await keyedHash(key))(thread.threadId);
    const head = JSON.stringify({ v: 1, key });
    const item = ["p", hash] as const;
    const change = isDeleted ? { put: [[...item, "1"] as const] } : { drop: [item] };
    if (
      await patiently("write", thread, (call) =>
        thread.driver.commit(GRAVES, { stamp, head, ...change }, call),
      )
    )
      return;
  }
}

/** Looks up the hash of the thread's name. Takes one read if the handle knows the key, otherwise two. */
async function readGraves(thread: Thread) {
  const { driver, own, threadId } = thread;
  for (;;) {
    const known = own.graves;
    const keys = known === undefined ? [] : [await (await keyedHash(known))(threadId)];
    const ask = { kind: "items", of: "p", keys } as const;
    const { stamp, head, answers } = await patiently("read", thread, (call) =>
      driver.read(GRAVES, [ask], call),
    );
    if (stamp === 0) return { stamp, key: newKey(), isThere: false };
    const { key = "" }: { readonly key?: string } = JSON.parse(head ?? "{}");
    if (key === known) return { stamp, key, isThere: (answers[0]?.items.size ?? 0) > 0 };
    own.graves = key;
  }
}

/** Removes a new thread if its name was deleted. A delete stores the name and then looks for the thread; a creation writes the thread and then looks for the name: one of them sees the other. */
async function requireNotBuried(begun: Thread): Promise<void> {
  const thread = { ...begun, signal: undefined };
  if (!(await readGraves(thread)).isThere) return;
  for (;;) {
    const { stamp } = await lookUnread(thread, []);
    if (stamp === 0) throw threadDeleted();
    await removeThread(thread, stamp);
  }
}

/** Removes a thread, or its leftover entry in the list. Returns false if another writer committed first. */
export async function removeThread(thread: Thread, stamp: number): Promise<boolean> {
  const gone: Change = { stamp, head: "{}", gone: true };
  thread.seen.delete(thread.threadId);
  return patiently("write", thread, (call) => thread.driver.commit(thread.threadId, gone, call));
}

/** Counts a retry: a lock was held, a connection failed, or another writer committed first. */
function countRetry({ counts }: StoreCall): void {
  counts["agent_history.retries"] = Number(counts["agent_history.retries"] ?? 0) + 1;
}

/** Delays between attempts, in milliseconds; the last one repeats. */
const DELAYS_MS: readonly number[] = [1, 2, 5, 10, 20, 50, 100];

/**
 * Runs one round trip to the engine. Retries while it fails with `details.retry`, until it succeeds, fails permanently, the deadline passes or the caller aborts.
 *
 * @param what - An unanswered write ends in `OUTCOME_UNKNOWN`, an unanswered read in `STORE_UNAVAILABLE` or `ABORTED`.
 */
export async function patiently<Result>(
  what: "read" | "write",
  call: StoreCall,
  run: (call: DriverCall) => Promise<Result>,
): Promise<Result> {
  const { timeoutMs, signal } = call;
  const endMs = performance.now() + timeoutMs;
  let unknown: unknown;
  for (let tries = 0; ; tries += 1) {
    try {
      return await withinTime(what, run, endMs, signal);
    } catch (error) {
      if (isHistoryError(error, "OUTCOME_UNKNOWN")) unknown = error;
      const leftMs = endMs - performance.now();
      const mayRetry = isHistoryError(error) && error.details["retry"] === true;
      // Nothing was sent because the caller aborted.
      if (signal?.aborted === true && isHistoryError(error, "STORE_UNAVAILABLE"))
        throw unknown ?? givenUp("read", "aborted", signal);
      if (!mayRetry || leftMs <= 0 || signal?.aborted === true) throw unknown ?? error;
      countRetry(call);
      await pause(Math.min(DELAYS_MS[tries] ?? 100, leftMs));
    }
  }
}

/** Runs one attempt. Rejects at the deadline or when the caller aborts, even if the engine never answers. */
async function withinTime<Result>(
  what: "read" | "write",
  run: (call: DriverCall) => Promise<Result>,
  endMs: number,
  signal: AbortSignal | undefined,
) {
  if (signal !== undefined) throwIfAborted(signal);
  else if (endMs === Infinity) return run({});
  const ending = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stop = (): void => {};
  const over = new Promise<never>((_resolve, reject) => {
    const end = (reason: "timeout" | "aborted"): void => {
      ending.abort(signal?.reason);
      // Rejects later, so that a client that drops its unsent command reports that first.
      setTimeout(() => reject(givenUp(what, reason, signal)), 0);
    };
    stop = () => end("aborted");
    signal?.addEventListener("abort", stop);
    if (endMs !== Infinity)
      timer = setTimeout(() => end("timeout"), Math.max(0, endMs - performance.now()));
  });
  try {
    return await Promise.race([run({ signal: ending.signal }), over]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
    over.catch(() => undefined);
  }
}

/** Yields to other work of the process. */
export async function pause(milliseconds = 0): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}

/** Other work of the process waits at most this long, in milliseconds. */
const BREATH_MS = 20;

/** Makes a function that a loop awaits: from time to time it yields to other work of the process. */
export function breather(): () => Promise<void> {
  let lastMs = performance.now();
  return async () => {
    if (performance.now() - lastMs < BREATH_MS) return;
    await pause();
    lastMs = performance.now();
  };
}

function givenUp(
  what: "read" | "write",
  reason: "timeout" | "aborted",
  signal: AbortSignal | undefined,
): HistoryError {
  const cause: unknown = signal?.reason;
  if (what === "write") return unanswered(reason, cause);
  if (reason === "aborted")
    return new HistoryError("The call was aborted. Nothing was changed.", {
      code: "ABORTED",
      cause,
    });
  return notSent(
    reason,
    "The store did not respond in time. Nothing was written. Try again, or allow more time.",
  );
}

function unanswered(reason: string, cause: unknown): HistoryError {
  return new HistoryError(
    "The write was sent, but no response arrived. Send it again with the same ids.",
    { code: "OUTCOME_UNKNOWN", details: { reason }, cause },
  );
}

function overwritten(cause: unknown): HistoryError {
  return new HistoryError(
    "The response to a write was lost, and others have written since, so the write may have succeeded. Read the thread again.",
    { code: "OUTCOME_UNKNOWN", details: { reason: "overwritten" }, cause },
  );
}

function rewound(expected: number, actual: number): HistoryError {
  return new HistoryError(
    "The thread is older than what this handle has seen: acknowledged writes were lost, or a backup was restored. Nothing was done. Read the thread again; the next call accepts it as it is.",
    { code: "HISTORY_REWOUND", details: { expected, actual } },
  );
}
