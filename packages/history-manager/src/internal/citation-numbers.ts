import { GLOBAL_OBSERVATION, OBSERVATION } from "@agent-history/core";
import type { HistoryEntry, HistoryQuery, HistoryStore, ReadResult } from "@agent-history/core";

import type { UnnumberedSource } from "../tool-call-result.ts";
import { unlessGone } from "./read-view.ts";
import { isRecord, stateKey, updateState } from "./thread-state.ts";
import type { StoredState } from "./thread-state.ts";

/**
 * The numbers that the sources of a thread have: what the log says, up to a version, and how far numbers were reserved.
 *
 * A number is reserved in the store, and taken by an append that expects the version that the ledger knows. Of two processes that take the same number one is
 * refused, reads on, and takes the next. A reserved number is never given to another source, even if its result is replaced.
 */
export interface CitationNumbers {
  /** The version of the thread that the numbers are known up to. */
  readonly version: () => number | undefined;
  /** Reads what the log and other processes added. `isRefused`: what was reserved last was not written, and is free. */
  readonly sync: (signal?: AbortSignal, isRefused?: boolean) => Promise<void>;
  /** Returns a function that gives each source its number, or the next free one. Takes none. */
  readonly offer: () => (source: UnnumberedSource) => number;
  /** Stores that the numbers of these entries are taken. */
  readonly reserve: (entries: readonly HistoryEntry[], signal?: AbortSignal) => Promise<void>;
  /** Notes entries that were written at a version. */
  readonly note: (entries: readonly HistoryEntry[], version: number) => void;
}

/** Begins a ledger that knows nothing yet. */
export function citationNumbers(store: HistoryStore, threadId: string): CitationNumbers {
  const numbers = new Map<string, number>();
  let next = 1;
  let mark: StoredState;
  /** What was reserved before this process reserved more, and by which revision it did. */
  let before: { readonly next: number; readonly revision: number | undefined } | undefined;
  let version: number | undefined;
  let lastRead: string | undefined;
  let replaced = 0;

  const learn = (entries: readonly HistoryEntry[]): void => {
    for (const { id, number } of entries.flatMap(sourcesOf)) {
      if (!numbers.has(id)) numbers.set(id, number);
      next = Math.max(next, number + 1);
    }
  };
  return {
    version: () => version,
    sync: async (signal, isRefused = false) => {
      const options = signal && { signal };
      const read = async (query: HistoryQuery): Promise<ReadResult> =>
        store.read(threadId, { query, originals: true, ...options });
      const after = lastRead;
      const since =
        after === undefined ? undefined : await unlessGone(() => read({ ...RESULTS, after }));
      const isGrown = since !== undefined && replacedBy(since) === replaced;
      // A new process would not know what was replaced either.
      if (!isGrown) numbers.clear();
      const results = isGrown ? since : await read(RESULTS);
      // Read after the log: what the log lost meanwhile was reserved before.
      mark = await store.getState(threadId, KEY, options);
      const isOurs = isRefused && before !== undefined && before.revision === mark?.revision;
      next = Math.max(next, isOurs ? (before?.next ?? 1) : reservedIn(mark));
      learn(results.entries);
      lastRead = results.entries.at(-1)?.id ?? lastRead;
      replaced = replacedBy(results);
      ({ version } = results);
    },
    offer: () => offerFrom(numbers, next),
    reserve: async (entries, signal) => {
      const given = entries.flatMap(sourcesOf).map(({ number }) => number + 1);
      const end = given.reduce((most, number) => Math.max(most, number), 1);
      const thread = { store, threadId, signal };
      let known: number | undefined;
      mark = await updateState(
        thread,
        KEY,
        (stored) => {
          known = reservedIn(stored) < end ? reservedIn(stored) : undefined;
          return known === undefined ? undefined : { next: end };
        },
        { stored: mark },
      );
      before = known === undefined ? undefined : { next: known, revision: mark?.revision };
    },
    note: (entries, written) => {
      // If others wrote in between, their entries are still to be read.
      if (version === undefined || version + entries.length !== written) return;
      learn(entries);
      lastRead = entries.findLast((entry) => isResult(entry))?.id ?? lastRead;
      version = written;
    },
  };
}

/** Gives each source the number it has, or the next free one. */
function offerFrom(
  numbers: ReadonlyMap<string, number>,
  next: number,
): (source: UnnumberedSource) => number {
  const offered = new Map<string, number>();
  return ({ id }) => {
    const number = numbers.get(id) ?? offered.get(id) ?? next + offered.size;
    if (!numbers.has(id)) offered.set(id, number);
    return number;
  };
}

const KEY: string = stateKey("sources");

const RESULTS: HistoryQuery = {
  clauses: [{ types: [OBSERVATION, GLOBAL_OBSERVATION] }],
};

/** By how much a log was longer than it is: grows with each end that is replaced, whatever ids are used again. */
function replacedBy({ version, entryCount }: ReadResult): number {
  return version - entryCount;
}

type Result = Extract<HistoryEntry, { readonly type: "observation" | "global_observation" }>;

function isResult(entry: HistoryEntry): entry is Result {
  return entry.type === OBSERVATION || entry.type === GLOBAL_OBSERVATION;
}

function sourcesOf(entry: HistoryEntry): NonNullable<Result["sources"]> {
  return isResult(entry) ? (entry.sources ?? []) : [];
}

/** The first number that nobody reserved. */
function reservedIn(stored: StoredState): number {
  const value = stored?.value;
  const next = isRecord(value) ? value["next"] : undefined;
  return typeof next === "number" && Number.isSafeInteger(next) ? next : 1;
}
