import { isHistoryError } from "@agent-history/core";
import type {
  FilterContext,
  HistoryEntry,
  HistoryFilter,
  HistoryQuery,
  ReadResult,
} from "@agent-history/core";

import type { HistoryManagerOptions } from "../history-manager-options.ts";
import type { ResolvedCall } from "./resolve-call.ts";

/** What a plan was read from, where a later call can go on without reading it again: the same view, which has only grown at its end. */
export interface ViewBasis {
  /** How the entries of the view were chosen. */
  readonly shape: string;
  /** Of the view when it was read. */
  readonly viewRevision: number;
  /** The id of the last entry that was read. */
  readonly last: string;
  /** The results of which sources are left out that nobody cited, with the numbers that are left. */
  readonly cited?: readonly (readonly [id: string, numbers: readonly number[]])[];
}

/**
 * Tells how the entries of a view are chosen, where what is appended to the thread changes nothing before it: the query shows everything, and
 * neither filter nor limits look back. Otherwise nothing: such a view is read whole.
 */
export function shapeOf(
  { query, filter, context, request }: ResolvedCall,
  { cleaner, maxHistoryShare = 1 }: HistoryManagerOptions,
): string | undefined {
  if (!showsEverything(query) || !givesAllBack(filter, context) || maxHistoryShare !== 1) {
    return undefined;
  }
  const { uploads = null, removeFromText } = request;
  const cleans = [cleaner !== undefined, removeFromText !== undefined];
  return JSON.stringify([filter.name, query, uploads, cleans]);
}

function showsEverything(query: HistoryQuery): boolean {
  const { clauses, view: _, splitExchanges: __, ...limits } = query;
  return isUnset(limits) && clauses.some(isUnset);
}

function isUnset(conditions: object): boolean {
  return Object.values(conditions).every((condition) => condition === undefined);
}

/** Returns whether a filter is nothing but its query: it gives back what it is given, and does not look at it. */
function givesAllBack(filter: HistoryFilter, context: FilterContext): boolean {
  let isLookedAt = false;
  const look = (): never => {
    isLookedAt = true;
    throw new TypeError("A filter looked at what it was given.");
  };
  const given: readonly HistoryEntry[] = new Proxy([], { get: look, has: look, ownKeys: look });
  try {
    return filter.refine(given, context) === given && !isLookedAt;
  } catch {
    return false;
  }
}

/** Tells whether a thread has grown since a version by these entries and what cannot be read, and by nothing else. */
export function hasGrownBy(
  added: readonly HistoryEntry[],
  since: number,
  { version, problems }: ReadResult,
): boolean {
  const unreadable = problems.filter(({ position }) => position >= since);
  return added.length + unreadable.length === version - since;
}

/** Returns whether a read failed for the entry that it was to go on behind: it is gone, or was replaced. */
function isGoneEntry(error: unknown): boolean {
  if (isHistoryError(error, "NOT_FOUND")) return true;
  return isHistoryError(error, "HISTORY_REWOUND") && error.details["entryId"] !== undefined;
}

/** Does what reads behind an entry; nothing where that is gone. */
export async function unlessGone<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isGoneEntry(error)) return undefined;
    throw error;
  }
}
