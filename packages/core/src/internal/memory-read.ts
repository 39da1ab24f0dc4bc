import type { HistoryEntry } from "../history-entry.ts";
import { HistoryError, isHistoryError } from "../history-error.ts";
import type { HistoryQuery, QueryClause } from "../history-query.ts";
import type { ReadResult } from "../history-store.ts";
import { selectPage, selectPageSteps } from "../select-page.ts";
import type { SelectedPage } from "../select-page.ts";
import { newestOf } from "./memory-tail.ts";
import { entryOf, tokensOf, versionOf, viewOfThread, viewRevisionOf } from "./memory-thread.ts";
import type { MemoryThread } from "./memory-thread.ts";
import { othersTurn, takeSteps } from "./take-turns.ts";

/** Reads a thread: the meaning of `HistoryStore.read`, written down once. What is long is read in steps, of the thread as it was when the call began. */
export async function readThread(
  thread: MemoryThread,
  query: HistoryQuery,
  { originals, signal }: { readonly originals: boolean; readonly signal: AbortSignal | undefined },
): Promise<ReadResult> {
  const { view } = query;
  const version = versionOf(thread);
  const entryCount = thread.log.length;
  const viewRevision = view === undefined ? 0 : viewRevisionOf(thread, view);
  const isWhole = originals || thread.overlays.every((summary) => summary.view !== view);
  const { entries, next } = await rewinding(thread, query, async () => {
    const part = readPart(thread, query, isWhole);
    // The log goes on while others have their turn.
    if (part !== undefined) return { ...part, entries: part.entries.slice() };
    const shown = isWhole ? thread.log.slice() : viewOfThread(thread, view);
    return takeSteps(selectPageSteps(shown, query), signal);
  });
  const state = {
    tokens: tokensOf(thread, entries),
    problems: [],
    version,
    entryCount,
    viewRevision,
    ...(next !== undefined && { next }),
  };
  return { entries: await copiesOf(entries, signal), ...state };
}

/** How many entries are copied before others have their turn. */
const PAGE = 1000;

/** Copies entries, in pages: those of the log are replaced, never changed, so that what is copied is one state of the thread. */
async function copiesOf(
  entries: readonly HistoryEntry[],
  signal: AbortSignal | undefined,
): Promise<readonly HistoryEntry[]> {
  if (entries.length <= PAGE) return structuredClone(entries);
  const copies: HistoryEntry[] = [];
  for (let from = 0; from < entries.length; from += PAGE) {
    for (const copy of structuredClone(entries.slice(from, from + PAGE))) copies.push(copy);
    await othersTurn(signal);
  }
  return copies;
}

/** Tells a reader whose last entry was replaced what of it has stayed. */
async function rewinding(
  { log, cuts, replaced }: MemoryThread,
  { after }: HistoryQuery,
  select: () => Promise<SelectedPage>,
): Promise<SelectedPage> {
  try {
    return await select();
  } catch (error) {
    const earlier = after === undefined ? undefined : replaced.get(after)?.[0];
    if (earlier === undefined || !isHistoryError(error, "NOT_FOUND")) throw error;
    const kept = cuts.slice(earlier.nth - 1).reduce((least, cut) => Math.min(least, cut), Infinity);
    const lastCommonId = log[kept - 1]?.id;
    throw new HistoryError(
      "The entry that `after` names was replaced. Read on behind `details.lastCommonId`, the last one before it that was not; without one, from the beginning.",
      {
        code: "HISTORY_REWOUND",
        details: { entryId: after, ...(lastCommonId !== undefined && { lastCommonId }) },
      },
    );
  }
}

/**
 * Looks at no more of the log than a query asks for: what stands before or after an entry, the newest entries, or entries by id. Nothing where
 * the rest of the thread may decide what is shown.
 */
function readPart(
  thread: MemoryThread,
  query: HistoryQuery,
  isWhole: boolean,
): SelectedPage | undefined {
  const { clauses, after, before, maxEntries, maxTokens } = query;
  if (isWhole && asksEverything(query)) return { entries: thread.log };
  if (isWhole && asksNewest(query)) return newestOf(thread.log, query);
  if (!isWhole || query.splitExchanges !== true || !Array.isArray(clauses)) return undefined;
  const isBounded = after !== undefined || before !== undefined;
  if (!isBounded && clauses.length > 0 && clauses.every(asksIds)) {
    const ids = new Set(clauses.flatMap((clause) => clause.ids ?? []));
    const indexes = [...ids].flatMap((id) => thread.entryIndexes.get(id) ?? []);
    const named = indexes.toSorted((one, other) => one - other);
    return selectPage(
      named.flatMap((index) => thread.log[index] ?? []),
      query,
    );
  }
  if (maxTokens !== undefined || !clauses.some(asksAll)) return undefined;
  const log = logBetween(thread, query);
  const page =
    log &&
    selectPage(log, {
      clauses,
      splitExchanges: true,
      ...(maxEntries !== undefined && { maxEntries }),
    });
  // What cannot be read is left out, and makes room for what stands before it.
  return page?.entries.length === Math.min(log?.length ?? 0, maxEntries ?? Infinity)
    ? page
    : undefined;
}

/** The log between the bounds of a query: of a limited one as much as tells whether there is more. */
function logBetween(
  thread: MemoryThread,
  { after, before, maxEntries = Infinity }: HistoryQuery,
): readonly HistoryEntry[] | undefined {
  if ([after, before].some((id) => id !== undefined && entryOf(thread, id) === undefined)) {
    return undefined;
  }
  const start = after === undefined ? 0 : (thread.entryIndexes.get(after) ?? 0) + 1;
  const end = before === undefined ? thread.log.length : (thread.entryIndexes.get(before) ?? 0);
  const isCut = maxEntries < end - start;
  return thread.log.slice(isCut ? end - maxEntries - 1 : start, Math.max(start, end));
}

function asksIds({ ids, ...others }: QueryClause): boolean {
  return Array.isArray(ids) && asksAll(others);
}

/** Returns whether a query shows every entry: nothing is left to be evaluated. */
function asksEverything({ clauses, after, before, maxEntries, maxTokens }: HistoryQuery): boolean {
  const limits = [after, before, maxEntries, maxTokens];
  const isUnlimited = limits.every((limit) => limit === undefined);
  return isUnlimited && Array.isArray(clauses) && clauses.length === 1 && clauses.every(asksAll);
}

/** Returns whether a query shows every entry up to a limit. */
function asksNewest({ clauses, after, before, maxEntries, maxTokens }: HistoryQuery): boolean {
  const isLimited = maxEntries !== undefined || maxTokens !== undefined;
  const isUnbounded = after === undefined && before === undefined;
  return isLimited && isUnbounded && Array.isArray(clauses) && clauses.some(asksAll);
}

function asksAll(clause: QueryClause): boolean {
  return Object.values(clause).every((condition) => condition === undefined);
}
