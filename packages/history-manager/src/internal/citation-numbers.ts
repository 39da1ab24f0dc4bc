import { GLOBAL_OBSERVATION, OBSERVATION } from "@agent-history/core";
import type {
  HistoryEntry,
  HistoryQuery,
  HistoryStore,
  JsonObject,
  ReadResult,
} from "@agent-history/core";
import { validCopy } from "@agent-history/core/schema";
import * as z from "zod/mini";

import { sourceNumbers } from "./source-numbers.ts";
import type { SourceNumbers } from "./source-numbers.ts";
import { stateKey, updateState } from "./thread-state.ts";
import type { StoredState } from "./thread-state.ts";
import { unlessGone } from "./view-basis.ts";

/**
 * The numbers that a thread's sources have. The log says what they are; this only remembers what it said, up to a version.
 *
 * A number is taken by writing it: the append expects the version that the ledger knows, so that of two who take the same number one is
 * refused, reads on, and takes the next.
 */
export interface CitationNumbers extends Pick<SourceNumbers, "offer"> {
  /** The version of the thread that the numbers are known up to. */
  readonly version: () => number | undefined;
  /** Reads what the log holds beyond what is known. */
  readonly sync: (signal?: AbortSignal) => Promise<void>;
  /** Takes note of entries that were written at a version. */
  readonly note: (entries: readonly HistoryEntry[], version: number) => void;
  /** Keeps how far the numbers go beside the log, so that a row that can no longer be read sets none of them free. */
  readonly mark: (signal?: AbortSignal) => Promise<void>;
}

/** Begins a ledger that knows nothing yet. */
export function citationNumbers(store: HistoryStore, threadId: string): CitationNumbers {
  const numbers = sourceNumbers();
  let mark: StoredState;
  let version: number | undefined;
  let lastRead: string | undefined;
  let replaced = 0;

  return {
    version: () => version,
    offer: numbers.offer,
    sync: async (signal) => {
      const options = signal && { signal };
      const read = async (query: HistoryQuery): Promise<ReadResult> =>
        store.read(threadId, { query, originals: true, ...options });
      if (version === undefined) {
        mark = await store.getState(threadId, stateKey("sources"), options);
        numbers.beginAt(markOf(mark));
      }
      const after = lastRead;
      const since =
        after === undefined ? undefined : await unlessGone(async () => read({ ...RESULTS, after }));
      const isGrown = since !== undefined && replacedBy(since) === replaced;
      // What was replaced, or lost by the store, a new process would not know either.
      if (!isGrown) numbers.forget();
      const results = isGrown ? since : await read(RESULTS);
      numbers.learn(results.entries);
      lastRead = results.entries.at(-1)?.id ?? lastRead;
      replaced = replacedBy(results);
      ({ version } = results);
    },
    note: (entries, written) => {
      // Where others wrote in between, what they wrote is still to be read.
      if (version === undefined || version + entries.length !== written) return;
      numbers.learn(entries);
      lastRead = entries.findLast(isResult)?.id ?? lastRead;
      version = written;
    },
    mark: async (signal) => {
      const next = numbers.next();
      const change = (stored: StoredState): JsonObject | undefined =>
        markOf(stored) < next ? { next } : undefined;
      const thread = { store, threadId, signal };
      mark = await updateState(thread, stateKey("sources"), change, { stored: mark });
    },
  };
}

/** By how much a log was longer than it is: grows with each end that is replaced, whatever ids are used again. */
function replacedBy({ version, entryCount }: ReadResult): number {
  return version - entryCount;
}

const RESULTS: HistoryQuery = {
  clauses: [{ types: [OBSERVATION, GLOBAL_OBSERVATION] }],
  splitExchanges: true,
};

function isResult({ type }: HistoryEntry): boolean {
  return type === OBSERVATION || type === GLOBAL_OBSERVATION;
}

const markCheck = z.object({ next: z.int() });

function markOf(stored: StoredState): number {
  return validCopy(markCheck, stored?.value)?.next ?? 1;
}
