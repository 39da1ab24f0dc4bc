import { GLOBAL_OBSERVATION, OBSERVATION } from "@agent-history/core";
import type {
  HistoryEntry,
  HistoryQuery,
  HistoryStore,
  JsonObject,
  ReadResult,
} from "@agent-history/core";
import { integerCheck, recordCheck, validCopy } from "@agent-history/core/stored-form";

import { sourceNumbers } from "./source-numbers.ts";
import type { SourceNumbers } from "./source-numbers.ts";
import { stateKey, updateState } from "./thread-state.ts";
import type { StoredState } from "./thread-state.ts";
import { isGoneEntry } from "./view-basis.ts";

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

  return {
    version: () => version,
    offer: numbers.offer,
    sync: async (signal) => {
      const options = signal && { signal };
      if (version === undefined) {
        mark = await store.getState(threadId, stateKey("sources"), options);
        numbers.beginAt(markOf(mark));
      }
      const read = await readResults({ store, threadId, after: lastRead, signal }, numbers.forget);
      numbers.learn(read.entries);
      lastRead = read.entries.at(-1)?.id ?? lastRead;
      ({ version } = read);
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

async function readResults(
  from: {
    readonly store: HistoryStore;
    readonly threadId: string;
    readonly after: string | undefined;
    readonly signal: AbortSignal | undefined;
  },
  onGone: () => void,
): Promise<ReadResult> {
  const { store, threadId, after, signal } = from;
  const read = async (query: HistoryQuery): Promise<ReadResult> =>
    store.read(threadId, { query, originals: true, ...(signal && { signal }) });
  if (after === undefined) return read(RESULTS);
  try {
    return await read({ ...RESULTS, after });
  } catch (error) {
    if (!isGoneEntry(error)) throw error;
    // The store lost what it had kept, or it was replaced. A new process would not know the sources of it either.
    onGone();
    return read(RESULTS);
  }
}

const RESULTS: HistoryQuery = {
  clauses: [{ types: [OBSERVATION, GLOBAL_OBSERVATION] }],
  splitExchanges: true,
};

function isResult({ type }: HistoryEntry): boolean {
  return type === OBSERVATION || type === GLOBAL_OBSERVATION;
}

const markCheck = recordCheck<{ readonly next: number }>({ next: integerCheck() });

function markOf(stored: StoredState): number {
  return validCopy(markCheck, stored?.value)?.next ?? 1;
}
