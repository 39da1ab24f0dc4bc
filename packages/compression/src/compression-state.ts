import { isObject } from "@agent-history/core";
import type { HistoryEntry, JsonValue } from "@agent-history/core";

/**
 * Memory of one view between attempts, as small JSON. Keep it beside the thread (`store.setState`) and pass it
 * to the next call. A new view starts with `undefined`.
 */
export type CompressionState = {
  /** Consecutive failures. */
  readonly failures: number;
  /** Missing if the next attempt need not wait. */
  readonly wait?: CompressionWait;
};

/** The next attempt waits until this much was written after an entry. */
export type CompressionWait = {
  /** The newest entry of the view at the last attempt. */
  readonly afterId: string;
  /** Tokens of new entries that end the wait. */
  readonly growTokens: number;
};

/** Reads a stored state. An invalid one counts as new: losing it costs an attempt, never history. */
export function readState(value: JsonValue | undefined): CompressionState {
  const { failures, wait } = isObject(value) ? value : {};
  if (typeof failures !== "number" || !Number.isInteger(failures) || failures < 0) return NEW_STATE;
  const { afterId, growTokens } = isObject(wait) ? wait : {};
  const isWait = typeof afterId === "string" && typeof growTokens === "number";
  return isWait ? { failures, wait: { afterId, growTokens } } : { failures };
}

/** No failures, no wait. */
export const NEW_STATE: CompressionState = { failures: 0 };

/** Returns whether the history has not grown enough since the last attempt. */
export function isWaiting(
  { wait }: CompressionState,
  members: readonly HistoryEntry[],
  tokensOf: (entry: HistoryEntry) => number,
): boolean {
  if (wait === undefined) return false;
  const index = members.findLastIndex(({ id }) => id === wait.afterId);
  // The entry is gone: another compaction changed the view.
  if (index < 0) return false;
  const grown = members.slice(index + 1).reduce((sum, entry) => sum + tokensOf(entry), 0);
  return grown < Math.max(1, wait.growTokens);
}
