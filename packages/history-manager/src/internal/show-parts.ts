import type { HistoryEntry } from "@agent-history/core";

import { dropUncitedSources, hasSources, withNumbers } from "./drop-uncited-sources.ts";
import { keptIndexes, layOut, quotesOf } from "./lay-out.ts";
import type { KnownEntries } from "./lay-out.ts";
import type { ManagedThread } from "./managed-thread.ts";
import type { ProvenState, ViewParts } from "./read-since.ts";
import { cleanView, instructions, renderView, shareUploads } from "./read-view.ts";
import type { ShownView } from "./read-view.ts";
import type { ResolvedCall } from "./resolve-call.ts";
import type { UnreadEntries } from "./unread-entries.ts";

/** What a call works with. */
interface ShowingCall {
  readonly thread: ManagedThread;
  readonly call: ResolvedCall;
  readonly state: ProvenState;
}

/** Where a view is laid out. */
export interface ShowingList {
  readonly unread: UnreadEntries;
  /** The list of a plan that this one adds to. */
  readonly earlier: HistoryEntry[] | undefined;
}

/** What a call is to show, where parts of it were read. */
export interface PartedView extends ShownView {
  /** The planned view in its full length. */
  readonly laid: HistoryEntry[];
}

/**
 * Makes of what was read of a view what the call is to show, with what stands for the rest in its places: the same as of the whole view. Nothing
 * where that cannot be told.
 */
export async function showParts(
  { kept, dropped, added, read }: ViewParts,
  { thread, call, state }: ShowingCall,
  { unread, earlier }: ShowingList,
): Promise<PartedView | undefined> {
  const gaps = [...dropped.values()].flat();
  if (gaps.some(dependsOnOthers)) return undefined;
  const stored = [...kept, ...added];
  const quoted = new Set(quotesOf(state.plan).map(({ id }) => id));
  const dependsOn = (entry: HistoryEntry): boolean =>
    quoted.has(entry.id) && dependsOnOthers(entry);
  if (quoted.size > 0 && stored.some(dependsOn)) return undefined;
  const shared = await shareUploads(await cleanView(stored, thread, call), thread, call);
  const isNew = new Set(added.map(({ id }) => id));
  const planned = shared === stored ? kept : shared.filter(({ id }) => !isNew.has(id));
  const known = {
    kept: [instructions(thread, call), ...planned],
    dropped: await cleanGaps(dropped, thread, call),
    added: shared === stored ? added : shared.filter(({ id }) => isNew.has(id)),
  };
  const laid = layOut(state.plan, known, unread, gaps.length === 0 ? earlier : undefined);
  if (laid === undefined) return undefined;
  if (planned.some(isUpload) && hasEarlierUpload(laid, unread)) return undefined;
  const entries = renderView(laid, call);
  const last = added.at(-1)?.id ?? state.basis.last;
  const all = gaps.length === 0 ? stored : [...stored, ...gaps];
  const citedUntil = citedIn(entries, unread, state);
  return { entries, stored: all, last, read, citedUntil, laid };
}

async function cleanGaps(
  dropped: KnownEntries["dropped"],
  thread: ManagedThread,
  call: ResolvedCall,
): Promise<KnownEntries["dropped"]> {
  const cleaned = new Map<string | undefined, readonly HistoryEntry[]>();
  for (const [before, entries] of dropped) {
    cleaned.set(before, await cleanView(entries, thread, call));
  }
  return cleaned;
}

/** Returns whether what is shown of an entry is decided by others too: by newer uploads, or by who cited a source. */
function dependsOnOthers(entry: HistoryEntry): boolean {
  return hasSources(entry) || isUpload(entry);
}

/** Returns whether an upload stands before what was not read: what that has of the room for uploads is not known. */
function hasEarlierUpload(laid: readonly HistoryEntry[], unread: UnreadEntries): boolean {
  const end = laid.findLastIndex((entry) => unread.has(entry));
  return laid.slice(0, Math.max(0, end)).some((entry) => !unread.has(entry) && isUpload(entry));
}

function isUpload({ type, pinned }: HistoryEntry): boolean {
  return type === "attachment" && pinned !== true;
}

/** Leaves of results what was left of their sources before. Up to another answer all that was said must be read. */
function citedIn(
  entries: readonly HistoryEntry[],
  unread: UnreadEntries,
  { plan, basis: { cited = [] }, citedUntil }: ProvenState,
): ShownView["citedUntil"] {
  return (answer) => {
    if (answer === citedUntil) {
      const left = new Map(cited);
      if (left.size === 0) return entries;
      const shown = [...entries];
      for (const index of keptIndexes(plan)) {
        const entry = shown[index];
        if (entry !== undefined) shown[index] = withNumbers(entry, left.get(entry.id));
      }
      return shown;
    }
    const end = entries.findLastIndex((entry) => unread.has(entry));
    if (end < 0) return dropUncitedSources(entries, answer);
    const isAsked = entries.some((entry) => !unread.has(entry) && hasSources(entry));
    return isAsked ? unread.look() : entries;
  };
}
