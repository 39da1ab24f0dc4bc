import { isHistoryError } from "@agent-history/core";
import type { HistoryStore, JsonValue } from "@agent-history/core";

/** A thread of a store. */
export interface StateThread {
  readonly store: HistoryStore;
  readonly threadId: string;
  readonly signal?: AbortSignal | undefined;
}

/** A stored value and its revision; empty if there is none yet. */
export type StoredState = Awaited<ReturnType<HistoryStore["getState"]>>;

const MAX_TRIES = 20;

/** Key of a value of the manager's state, distinct from other users' keys. */
export function stateKey(name: string): string {
  return `history-manager/${name}`;
}

/**
 * Writes a state that others may write concurrently, or whose acknowledgement may be lost: on a conflict it reads again, calls `next` again
 * and retries.
 *
 * @param next - Returns the value to write, given the stored one; `undefined` to leave it.
 * @param known - A value that was read before.
 * @returns What is stored afterwards.
 */
export async function updateState(
  { store, threadId, signal }: StateThread,
  key: string,
  next: (stored: StoredState) => JsonValue | undefined,
  known?: { readonly stored: StoredState },
): Promise<StoredState> {
  const options = signal && { signal };
  let read = known;
  for (let tries = 1; ; tries++) {
    const stored = read === undefined ? await store.getState(threadId, key, options) : read.stored;
    read = undefined;
    const value = next(stored);
    if (value === undefined) return stored;
    const expectedRevision = stored?.revision ?? 0;
    try {
      const change = { expectedRevision, ...options };
      const { revision } = await store.setState(threadId, key, value, change);
      return { value, revision };
    } catch (error) {
      const mayTry =
        isHistoryError(error, "VERSION_CONFLICT") || isHistoryError(error, "OUTCOME_UNKNOWN");
      if (!mayTry || tries >= MAX_TRIES) throw error;
    }
  }
}
