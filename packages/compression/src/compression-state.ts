import type { HistoryEntry, JsonValue } from "@agent-history/core";

/**
 * What one view remembers from one try to the next, as small JSON: keep it beside the thread (`store.setState`) and pass it
 * again. A new view begins with `undefined`.
 */
export type CompressionState = {
  /** Failures in a row. */
  readonly failures: number;
  /** Missing where the next try is free. */
  readonly wait?: CompressionWait;
};

/** Nothing is tried until so much has been written after an entry. */
export type CompressionWait = {
  /** The newest entry of the view when it was tried. */
  readonly afterId: string;
  /** How many tokens of new entries end the wait. */
  readonly growTokens: number;
};

/** Reads a state as a store gives it back. What is none is a new one: a lost state costs a try, never a history. */
export function readState(value: JsonValue | undefined): CompressionState {
  if (typeof value !== "object" || value === null || !("failures" in value)) return NEW_STATE;
  const { failures, wait } = value;
  if (!Number.isInteger(failures) || Number(failures) < 0) return NEW_STATE;
  const count = { failures: Number(failures) };
  if (typeof wait !== "object" || wait === null || !("afterId" in wait)) return count;
  const { afterId, growTokens } = wait;
  if (typeof afterId !== "string" || typeof growTokens !== "number") return count;
  return { ...count, wait: { afterId, growTokens } };
}

/** Nothing failed, nothing to wait for. */
export const NEW_STATE: CompressionState = { failures: 0 };

/** Returns whether the history has not grown enough since the last try. */
export function isWaiting(
  { wait }: CompressionState,
  members: readonly HistoryEntry[],
  tokensOf: (entry: HistoryEntry) => number,
): boolean {
  if (wait === undefined) return false;
  const index = members.findLastIndex(({ id }) => id === wait.afterId);
  // What was newest then is gone: another compaction changed the view.
  if (index < 0) return false;
  const grown = members.slice(index + 1).reduce((sum, entry) => sum + tokensOf(entry), 0);
  return grown < Math.max(1, wait.growTokens);
}
