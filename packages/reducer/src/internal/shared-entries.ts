import type { Decision } from "@agent-history/core";

/** Counts the entries at the beginning of a history that two plans of it decide alike upon, run by run. */
export function sharedEntries(one: readonly Decision[], other: readonly Decision[]): number {
  let sum = 0;
  for (const [nth, run] of one.entries()) {
    if (!isSame(run, other[nth])) break;
    sum += run.entryCount;
  }
  return sum;
}

function isSame(one: Decision, other: Decision | undefined): boolean {
  if (other === undefined) return false;
  const isAlike =
    one.from === other.from &&
    one.to === other.to &&
    one.entryCount === other.entryCount &&
    one.step === other.step &&
    one.reason === other.reason &&
    one.tokensBefore === other.tokensBefore &&
    one.tokensAfter === other.tokensAfter &&
    one.estimated === other.estimated;
  const isSameAction = (): boolean => JSON.stringify(one.action) === JSON.stringify(other.action);
  return isAlike && (one.action === other.action || isSameAction());
}
