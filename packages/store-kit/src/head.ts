import { HistoryError } from "@agent-history/core";
import type { ExpectedVersion, HistoryView, ThreadMetadata } from "@agent-history/core";
import type { SoundMetadata } from "@agent-history/core/schema";

import { newKey } from "./keyed-hash.ts";
import { corrupt, threadDeleted } from "./store-errors.ts";
import { BEGINNING } from "./stored-log.ts";
import type { LogState } from "./stored-log.ts";
import type { ViewState } from "./views.ts";

/** The thread that keeps the names of deleted ones. No list has it. */
export const GRAVES = "\u0000deleted";

/** The version of the stored threads that this release writes: head, rows and items together. */
const THREAD_VERSION = 1;

export type Sealed = NonNullable<ThreadMetadata["sealed"]>;

/** What is known of a thread besides its rows and items: one small JSON text. */
export interface Head {
  /** The version of its stored form. */
  readonly v: number;
  /** Random: hashes of what was replaced are made with it. */
  readonly key: string;
  /** The commit that wrote it, to be recognized when its answer is lost. */
  readonly by: string;
  /** The name of the key that it is encrypted with, if it is. */
  readonly keyName?: string;
  /** Why what it holds cannot be read. It is never stored. */
  readonly sealed?: Sealed;
  /** The thread was deleted: a tombstone. */
  readonly isDeleted?: true;
  /** The thread is still being written by a fork or an import, and not there for anybody else. */
  readonly forming?: string;
  readonly isFork?: true;
  /** How many entries were erased. */
  readonly erased?: number;
  /** All before this position was erased, but for what every view shows. */
  readonly trimmed?: number;
  /** The operation that made it, when that was a fork with an operation id. */
  readonly madeBy?: string;
  readonly entryCount: number;
  /** How much higher than that the version is. */
  readonly changes: number;
  /** How many suffixes were replaced; and up to which replacement how many first entries stayed since. */
  readonly cuts: number;
  readonly kept: readonly (readonly [nth: number, entries: number])[];
  readonly log: LogState;
  readonly views: Readonly<Record<string, ViewState>>;
  /** How many summaries there ever were. */
  readonly summaries: number;
  /** The highest revision of state that was removed. */
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
  let head: unknown;
  try {
    head = JSON.parse(text);
  } catch {
    // The engine's own error would quote the text.
  }
  if (!isHead(head)) throw corrupt("the head of the thread", { reason: "head" });
  if (head.v <= THREAD_VERSION) return head;
  throw new HistoryError(
    `Expected a thread of version ${THREAD_VERSION} or older; this one is of version ${head.v}. Use a newer release.`,
    { code: "UNKNOWN_VERSION", details: { version: head.v } },
  );
}

/** Of a newer release's head only the version is known. */
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
 * The head of a thread that is there for its users; `undefined` if there is none, or only a fork or an import in the making.
 *
 * @param inside - Shows what is in the making by this name.
 * @throws `HistoryError` with code `THREAD_DELETED`.
 */
export function presentHead(head: Head | undefined, inside?: string): Head | undefined {
  if (head?.isDeleted === true) throw threadDeleted();
  return head !== undefined && isPresent(head, inside) ? head : undefined;
}

/** Returns whether a thread is there for its users, or for those who are making it. */
export function isPresent({ isDeleted, forming }: Head, inside?: string): boolean {
  return isDeleted !== true && (forming === undefined || forming === inside);
}

/** The version of a thread; `undefined` if there is none. */
export function versionOf(head: Head | undefined): number | undefined {
  return head && head.entryCount + head.changes;
}

/** How far a log was trimmed, of which these first entries stay. */
export function trimmedTo({ trimmed }: Head, entries: number): Pick<Head, "trimmed"> {
  return trimmed === undefined ? {} : { trimmed: Math.min(trimmed, entries) };
}

/** What a view hides and shows; of no view nothing. */
export function viewStateIn(head: Head | undefined, view: HistoryView | undefined): ViewState {
  const known = view === undefined ? undefined : head?.views[view];
  return known ?? { revision: view === undefined ? 0 : (head?.cuts ?? 0), hidden: [], tops: [] };
}

/** What a list shows of a thread. */
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

/** Returns whether a thread has the version that a write expects; `undefined` if there is no thread. */
export function isVersionMet(expected: ExpectedVersion, actual: number | undefined): boolean {
  return (
    expected === "any" ||
    (expected === "none" && actual === undefined) ||
    (expected === "exists" && actual !== undefined) ||
    expected === (actual ?? 0)
  );
}

/**
 * Refuses a write that expects another version.
 *
 * @throws `HistoryError` with code `VERSION_CONFLICT`.
 */
export function requireVersion(expected: ExpectedVersion, actual: number | undefined): void {
  if (isVersionMet(expected, actual)) return;
  throw new HistoryError(
    `Expected the thread's version to be ${expected}, but it is ${actual ?? 0}. Read what is new, then write again.`,
    { code: "VERSION_CONFLICT", details: { expected, actual: actual ?? 0 } },
  );
}
