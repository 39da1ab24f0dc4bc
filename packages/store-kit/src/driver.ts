import { HistoryError } from "@agent-history/core";

import { corrupt, jsonIn } from "./store-errors.ts";

/**
 * The lane by which a row can be read besides its position: `m` for entries that every view shows at any position (instructions, memories, pinned entries), `c` for the conversation,
 * `h` for traces and everything else, which are read by position only.
 */
export type Lane = "m" | "c" | "h";

/** Parses a stored lane; anything unknown is `h`. */
export function laneOfText(text: unknown): Lane {
  return text === "m" || text === "c" ? text : "h";
}

/** A row of a log. The driver reads its position and lane; its text is opaque to the driver. */
export interface Row {
  readonly position: number;
  readonly lane: Lane;
  readonly text: string;
}

/**
 * Small values stored beside the rows, by kind and key: `i` ids, `t` turns, `a` last tasks of agents, `o` summaries, `p` operations, `s` state, `e` erased entries. A value that refers to a row
 * begins with the row's position in digits.
 */
export type Item = readonly [kind: ItemKind, key: string, value: string];
export type ItemKey = readonly [kind: ItemKind, key: string];
export type ItemKind = "i" | "t" | "a" | "o" | "p" | "s" | "e";

/** One lookup of a read. */
export type Ask =
  /** Rows from position `from` up to `to` (exclusive): the last `limit` of them, or the first if `forward`; from one lane, or from all. */
  | {
      readonly kind: "rows";
      readonly from: number;
      readonly to: number;
      readonly limit: number;
      readonly lane?: "m" | "c";
      readonly forward?: boolean;
    }
  /** Items of a kind: those with the given keys, or all if `keys` is missing. `withRows` adds the rows at the positions that the values begin with. */
  | {
      readonly kind: "items";
      readonly of: ItemKind;
      readonly keys?: readonly string[];
      readonly withRows?: boolean;
    }
  /** The keys of all items of a kind, with empty values. */
  | { readonly kind: "keys"; readonly of: ItemKind };

/** The result of one lookup. Rows are ordered by position. */
export interface Answer {
  readonly rows: readonly Row[];
  readonly items: ReadonlyMap<string, string>;
}

/** A change to a thread, committed atomically. */
export interface Change {
  /** The stamp that the thread must have; 0 if the thread must not exist. */
  readonly stamp: number;
  /** The new head. The commit increments the stamp by one. */
  readonly head: string;
  /** Items that must not exist. */
  readonly absent?: readonly ItemKey[];
  /** Removes all rows and items before the rest of the change. */
  readonly wipe?: boolean;
  /** Removes the rows from this position on, before the rest of the change. */
  readonly keep?: number;
  /** Existing rows with their new text. */
  readonly rewrite?: readonly Row[];
  /** Rows to append, in order. */
  readonly rows?: readonly Row[];
  readonly drop?: readonly ItemKey[];
  /** Items to write; if a key occurs twice, the last value wins. */
  readonly put?: readonly Item[];
  /** Removes the thread: rows, items, head and name. Its stamp is 0 afterwards, as if it had never existed. */
  readonly gone?: true;
  /** How `list` finds the thread. Missing if the thread is removed, and for the store's internal thread, which is never listed. */
  readonly listed?: Listing;
}

/** The fields by which `list` finds a thread. */
export interface Listing {
  readonly user?: string | undefined;
  readonly updatedAtMs: number;
}

/** Options of a driver call. */
export interface DriverCall {
  /** Fires at the deadline or when the caller aborts. Commands that are not yet sent can be dropped. */
  readonly signal?: AbortSignal | undefined;
}

/** The result of a read, from one consistent state of the thread. Stamp 0 and no head if the thread does not exist. */
export interface DriverRead {
  readonly stamp: number;
  readonly head?: string;
  /** One answer for each ask, in order. */
  readonly answers: readonly Answer[];
}

/** Query of `list`. */
export interface DriverList {
  readonly user?: string;
  /** If true, sorts by `updatedAtMs`, newest first, then by name; otherwise by name. */
  readonly byTime: boolean;
  /** Prefix of the names. A driver may ignore it: the store checks each name. */
  readonly prefix: string;
  /** The `end` of the previous page. */
  readonly after?: ListPlace;
  readonly limit: number;
}

/** A position in a list, in the driver's sort order. */
export type ListPlace = readonly [time: number, name: string];

/** A page of a list: thread names with their heads. A page may have fewer threads than `limit`, or none, if it returns `end`. */
export interface DriverPage {
  readonly threads: readonly (readonly [thread: string, head: string])[];
  /** Missing on the last page. */
  readonly end?: ListPlace | undefined;
}

/**
 * The storage engine under `threadStore`. Each method is one atomic round trip. Drivers know nothing about entries and never parse texts.
 *
 * A method fails with a `HistoryError`: `STORE_UNAVAILABLE` if nothing was written, `OUTCOME_UNKNOWN` if a commit was sent and its answer was lost. If `details.retry` is `true`, the kit
 * retries until the deadline.
 */
export interface ThreadDriver {
  /** Returns the name of a thread's encryption key, which is stored in its head; called when a thread begins and when its user changes. Only for a driver that encrypts. */
  keyName?(thread: string, user: string | undefined): Promise<string>;
  /** Runs all lookups on one consistent state of the thread. */
  read(thread: string, asks: readonly Ask[], call?: DriverCall): Promise<DriverRead>;
  /** Returns whether all conditions were met; otherwise nothing was written. */
  commit(thread: string, change: Change, call?: DriverCall): Promise<boolean>;
  list(options: DriverList, call?: DriverCall): Promise<DriverPage>;
  ping(call?: DriverCall): Promise<void>;
  close(): Promise<void>;
}

/** What a driver knows about a failed round trip. */
export interface DriverFailure {
  /** `not-sent` and `rejected`: nothing was written. `unknown`: the write may have been applied. */
  readonly outcome: "not-sent" | "rejected" | "unknown";
  /** The reason, in a word. Never text from the client or the server, which may quote credentials or content. */
  readonly reason: string;
  /** Whether the same call may succeed a moment later: the kit retries. Default `false`. */
  readonly isPassing?: boolean | undefined;
  /** Advice for the error message. Default: "Try again." */
  readonly advice?: string | undefined;
  readonly cause?: unknown;
}

/** Returns the error that a driver method throws for a failed read, or for a failed write, whose answer may be lost. */
export function driverFailure(
  what: "read" | "write",
  { outcome, reason, isPassing = false, advice = "Try again.", cause }: DriverFailure,
): HistoryError {
  const details = { reason, ...(isPassing && { retry: true }) };
  if (what === "write" && outcome === "unknown") {
    return new HistoryError(
      `The write was sent, but its response was lost (${reason}). Retry with the same ids: stored entries are not duplicated.`,
      { code: "OUTCOME_UNKNOWN", details, cause },
    );
  }
  return new HistoryError(`Nothing was written (${reason}). ${advice}`, {
    code: "STORE_UNAVAILABLE",
    details: { ...details, outcome: outcome === "rejected" ? "rejected" : "not-sent" },
    cause,
  });
}

/**
 * Encodes a text so that different texts stay different in an SQL database: NUL and lone surrogates, which UTF-8 cannot encode, are escaped as in JSON.
 * The key of a prefix is a prefix of the key, unless the prefix ends within a surrogate pair.
 */
export function textKey(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/**
 * Decodes a key back to its text.
 *
 * @throws `HistoryError` with code `THREAD_CORRUPT` if it is not a valid key. The error does not quote the key.
 */
export function keyText(key: string): string {
  const text = jsonIn(`"${key}"`);
  if (typeof text === "string") return text;
  throw corrupt("the stored names", { reason: "name" });
}
