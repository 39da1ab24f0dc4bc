/**
 * Where a row is found besides by its position: `m` what every view shows wherever it stands (instructions, memories, pins), `c` conversation, `l` reports and plans, `h` traces and
 * all else, which are found by position alone.
 */
export type Lane = "m" | "c" | "l" | "h";

/** Reads a lane that a driver has kept. */
export function laneOfText(text: unknown): Lane {
  return text === "m" || text === "c" || text === "l" ? text : "h";
}

/** A row of a log. The driver reads its position and lane; its text is opaque. */
export interface Row {
  readonly position: number;
  readonly lane: Lane;
  readonly text: string;
}

/**
 * Small values beside the rows, by kind and key: `i` ids, `t` turns, `a` last tasks of agents, `o` summaries, `p` operations, `s` state, `e` erased entries. A value that names a row begins with its
 * position in digits.
 */
export type Item = readonly [kind: ItemKind, key: string, value: string];
export type ItemKey = readonly [kind: ItemKind, key: string];
export type ItemKind = "i" | "t" | "a" | "o" | "p" | "s" | "e";

/** One look-up of a read. */
export type Ask =
  /** Rows from position `from` up to `to` (exclusive): the last `limit` of them, or the first where `forward`; of one lane, or of all. */
  | {
      readonly kind: "rows";
      readonly from: number;
      readonly to: number;
      readonly limit: number;
      readonly lane?: "m" | "c" | "l";
      readonly forward?: boolean;
    }
  /** Items of a kind by keys, all of them without keys; with the rows at the positions that their values begin with. */
  | {
      readonly kind: "items";
      readonly of: ItemKind;
      readonly keys?: readonly string[];
      readonly withRows?: boolean;
    }
  /** The keys of all items of a kind, with empty values. */
  | { readonly kind: "keys"; readonly of: ItemKind };

/** What an ask found. Rows are in the order of their positions. */
export interface Answer {
  readonly rows: readonly Row[];
  readonly items: ReadonlyMap<string, string>;
}

/** What a commit does: all of it or nothing. */
export interface Change {
  /** The stamp that the thread must have; 0 if there must be no thread. */
  readonly stamp: number;
  /** The new head. The stamp rises by one. */
  readonly head: string;
  /** Items that must not exist. */
  readonly absent?: readonly ItemKey[];
  /** Removes all rows and items first. */
  readonly wipe?: boolean;
  /** Removes the rows from this position on first. */
  readonly keep?: number;
  /** Rows that are there, with another text. */
  readonly rewrite?: readonly Row[];
  /** Rows that follow the last one, in order. */
  readonly rows?: readonly Row[];
  readonly drop?: readonly ItemKey[];
  /** Items to write; of two with one key the last counts. */
  readonly put?: readonly Item[];
  /** Removes the thread at the end: rows, items, head and name. Its stamp is 0 then, as if it had never been. */
  readonly gone?: true;
  /** The name of the key that the thread was encrypted with, where its head names another now. Only for a driver that encrypts. */
  readonly formerKey?: string;
  /** How `list` finds the thread. Missing where it is gone, and for the store's own thread, which no list has. */
  readonly listed?: Listing;
}

/** How a list finds a thread. */
export interface Listing {
  readonly user?: string | undefined;
  readonly updatedAtMs: number;
}

/** What a driver is told about a call. */
export interface DriverCall {
  /** Fires at the deadline or when the caller gives up: a command that was not sent yet need not be sent. */
  readonly signal?: AbortSignal | undefined;
}

/** What a read found, in one state of the thread. Stamp 0 and no head if there is none. */
export interface DriverRead {
  readonly stamp: number;
  readonly head?: string;
  /** One for each ask, in order. */
  readonly answers: readonly Answer[];
}

/** Which threads a list wants. */
export interface DriverList {
  readonly user?: string;
  /** Newest first by `updatedAtMs`, ties by name; else by name. */
  readonly byTime: boolean;
  /** What names begin with. A driver may ignore it: the store looks at each name. */
  readonly prefix: string;
  /** Where the page before ended. */
  readonly after?: ListPlace;
  readonly limit: number;
}

/** A place in a list, as its driver orders it. */
export type ListPlace = readonly [time: number, name: string];

/** A page of a list: heads of threads by name. A page may be short, even empty, as long as it says where it ended. */
export interface DriverPage {
  readonly threads: readonly (readonly [thread: string, head: string])[];
  /** Missing if there is no more. */
  readonly end?: ListPlace | undefined;
}

/**
 * What an engine does for `threadStore`. Each verb is one atomic round, knows nothing of entries, and never looks into texts.
 *
 * A verb fails with a `HistoryError`: `STORE_UNAVAILABLE` if nothing was written, `OUTCOME_UNKNOWN` if a commit was sent and its answer lost. With `details.retry: true` the kit tries again
 * until the deadline.
 */
export interface ThreadDriver {
  /** Names the key of a thread, for its head. Only of a driver that encrypts. */
  keyName?(thread: string, user: string | undefined): Promise<string>;
  /** Looks up, in one state of the thread. */
  read(thread: string, asks: readonly Ask[], call?: DriverCall): Promise<DriverRead>;
  /** Returns whether all conditions were met; if not, nothing was done. */
  commit(thread: string, change: Change, call?: DriverCall): Promise<boolean>;
  list(options: DriverList, call?: DriverCall): Promise<DriverPage>;
  ping(call?: DriverCall): Promise<void>;
  close(): Promise<void>;
}
