import { isHistoryError, sameJson } from "@agent-history/core";
import type { HistoryEntry, HistoryQuery, HistoryStore, ReadResult } from "@agent-history/core";

import { INSTRUCTIONS_ID } from "./managed-thread.ts";
import type { ManagedThread } from "./managed-thread.ts";
import type { PromptState, ReadingStart } from "./prompt-state.ts";
import type { ResolvedCall } from "./resolve-call.ts";

/** The stored entries that a call may see. */
export interface StoredView {
  readonly entries: readonly HistoryEntry[];
  readonly read: ReadResult;
  /** Where reading began; missing if the whole view was read. */
  readonly start?: ReadingStart | undefined;
}

/** A cached view: the same objects for the same entries, so that each is counted once. */
interface RememberedView {
  readonly entries: readonly HistoryEntry[];
  readonly version: number;
  readonly viewRevision: number;
  readonly start: ReadingStart | undefined;
  /** The query as JSON, if appending cannot change earlier results; otherwise missing. */
  readonly grows: string | undefined;
}

/** Views by thread and slot. Affects speed only. */
export type ViewCache = Map<string, RememberedView>;

/** Number of cached views of a store; the least recently used is dropped. */
const MAX_VIEWS = 32;

const caches = new WeakMap<HistoryStore, ViewCache>();

/** Returns the cache of a store, which short-lived managers share. */
export function viewCache(store: HistoryStore): ViewCache {
  const cache = caches.get(store) ?? new Map<string, RememberedView>();
  caches.set(store, cache);
  return cache;
}

/**
 * Reads what a call may see: what was appended to the cached view, else everything from the first entry that the plan keeps, else the whole view. One
 * consistent snapshot.
 */
export async function readView(
  thread: ManagedThread,
  call: ResolvedCall,
  state: PromptState | undefined,
): Promise<StoredView> {
  const { views } = thread;
  const known = views.get(keyOf(thread, call));
  const grows = growingQuery(thread, call);
  if (grows !== undefined) {
    const start = thread.reducer.needsWholeView === false ? state?.start : undefined;
    const isKnown = known?.grows === grows && sameJson(known.start ?? null, start ?? null);
    const grown = isKnown ? await unlessGone(() => readSince(thread, call, known)) : undefined;
    if (grown !== undefined) return grown;
    if (start !== undefined && state !== undefined) {
      const tail = await unlessGone(() => readFrom(thread, call, start, state.viewRevision));
      if (tail !== undefined) return { ...tail, entries: sameObjects(tail.entries, known) };
    }
  }
  return readWhole(thread, call);
}

/** Reads the whole view. */
export async function readWhole(thread: ManagedThread, call: ResolvedCall): Promise<StoredView> {
  const read = await readPart(thread, call, {});
  return { entries: sameObjects(read.entries, thread.views.get(keyOf(thread, call))), read };
}

/** Caches what the next call needs of a view. */
export function rememberView(
  thread: ManagedThread,
  call: ResolvedCall,
  { entries, read }: StoredView,
  start: ReadingStart | undefined,
): void {
  const { views } = thread;
  const key = keyOf(thread, call);
  views.delete(key);
  // The next call reads from the start on; the plan keeps some entries before it.
  const end = entries.findIndex(({ id }) => id === start?.after);
  const kept = new Set(start?.ids);
  views.set(key, {
    entries: entries.filter(({ id }, index) => index > end || kept.has(id)),
    version: read.version,
    viewRevision: read.viewRevision,
    start,
    grows: growingQuery(thread, call),
  });
  const [oldest] = views.keys();
  if (views.size > MAX_VIEWS && oldest !== undefined) views.delete(oldest);
}

/** Returns the query as JSON if appending cannot change earlier results: no clause, filter or limit looks back. */
function growingQuery({ options }: ManagedThread, call: ResolvedCall): string | undefined {
  const { query, filter } = call;
  const { clauses, view, wholeExchanges: _, ...limits } = query;
  // JSON omits undefined fields.
  const showsEverything =
    JSON.stringify(limits) === "{}" && clauses.some((clause) => JSON.stringify(clause) === "{}");
  const looksBack =
    filter.refine !== undefined ||
    (options.maxHistoryShare ?? 1) !== 1 ||
    // It may precede what is read.
    call.request.originalUserMessage !== undefined;
  return showsEverything && !looksBack ? JSON.stringify([filter.name, clauses, view]) : undefined;
}

/** Reads what was appended to a cached view; `undefined` if anything else changed. */
async function readSince(
  thread: ManagedThread,
  call: ResolvedCall,
  { entries, version, viewRevision, start }: RememberedView,
): Promise<StoredView | undefined> {
  const last = entries.at(-1)?.id;
  if (last === undefined) return undefined;
  const read = await readPart(thread, call, { after: last });
  const unreadable = read.problems.filter(({ position }) => position >= version);
  const hasGrown = read.entries.length + unreadable.length === read.version - version;
  if (read.viewRevision !== viewRevision || !hasGrown) return undefined;
  return { entries: [...entries, ...read.entries], read, start };
}

/** Most ids in one query. */
const MOST_IDS = 500;

/** Reads from the first entry that a plan keeps; `undefined` if the view did more than grow since. */
async function readFrom(
  thread: ManagedThread,
  call: ResolvedCall,
  start: ReadingStart,
  viewRevision: number,
): Promise<StoredView | undefined> {
  const { after, ids } = start;
  const [read, named] = await Promise.all([
    readPart(thread, call, { after }),
    ids.length === 0 ? undefined : readPart(thread, call, { clauses: [{ ids }] }),
  ]);
  const isOneMoment =
    read.viewRevision === viewRevision &&
    (named === undefined ||
      (named.version === read.version && named.viewRevision === viewRevision));
  return isOneMoment
    ? { entries: [...(named?.entries ?? []), ...read.entries], read, start }
    : undefined;
}

/** Returns where the next call starts reading if a plan drops many whole turns; `undefined` if earlier entries affect what is shown later. */
export function startOf(
  entries: readonly HistoryEntry[],
  plan: PromptState["plan"],
): ReadingStart | undefined {
  let index = 0;
  let end = 0;
  let after: HistoryEntry | undefined;
  const kept: HistoryEntry[][] = [];
  for (const { action, entryCount } of plan.decisions) {
    // A summary replaces its entries.
    if (action.kind === "summarize") return undefined;
    const run = entries.slice(index, (index += entryCount));
    if (action.kind !== "drop") kept.push(run);
    else if (entryCount >= LONG_RUN && entries[index]?.type === "user_message") {
      end = kept.length;
      after = run.at(-1);
    }
  }
  if (after === undefined) return undefined;
  // The call's instructions are in the plan but not in the store.
  const ids = kept
    .slice(0, end)
    .flatMap((run) => run.map(({ id }) => id))
    .filter((id) => id !== INSTRUCTIONS_ID);
  return ids.length > MOST_IDS ? undefined : { after: after.id, ids };
}

/** Shorter runs are simply read again. */
const LONG_RUN = 64;

async function readPart(
  { options: { store, threadId } }: ManagedThread,
  { query, request: { signal } }: ResolvedCall,
  part: Partial<HistoryQuery>,
): Promise<ReadResult> {
  const isPart = Object.keys(part).length > 0;
  return store.read(threadId, {
    // What a limit of the filter cuts in two is not sent; the part of a view is joined to what is known.
    query: { wholeExchanges: true, ...query, ...part, ...(isPart && { wholeExchanges: false }) },
    ...(signal && { signal }),
  });
}

/** Returns the cached objects of equal entries. */
function sameObjects(
  entries: readonly HistoryEntry[],
  known: RememberedView | undefined,
): readonly HistoryEntry[] {
  const byId = new Map(known?.entries.map((entry) => [entry.id, entry]));
  return entries.map((entry) => {
    const before = byId.get(entry.id) ?? entry;
    // An id may stand for other content: a summary that was made again, a replaced end, a thread that was created again.
    return sameJson(before, entry) ? before : entry;
  });
}

/** Returns `undefined` if the entry that a read should follow is gone or was replaced. */
async function unlessGone<Result>(
  work: () => Promise<Result | undefined>,
): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    const isGone =
      isHistoryError(error, "NOT_FOUND") ||
      (isHistoryError(error, "HISTORY_REWOUND") && error.details["entryId"] !== undefined);
    if (isGone) return undefined;
    throw error;
  }
}

function keyOf({ options: { threadId } }: ManagedThread, { slot }: ResolvedCall): string {
  return JSON.stringify([threadId, slot]);
}
