import { HistoryError } from "@agent-history/core";
import type { ExpectedVersion, HistoryView, ThreadMetadata } from "@agent-history/core";
import type { SoundMetadata } from "@agent-history/core/schema";

import { newKey } from "./keyed-hash.ts";
import { conflict, corrupt, jsonIn, threadDeleted } from "./store-errors.ts";
import { BEGINNING } from "./stored-log.ts";
import type { LogState } from "./stored-log.ts";
import type { Views, ViewState } from "./summaries.ts";

/** The internal thread that stores the names of deleted threads. Never listed. */
export const GRAVES = "\u0000deleted";

/** The format version of stored threads that this release writes: head, rows and items together. */
const THREAD_VERSION = 1;

export type Sealed = NonNullable<ThreadMetadata["sealed"]>;

/** Metadata of a thread besides its rows and items, stored as one small JSON text. */
export interface Head {
  /** Format version. */
  readonly v: number;
  /** Random key for the hashes of replaced and erased content. */
  readonly key: string;
  /** Id of the commit that wrote this head, to recognize it if its answer was lost. */
  readonly by: string;
  /** Name of the encryption key, if the thread is encrypted. */
  readonly keyName?: string;
  /** Why the thread's content cannot be decrypted. Never stored. */
  readonly sealed?: Sealed;
  /** Tombstone: the thread was deleted. */
  readonly isDeleted?: true;
  /** The thread is still being written by a fork or an import; invisible to all others. */
  readonly forming?: string;
  readonly isFork?: true;
  /** Number of erased entries. */
  readonly erased?: number;
  /** All entries before this position were erased, except those that every view shows. */
  readonly trimmed?: number;
  /** The operation that made the thread, if it was a fork with an operation id. */
  readonly madeBy?: string;
  readonly entryCount: number;
  /** The version is `entryCount + changes`. */
  readonly changes: number;
  /** Number of suffix replacements. In `kept`, replacement `nth` and all later ones kept the first `entries` entries. */
  readonly cuts: number;
  readonly kept: readonly (readonly [nth: number, entries: number])[];
  readonly log: LogState;
  readonly views: Views;
  /** Number of summaries ever committed. */
  readonly summaries: number;
  /** Highest revision among removed state values. */
  readonly removed: number;
  readonly about: SoundMetadata;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** The head of a thread without entries. */
export function newHead(now: number): Head {
  return {
    v: THREAD_VERSION,
    key: newKey(),
    by: "",
    entryCount: 0,
    changes: 0,
    cuts: 0,
    kept: [],
    log: BEGINNING,
    views: {},
    summaries: 0,
    removed: 0,
    about: {},
    createdAtMs: now,
    updatedAtMs: now,
  };
}

/**
 * Reads a head.
 *
 * @throws `HistoryError` with code `THREAD_CORRUPT` if it is not what this package writes, `UNKNOWN_VERSION` if a newer release wrote it.
 */
export function parseHead(text: string): Head {
  const head = jsonIn(text);
  if (!isHead(head)) throw corrupt("the head of the thread", { reason: "head" });
  if (head.v <= THREAD_VERSION) return head;
  throw new HistoryError(
    `Expected a thread of version ${THREAD_VERSION} or older; this one is of version ${head.v}. Use a newer release.`,
    { code: "UNKNOWN_VERSION", details: { version: head.v } },
  );
}

/** Checks the fields that all code relies on; only the version if a newer release wrote the head. */
function isHead(value: unknown): value is Head {
  if (typeof value !== "object" || value === null) return false;
  const head: Partial<Record<keyof Head, unknown>> = value;
  if (typeof head.v === "number" && head.v > THREAD_VERSION) return true;
  for (const one of [head.log, head.views, head.about])
    if (typeof one !== "object" || one === null) return false;
  return (
    typeof head.v === "number" &&
    Number.isSafeInteger(head.entryCount) &&
    Number.isSafeInteger(head.changes) &&
    Array.isArray(head.kept)
  );
}

/**
 * Returns the head of a visible thread; `undefined` if the thread does not exist or a fork or import is still writing it.
 *
 * @param inside - Also shows threads that are being written under this name.
 * @throws `HistoryError` with code `THREAD_DELETED`.
 */
export function presentHead(head: Head | undefined, inside?: string): Head | undefined {
  if (head?.isDeleted === true) throw threadDeleted();
  return head !== undefined && isPresent(head, inside) ? head : undefined;
}

/** Returns whether a thread is visible to users, or to the operation that is writing it. */
export function isPresent({ isDeleted, forming }: Head, inside?: string): boolean {
  return isDeleted !== true && (forming === undefined || forming === inside);
}

/** The version of a thread; `undefined` if the thread does not exist. */
export function versionOf(head: Head | undefined): number | undefined {
  return head && head.entryCount + head.changes;
}

/** The `trimmed` field of a log that is cut to its first `entries` entries. */
export function trimmedTo({ trimmed }: Head, entries: number): Pick<Head, "trimmed"> {
  return trimmed === undefined ? {} : { trimmed: Math.min(trimmed, entries) };
}

/** The state of a view. Without a view, nothing is hidden. */
export function viewStateIn(head: Head | undefined, view: HistoryView | undefined): ViewState {
  const known = view === undefined ? undefined : head?.views[view];
  return known ?? { revision: view === undefined ? 0 : (head?.cuts ?? 0), hidden: [], tops: [] };
}

/** The metadata that `list` returns. */
export function metadataOf(
  threadId: string,
  { about, createdAtMs, updatedAtMs, entryCount, isFork, sealed }: Head,
): ThreadMetadata {
  const { title, user, hold, tags = [] } = about;
  return {
    threadId,
    ...(typeof title === "string" && { title }),
    ...(typeof user === "string" && { user }),
    ...(typeof hold === "string" && { hold }),
    tags,
    createdAtMs,
    updatedAtMs,
    entryCount,
    ...(isFork === true && { isFork }),
    ...(sealed !== undefined && { sealed }),
  };
}

/** Returns whether a thread has the version that a write expects. `actual` is `undefined` if the thread does not exist. */
export function isVersionMet(expected: ExpectedVersion, actual: number | undefined): boolean {
  return (
    expected === "any" ||
    (expected === "none" && actual === undefined) ||
    (expected === "exists" && actual !== undefined) ||
    expected === (actual ?? 0)
  );
}

/**
 * Throws if a write expects another version.
 *
 * @throws `HistoryError` with code `VERSION_CONFLICT`.
 */
export function requireVersion(expected: ExpectedVersion, actual: number | undefined): void {
  if (!isVersionMet(expected, actual))
    throw conflict("the thread's version", expected, actual ?? 0);
}
