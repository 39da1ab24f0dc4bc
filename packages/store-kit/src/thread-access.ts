import { HistoryError, isHistoryError, throwIfAborted } from "@agent-history/core";

import type { Answer, Ask, Change, DriverRead, ThreadDriver } from "./driver.ts";
import { isBuried } from "./graves.ts";
import { isPresent, keyDestroyed, newHead, parseHead, presentHead, threadDeleted } from "./head.ts";
import type { Head } from "./head.ts";
import { patiently } from "./patience.ts";
import type { Patience } from "./patience.ts";

/** What every verb may be given. */
export interface Call {
  readonly signal?: AbortSignal | undefined;
}

/** What is known of a thread when a write is decided. */
export interface Known {
  readonly stamp: number;
  /** Missing if there is no thread for its users. */
  readonly head: Head | undefined;
  readonly answers: readonly Answer[];
}

/** A change of a thread, with its head as data. */
export type HeadChange = Omit<Change, "stamp" | "head" | "listed"> & { readonly head: Head };

/** What a write comes to: a result at once, or after a change. */
export interface Decision<Result> {
  readonly result: Result;
  readonly change?: HeadChange;
  /** It was done before: what stands there is made as durable as a write of now, by writing its head once more (L18). */
  readonly isKnown?: boolean;
}

/** A write: what it looks up, and what it decides from that. */
export interface Write<Result> {
  readonly asks: readonly Ask[];
  readonly decide: (known: Known) => Decision<Result> | Promise<Decision<Result>>;
  /** Decides by the head alone that this handle knows, where conditions of the change make that safe. */
  readonly guess?: (head: Head) => Decision<Result> | undefined;
  /** Whether the same write once more, after it was done, is recognized by `decide`. */
  readonly isRecognized: boolean;
}

/** How a store reaches its engine. */
export interface AccessOptions extends Patience {
  readonly now: () => number;
  /** Threads may disappear by themselves. */
  readonly mayExpire: boolean;
}

/** How the verbs of one handle read and write threads. */
export interface ThreadAccess extends AccessOptions {
  readonly driver: ThreadDriver;
  /** The threads that this handle used last, as it has seen them: to write without asking first, and to notice lost writes. */
  readonly seen: Map<string, { readonly stamp: number; readonly head: Head }>;
  /** The key of the names of deleted threads, once it was read. */
  readonly graves: { known?: string };
  /** Names a commit. */
  readonly nextCommit: () => string;
  /** What this handle is making: threads that it begins are hidden from all others until they are whole. */
  readonly inside?: string;
}

/** How many threads a handle remembers. */
const MOST_SEEN = 1000;

/** Makes the access of one handle. */
export function accessThreads(driver: ThreadDriver, options: AccessOptions): ThreadAccess {
  const handle = crypto.randomUUID().slice(0, 8);
  let commits = 0;
  const nextCommit = (): string => `${handle}.${(commits += 1)}`;
  return { ...options, driver, seen: new Map(), graves: {}, nextCommit };
}

/** The access of whoever makes threads that nobody else finds yet. */
export function accessInside(access: ThreadAccess, inside: string): ThreadAccess {
  return { ...access, inside, seen: new Map() };
}

/** The head of a thread that begins. */
export function beginHead({ now, inside }: ThreadAccess): Head {
  return { ...newHead(now()), ...(inside !== undefined && { forming: inside }) };
}

function remember({ seen }: ThreadAccess, threadId: string, stamp: number, head: Head): void {
  if ((seen.get(threadId)?.stamp ?? 0) > stamp) return;
  seen.delete(threadId);
  seen.set(threadId, { stamp, head });
  const [oldest] = seen.keys();
  if (seen.size > MOST_SEEN && oldest !== undefined) seen.delete(oldest);
}

/** Looks up rows and items, whatever the head says. */
export async function lookAt(
  access: ThreadAccess,
  threadId: string,
  asks: readonly Ask[],
  signal: AbortSignal | undefined,
): Promise<DriverRead> {
  const read = async (call: AbortSignal | undefined): Promise<DriverRead> =>
    access.driver.read(threadId, asks, { signal: call });
  const { result } = await patiently("read", read, access, signal);
  if (Number.isSafeInteger(result.stamp)) return result;
  throw new HistoryError(
    "Expected the stamp of the thread to be a number. Restore a backup, or delete the thread.",
    { code: "THREAD_CORRUPT", details: { reason: "stamp" } },
  );
}

/**
 * Reads a thread.
 *
 * @throws `HistoryError` with code `HISTORY_REWOUND` if it is behind what this handle has seen of it, `THREAD_DELETED`.
 */
export async function knowThread(
  access: ThreadAccess,
  threadId: string,
  asks: readonly Ask[],
  signal: AbortSignal | undefined,
): Promise<Known> {
  const before = access.seen.get(threadId);
  const { stamp, head: text, answers } = await lookAt(access, threadId, asks, signal);
  if (text === undefined && (await isBuried(access, threadId, signal))) throw threadDeleted();
  const head = text === undefined ? undefined : parseHead(text);
  const isBehind =
    before !== undefined &&
    (stamp < before.stamp || (stamp === before.stamp && head?.by !== before.head.by));
  if (isBehind) access.seen.delete(threadId);
  if (isBehind && !(access.mayExpire && stamp === 0)) throw rewound(before.stamp, stamp);
  if (head !== undefined) remember(access, threadId, stamp, head);
  return { stamp, head: presentHead(text, access.inside), answers };
}

/** Commits one change at a stamp, and takes it back if the thread was deleted before it began; false if another writer came between, `unsure` if then an earlier try of it may have been done. */
export async function commitChange(
  access: ThreadAccess,
  threadId: string,
  stamp: number,
  { head, ...change }: HeadChange,
  signal: AbortSignal | undefined,
): Promise<boolean | "unsure"> {
  const { user } = head.about;
  const keyName = await access.driver.keyName?.(threadId, user ?? undefined);
  const { keyName: formerKey, ...others } = head;
  const own = { ...others, by: access.nextCommit(), ...(keyName !== undefined && { keyName }) };
  const listed = { ...(typeof user === "string" && { user }), updatedAtMs: own.updatedAtMs };
  const sent: Change = {
    ...change,
    stamp,
    head: JSON.stringify(own),
    ...(change.gone !== true && { listed }),
    ...(formerKey !== undefined && formerKey !== keyName && { formerKey }),
  };
  const run = async (call: AbortSignal | undefined): Promise<boolean> =>
    access.driver.commit(threadId, sent, { signal: call });
  const { result, isUnsure } = await patiently("write", run, access, signal);
  if (result && change.gone === true) access.seen.delete(threadId);
  else if (result) remember(access, threadId, stamp + 1, own);
  if (result && stamp === 0) await requireNotBuried(access, threadId);
  if (result || !isUnsure) return result;
  const { head: text } = await lookAt(access, threadId, [], signal);
  if (text !== sent.head) return "unsure";
  remember(access, threadId, stamp + 1, own);
  if (stamp === 0) await requireNotBuried(access, threadId);
  return true;
}

/** Whoever deletes a thread remembers its name first and looks for it then, whoever begins one does it the other way round: one of them sees the other. */
async function requireNotBuried(access: ThreadAccess, threadId: string): Promise<void> {
  if (!(await isBuried(access, threadId, undefined))) return;
  for (;;) {
    const { stamp, head = "" } = await lookAt(access, threadId, [], undefined);
    access.seen.delete(threadId);
    if (stamp === 0) throw threadDeleted();
    const undo = async (): Promise<boolean> =>
      access.driver.commit(threadId, { stamp, head, gone: true });
    await patiently("write", undo, access, undefined);
  }
}

/** Decides and commits until nobody came between, or the time is over. */
export async function writeThread<Result>(
  access: ThreadAccess,
  threadId: string,
  { guess, ...plan }: Write<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  throwIfAborted(signal);
  const endMs = performance.now() + access.timeoutMs;
  let isUnsure = false;
  const last = access.seen.get(threadId);
  const isThere = last !== undefined && isPresent(last.head, access.inside);
  const guessed = isThere ? guess?.(last.head) : undefined;
  if (last !== undefined && guessed?.change !== undefined) {
    const done = await commitChange(access, threadId, last.stamp, guessed.change, signal);
    if (done === true) return guessed.result;
    isUnsure = done === "unsure";
  }
  for (;;) {
    const known = await sure(isUnsure, knowThread(access, threadId, plan.asks, signal));
    if (known.head?.sealed !== undefined) throw keyDestroyed();
    const deciding = (async () => plan.decide(known))();
    const decision = await sure(isUnsure && !plan.isRecognized, deciding);
    const { result, isKnown = false } = decision;
    const confirming = isKnown && known.head !== undefined ? { head: known.head } : undefined;
    const change = decision.change ?? confirming;
    if (change === undefined) return result;
    const committing = commitChange(access, threadId, known.stamp, change, signal);
    const done = await sure(isUnsure, committing);
    if (done === true) return result;
    isUnsure ||= done === "unsure";
    access.onRetry();
    if (performance.now() > endMs) await sure(isUnsure, Promise.reject(overtaken()));
  }
}

/** What fails after a try of the same write that may have been done says so. */
async function sure<Result>(isUnsure: boolean, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (cause) {
    if (!isUnsure || isHistoryError(cause, "OUTCOME_UNKNOWN")) throw cause;
    throw new HistoryError(
      "The answer to a write was lost, and others have written since: it may have been done. Read the thread again.",
      { code: "OUTCOME_UNKNOWN", details: { reason: "overwritten" }, cause },
    );
  }
}

function overtaken(): HistoryError {
  return new HistoryError(
    "Others wrote to the thread each time before this write. Nothing was written. Try again, or give it more time.",
    { code: "STORE_UNAVAILABLE", details: { outcome: "not-sent", reason: "contention" } },
  );
}

function rewound(expected: number, actual: number): HistoryError {
  return new HistoryError(
    "The thread is behind what this handle has seen of it: acknowledged writes were lost, or a backup was restored. Nothing was done. Read the thread again; the next call takes it as it is.",
    { code: "HISTORY_REWOUND", details: { expected, actual } },
  );
}
