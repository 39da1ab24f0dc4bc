import { GLOBAL_OBSERVATION, OBSERVATION } from "@agent-history/core";
import type { HistoryQuery, JsonValue } from "@agent-history/core";

import { stateKey, updateState } from "./thread-state.ts";
import type { StateThread, StoredState } from "./thread-state.ts";

/** A source that needs a number; one that was numbered by its caller brings it. */
export interface NumberedSource {
  readonly id: string;
  readonly number?: number;
}

/**
 * What a process knows of a thread's citation numbers. They stand in the store's state, in blocks that only grow, and are stored before they are used: a
 * number means one source permanently, whatever is replaced or erased and whichever process assigns it (L6). An erasure takes the id and leaves the number.
 */
export interface KnownNumbers {
  readonly numbers: Map<string, number>;
  next: number;
  /** The block that may still grow, and how many numbers it had. */
  block: number;
  size: number;
}

/** A number and the id of its source; none if that was erased. */
type Pair = [number: number, id: string | null];

/** Starts with nothing known. */
export function knownNumbers(): KnownNumbers {
  return { numbers: new Map(), next: 1, block: 0, size: 0 };
}

/** A value of state has a size limit, and an id has up to 2,000 characters. */
const BLOCK_SIZE = 100;

/** Returns the numbers of sources by their ids, and stores those that are new. Reads the block that may grow, so that it never relies on what it knew. */
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

/** Returns the id of the source that has a number; nothing if none has. */
export async function sourceOfNumber(
  thread: StateThread,
  number: number,
): Promise<string | undefined> {
  const pairs = (await readBlocks(thread)).flatMap(pairsIn);
  return pairs.find(([taken]) => taken === number)?.[1] ?? undefined;
}

/** Lets a fork begin with the numbers of its thread. */
export async function copyNumbers(thread: StateThread, forkId: string): Promise<void> {
  const fork = { ...thread, threadId: forkId };
  for (const [block, { value }] of (await readBlocks(thread)).entries()) {
    await updateState(fork, keyOf(block), (stored) => (stored === undefined ? value : undefined));
  }
}

/** The pairs of the sources that have no number yet. */
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

/** Learns the numbers of a block, and returns its pairs. */
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
