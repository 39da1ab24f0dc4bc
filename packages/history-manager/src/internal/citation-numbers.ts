import { GLOBAL_OBSERVATION, OBSERVATION } from "@agent-history/core";
import type { HistoryQuery, JsonValue } from "@agent-history/core";

import { stateKey, updateState } from "./thread-state.ts";
import type { StateThread, StoredState } from "./thread-state.ts";

/** A source that needs a number, or that the caller has numbered already. */
export interface NumberedSource {
  readonly id: string;
  readonly number?: number;
}

/**
 * A cache of a thread's citation numbers. They are kept in the store's state, in append-only blocks, and stored before they are used: a
 * number means one source permanently, whatever is replaced or erased and whichever process assigns it (L6). An erasure removes the id and keeps the number.
 */
export interface KnownNumbers {
  readonly numbers: Map<string, number>;
  next: number;
  /** The block that may still grow, and its length when it was read. */
  block: number;
  size: number;
}

/** A number and the id of its source, which is missing if it was erased. */
type Pair = [number: number, id: string | null];

/** Creates an empty cache. */
export function knownNumbers(): KnownNumbers {
  return { numbers: new Map(), next: 1, block: 0, size: 0 };
}

/** Values of state are limited in size, and an id may have 2,000 characters. */
const BLOCK_SIZE = 100;

/** Returns the numbers of sources by id, and stores new ones. Always reads the block that may grow, because other processes may have added to it. */
export async function numberSources(
  thread: StateThread,
  sources: readonly NumberedSource[],
  known: KnownNumbers = knownNumbers(),
): Promise<ReadonlyMap<string, number>> {
  let wanted = sources;
  for (;;) {
    const stored = await readBlock(thread, known.block);
    if (pairsIn(stored).length < known.size) {
      // The thread expired and was created again.
      Object.assign(known, knownNumbers());
      continue;
    }
    // A fork, or entries that were appended with their numbers.
    if (known.block === 0 && stored === undefined) {
      wanted = [...(await sourcesInLog(thread)), ...sources];
    }
    const next = (state: StoredState): JsonValue | undefined => {
      const held = learn(known, state);
      const added = newPairs(wanted, known).slice(0, BLOCK_SIZE - held.length);
      return added.length === 0 ? undefined : [...held, ...added];
    };
    learn(known, await updateState(thread, keyOf(known.block), next, { stored }));
    if (known.size < BLOCK_SIZE) return known.numbers;
    known.block += 1;
    known.size = 0;
  }
}

/** Returns the id of the source with a number, if any. */
export async function sourceOfNumber(
  thread: StateThread,
  number: number,
): Promise<string | undefined> {
  const pairs = (await readBlocks(thread)).flatMap(pairsIn);
  return pairs.find(([taken]) => taken === number)?.[1] ?? undefined;
}

/** Copies the numbers of a thread to its fork. */
export async function copyNumbers(thread: StateThread, forkId: string): Promise<void> {
  const fork = { ...thread, threadId: forkId };
  for (const [block, { value }] of (await readBlocks(thread)).entries()) {
    await updateState(fork, keyOf(block), (stored) => (stored === undefined ? value : undefined));
  }
}

/** Assigns numbers to sources that have none. */
function newPairs(wanted: readonly NumberedSource[], known: KnownNumbers): Pair[] {
  let { next } = known;
  const added = new Map<string, number>();
  for (const { id, number = next } of wanted) {
    if (known.numbers.has(id) || added.has(id)) continue;
    added.set(id, number);
    next = Math.max(next, number + 1);
  }
  return [...added].map(([id, number]) => [number, id]);
}

/** Caches the numbers of a block, and returns its pairs. */
function learn(known: KnownNumbers, stored: StoredState): Pair[] {
  const pairs = pairsIn(stored);
  for (const [number, id] of pairs) {
    if (id !== null && !known.numbers.has(id)) known.numbers.set(id, number);
    known.next = Math.max(known.next, number + 1);
  }
  known.size = pairs.length;
  return pairs;
}

/** The sources of all results, by number. */
export const RESULTS: HistoryQuery = {
  clauses: [{ types: [OBSERVATION, GLOBAL_OBSERVATION] }],
};

async function sourcesInLog(thread: StateThread): Promise<readonly NumberedSource[]> {
  const { store, threadId, signal } = thread;
  const options = { query: RESULTS, originals: true, ...(signal && { signal }) };
  const { entries } = await store.read(threadId, options);
  const sources = entries.flatMap((entry) => ("sources" in entry ? (entry.sources ?? []) : []));
  return sources.toSorted((one, other) => one.number - other.number);
}

async function readBlocks(thread: StateThread): Promise<readonly NonNullable<StoredState>[]> {
  const blocks: NonNullable<StoredState>[] = [];
  for (;;) {
    const block = await readBlock(thread, blocks.length);
    if (block === undefined) return blocks;
    blocks.push(block);
  }
}

async function readBlock(thread: StateThread, block: number): Promise<StoredState> {
  const { store, threadId, signal } = thread;
  return store.getState(threadId, keyOf(block), signal && { signal });
}

function keyOf(block: number): string {
  return stateKey(`sources/${block}`);
}

function pairsIn(stored: StoredState): Pair[] {
  return Array.isArray(stored?.value) ? stored.value.filter(isPair) : [];
}

function isPair(value: unknown): value is Pair {
  if (!Array.isArray(value)) return false;
  return Number.isSafeInteger(value[0]) && (typeof value[1] === "string" || value[1] === null);
}
