import type { ThreadHead } from "./thread-head.ts";
import { headOf } from "./thread-head.ts";

/** What the replacements of a thread's suffixes leave in its head. Small, however many they were. */
export interface Replacements {
  /** How many there were. */
  readonly count: number;
  /** How much higher than the number of entries the version is. */
  readonly changes: number;
  /**
   * Up to which replacement how many of the first entries have stayed since. Both rise; an older replacement than the first has the first one's. What was
   * drawn together says less than has stayed, never more.
   */
  readonly kept: readonly (readonly [nth: number, entries: number])[];
}

/** What a thread is at. */
export interface ThreadCounts {
  /** How many changes its log has had. */
  readonly version: number;
  readonly entryCount: number;
  /** How many suffixes were replaced: the revision of a view that nothing else has changed. */
  readonly replacements: number;
}

/** How many steps are kept. */
const MAX_STEPS = 32;

const NONE: Replacements = { count: 0, changes: 0, kept: [] };

/**
 * Reads the counts from a head; of a thread without entries, where there is none.
 *
 * @throws `HistoryError` with code `THREAD_CORRUPT` if it is no head.
 */
export function countsOf(head: string | undefined): ThreadCounts {
  return countsOfHead(headOf(head));
}

/** The same of a head that was read. */
export function countsOfHead({ version, replaced = NONE }: ThreadHead): ThreadCounts {
  return {
    version: version + replaced.changes,
    entryCount: version,
    replacements: replaced.count,
  };
}

/** Adds a replacement of all entries from the position `kept` on. */
export function withReplacement(
  { version, replaced: { count, changes, kept: before } = NONE }: ThreadHead,
  kept: number,
): Replacements {
  const steps = [...before.filter(([, entries]) => entries < kept), [count + 1, kept] as const];
  // The first of the steps stands for all before it: fewer entries may be said to have stayed.
  const [first, second, ...others] = steps;
  const isTooMany = first !== undefined && second !== undefined && steps.length > MAX_STEPS;
  return {
    count: count + 1,
    changes: changes + (version - kept) + 1,
    kept: isTooMany ? [[second[0], first[1]], ...others] : steps,
  };
}

/** Returns how many of the first entries have stayed since a replacement. */
export function keptSince({ version, replaced = NONE }: ThreadHead, nth: number): number {
  return replaced.kept.find(([last]) => last >= nth)?.[1] ?? version;
}

/** What the replacements of a thread left in its head: for a store that derives the head from the log. */
export function replacementsIn(head: string | undefined): Replacements {
  return headOf(head).replaced ?? NONE;
}

/** Puts that back into a head that was derived. */
export function withReplacements(head: string | undefined, replaced: Replacements): string {
  return JSON.stringify({ ...headOf(head), replaced });
}
