import { isHistoryError } from "@agent-history/core";
import type { HistoryStore, JsonValue } from "@agent-history/core";

/** Which thread of which store. */
export interface StateThread {
  readonly store: HistoryStore;
  readonly threadId: string;
  readonly signal?: AbortSignal | undefined;
}

/** A stored value and its revision; nothing where there is none yet. */
export type StoredState = Awaited<ReturnType<HistoryStore["getState"]>>;

const MAX_TRIES = 20;

/** Names a state of the manager, apart from those of others. */
export function stateKey(name: string): string {
  return `history-manager/${name}`;
}

/**
 * Writes a state that may be written by others at the same time, or whose answer may be lost: reads again, asks again what is to
 * be written, and tries again.
 *
 * @param next - Gives the value to write, from what is stored; nothing where it may stay.
 * @param known - What was read already.
 * @returns What is stored then.
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
