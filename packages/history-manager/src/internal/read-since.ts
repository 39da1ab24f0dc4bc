import type { HistoryEntry, HistoryQuery, ReadResult, ReductionPlan } from "@agent-history/core";

import { INSTRUCTIONS_ID } from "./instructions-id.ts";
import { isGone, quotesOf } from "./lay-out.ts";
import type { KnownEntries } from "./lay-out.ts";
import type { ManagedThread } from "./managed-thread.ts";
import type { PromptState } from "./prompt-state.ts";
import type { ResolvedCall } from "./resolve-call.ts";
import { hasGrownBy, shapeOf, unlessGone } from "./view-basis.ts";
import type { ViewBasis } from "./view-basis.ts";

/** What was read of a view, as it stands in the store. */
export interface ViewParts extends KnownEntries {
  /** What came since the plan. */
  readonly added: ReadResult["entries"];
  readonly read: ReadResult;
}

/** What a call continues, with what proves that its view has only grown. */
export type ProvenState = PromptState & { readonly basis: ViewBasis };

/** Returns whether a call may continue a state: its view is chosen as it was, and nothing was repaired, which would be repaired again wherever it stands. */
export function isProvable(
  state: PromptState,
  call: ResolvedCall,
  { options }: ManagedThread,
): state is ProvenState {
  const { basis, plan } = state;
  return basis !== undefined && basis.shape === shapeOf(call, options) && plan.repairs.length === 0;
}

/**
 * Reads what a plan keeps and quotes, where that is not remembered, and what came since. Returns nothing where it cannot be proven that the view is the one
 * that the plan was made for and has only grown: by the thread's version, the view's revision, and the number of entries that came.
 */
export async function readSince(
  thread: ManagedThread,
  call: ResolvedCall,
  state: ProvenState,
): Promise<ViewParts | undefined> {
  return unlessGone(async () => {
    const parts = (await readNew(thread, call, state)) ?? (await readKept(thread, call, state));
    return parts && isGrown(parts, state) ? parts : undefined;
  });
}

/** Reads this many entries more of what the plan dropped, before an entry. */
export async function readBefore(
  thread: ManagedThread,
  call: ResolvedCall,
  {
    parts,
    before,
    count,
  }: { readonly parts: ViewParts; readonly before: string | undefined; readonly count: number },
): Promise<ViewParts | undefined> {
  return unlessGone(async () => {
    const end = before ?? parts.added[0]?.id;
    const page = { maxEntries: count, ...(end !== undefined && { before: end }) };
    const read = await readQuery(thread, call, page);
    if (!isSameMoment(read, parts.read)) return undefined;
    const entries = thread.memory.recall(call.slot, read.entries);
    return { ...parts, dropped: new Map(parts.dropped).set(before, entries) };
  });
}

/** Reads what came since, where this process remembers all that the plan keeps and quotes. */
async function readNew(
  thread: ManagedThread,
  call: ResolvedCall,
  { plan, basis }: ProvenState,
): Promise<ViewParts | undefined> {
  const remembered = thread.memory.of(call.slot);
  if (remembered?.viewRevision !== basis.viewRevision) return undefined;
  const { entries, prompt } = remembered;
  const kept = prompt?.state.plan === plan ? entries : keptUntil(basis.last, plan, entries);
  if (kept === undefined) return undefined;
  const read = await readQuery(thread, call, { after: basis.last });
  return { kept, dropped: new Map(), added: read.entries, read };
}

/** Finds what a plan keeps and quotes among entries that are remembered for another: some may have come since. Nothing where it is not all there. */
function keptUntil(
  last: string,
  plan: ReductionPlan,
  remembered: readonly HistoryEntry[],
): readonly HistoryEntry[] | undefined {
  const end = remembered.findIndex(({ id }) => id === last) + 1;
  const kept = remembered.slice(0, end);
  return end > 0 && hasAllOf(plan, kept) ? kept : undefined;
}

/** Returns whether entries are all that a plan keeps and quotes. */
function hasAllOf(plan: ReductionPlan, kept: readonly HistoryEntry[]): boolean {
  const ids = new Set(kept.map(({ id }) => id));
  const isKnown = (id: string): boolean => id === INSTRUCTIONS_ID || ids.has(id);
  const isAll = plan.decisions.every(
    ({ action, from, to }) => isGone(action) || (isKnown(from) && isKnown(to)),
  );
  return isAll && quotesOf(plan).every(({ id }) => isKnown(id));
}

/** A gap of this many dropped entries is not read. */
const LONG_GAP = 64;
/** A query takes this many ids. */
const MOST_IDS = 500;

/** Reads what the plan keeps and quotes and what came since: what stands behind the last long gap at once, what stands before by ids. */
async function readKept(
  thread: ManagedThread,
  call: ResolvedCall,
  { plan, basis }: ProvenState,
): Promise<ViewParts | undefined> {
  const gap = lastLongGap(plan);
  const after = plan.decisions[gap]?.to;
  const ids = namedIds(plan, gap);
  if (after === undefined || ids === undefined) return undefined;
  const queries: Partial<HistoryQuery>[] = [{ after }];
  for (let from = 0; from < ids.length; from += MOST_IDS) {
    queries.push({ clauses: [{ ids: ids.slice(from, from + MOST_IDS) }] });
  }
  const [read, ...named] = await Promise.all(
    queries.map(async (query) => readQuery(thread, call, query)),
  );
  if (read === undefined || named.some((one) => !isSameMoment(one, read))) return undefined;
  const end = read.entries.findIndex(({ id }) => id === basis.last) + 1;
  if (end === 0) return undefined;
  const all = [...named.flatMap(({ entries }) => entries), ...read.entries.slice(0, end)];
  const kept = thread.memory.recall(call.slot, all);
  return { kept, dropped: new Map(), added: read.entries.slice(end), read };
}

/** The last of the decisions that make up the last long gap; -1 where there is none. */
function lastLongGap({ decisions }: ReductionPlan): number {
  let length = 0;
  let last = -1;
  for (const [nth, { action, entryCount }] of [...decisions.entries()].toReversed()) {
    if (!isGone(action)) length = 0;
    else if (length === 0) last = nth;
    if (isGone(action)) length += entryCount;
    if (length > LONG_GAP) return last;
  }
  return -1;
}

async function readQuery(
  { options: { store, threadId } }: ManagedThread,
  { query, request: { signal } }: ResolvedCall,
  part: Partial<HistoryQuery>,
): Promise<ReadResult> {
  return store.read(threadId, {
    query: { ...query, ...part, splitExchanges: true },
    ...(signal && { signal }),
  });
}

function isSameMoment(one: ReadResult, other: ReadResult): boolean {
  return one.version === other.version && one.viewRevision === other.viewRevision;
}

/** The ids of what a plan keeps and quotes up to one of its runs, in the order of the view; nothing where one of them or its place is not told. */
function namedIds(plan: ReductionPlan, end: number): readonly string[] | undefined {
  const { decisions, hashes } = plan;
  const ids = new Map<number, string>();
  let kept = 0;
  let index = 0;
  for (const { action, from, to, entryCount } of decisions.slice(0, end + 1)) {
    for (let nth = 0; nth < entryCount && !isGone(action); nth++, kept++) {
      const name = hashes[kept];
      const named = name?.startsWith("=") === true ? name.slice(1) : undefined;
      const id = nth === 0 ? from : nth === entryCount - 1 ? to : named;
      if (id === undefined) return undefined;
      if (id !== INSTRUCTIONS_ID) ids.set(index + nth, id);
    }
    index += entryCount;
  }
  for (const quote of quotesOf(plan)) {
    if (quote.index === undefined) return undefined;
    if (quote.index < index) ids.set(quote.index, quote.id);
  }
  return [...ids].toSorted(([one], [other]) => one - other).map(([, id]) => id);
}

/** Returns whether a view has only grown, by as many entries as the thread. */
function isGrown({ added, read }: ViewParts, { version, basis }: ProvenState): boolean {
  return read.viewRevision === basis.viewRevision && hasGrownBy(added, version, read);
}
