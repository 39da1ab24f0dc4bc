import type { JsonValue } from "@agent-history/core";

import { isTextList, stateKey, updateState } from "./thread-state.ts";
import type { StateThread } from "./thread-state.ts";

/**
 * The first number of a recalled entry. Results of other tools are numbered from 1 in the log; two counters in one range could give one number to two
 * sources, because log and state are not written together.
 */
export const FIRST_RECALLED = 1_000_001;

/** A state has a size limit, and an id up to 2,000 characters. */
const BLOCK_SIZE = 100;

/** Returns entries their numbers, and keeps them in the store first: the same entry has the same number permanently, in each process (L6). */
export async function numberEntries(
  thread: StateThread,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const numbers = new Map<string, number>();
  for (let block = 0; numbers.size < new Set(ids).size; block++) {
    const open = ids.filter((id) => !numbers.has(id));
    const stored = await updateState(thread, keyOf(block), (state) => {
      const known = idsOf(state?.value);
      const added = [...new Set(open)].filter((id) => !known.includes(id));
      const next = [...known, ...added].slice(0, BLOCK_SIZE);
      return next.length === known.length ? undefined : next;
    });
    for (const [index, id] of idsOf(stored?.value).entries()) {
      if (open.includes(id)) numbers.set(id, FIRST_RECALLED + block * BLOCK_SIZE + index);
    }
  }
  return numbers;
}

/** Returns the id of the entry that has a number; nothing where none has. */
export async function entryOfNumber(
  { store, threadId, signal }: StateThread,
  number: number,
): Promise<string | undefined> {
  const index = number - FIRST_RECALLED;
  if (!Number.isSafeInteger(index) || index < 0) return undefined;
  const key = keyOf(Math.floor(index / BLOCK_SIZE));
  const state = await store.getState(threadId, key, signal && { signal });
  return idsOf(state?.value)[index % BLOCK_SIZE];
}

/** The states that hold numbers, for who moves a thread. */
async function recalledStates({
  store,
  threadId,
  signal,
}: StateThread): Promise<readonly { readonly key: string; readonly value: JsonValue }[]> {
  const states: { readonly key: string; readonly value: JsonValue }[] = [];
  for (let block = 0; ; block++) {
    const stored = await store.getState(threadId, keyOf(block), signal && { signal });
    if (stored === undefined) return states;
    states.push({ key: keyOf(block), value: stored.value });
  }
}

/** Lets a fork begin with the numbers of its thread, which stand in the answers that it shares. */
export async function copyNumbers(thread: StateThread, forkId: string): Promise<void> {
  const fork = { ...thread, threadId: forkId };
  for (const { key, value } of await recalledStates(thread)) {
    await updateState(fork, key, (stored) => (stored === undefined ? value : undefined));
  }
}

function keyOf(block: number): string {
  return stateKey(`recalled/${block}`);
}

function idsOf(value: unknown): readonly string[] {
  return isTextList(value) ? value : [];
}
