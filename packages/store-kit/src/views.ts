import type { HistoryEntry, HistoryView, SummaryEntry } from "@agent-history/core";
import type { HistoryError } from "@agent-history/core";
import { isInView } from "@agent-history/core";

import type { Answer } from "./driver.ts";
import { corrupt } from "./store-errors.ts";
import { entryOf } from "./stored-log.ts";

/** What a view hides and shows in place of it. */
export interface ViewState {
  readonly revision: number;
  /** Positions between which members of the view are hidden, inclusive, in order. */
  readonly hidden: readonly Span[];
  /** The summaries that are shown, with the place of each, in order. */
  readonly tops: readonly (readonly [place: number, id: string])[];
  /** How many turns are hidden whole, where that is known. */
  readonly gone?: number;
}

export type Span = readonly [from: number, to: number];

/** A summary that was committed. */
export interface Overlay {
  /** The summaries of a thread are numbered as they are committed. */
  readonly seq: number;
  readonly view: HistoryView;
  /** Where it is shown: the position of the first entry that it covers. */
  readonly place: number;
  readonly runs: readonly Span[];
  /** The summaries that it covers. */
  readonly under: readonly string[];
  readonly summary: SummaryEntry;
}

/** Returns whether a view hides an entry. */
export function isHidden(
  { hidden }: ViewState,
  view: HistoryView | undefined,
  entry: HistoryEntry,
  position: number,
): boolean {
  if (view === undefined) return false;
  return hidden.some(([from, to]) => from <= position && position <= to) && mayCover(view, entry);
}

/** Returns whether summaries of a view may cover an entry. */
export function mayCover(view: HistoryView, entry: HistoryEntry): boolean {
  return isInView(entry, view) && entry.type !== "system_message" && entry.pinned !== true;
}

/** What a view shows by its summaries. */
export function viewStateOf(overlays: readonly Overlay[], revision: number): ViewState {
  const covered = new Set(overlays.flatMap(({ under }) => under));
  const tops = overlays.flatMap(({ place, summary: { id } }) =>
    covered.has(id) ? [] : [[place, id] as const],
  );
  return {
    revision,
    hidden: mergedSpans(overlays.flatMap(({ runs }) => runs)),
    tops: tops.toSorted(([one], [other]) => one - other),
  };
}

/** Joins spans that touch. */
export function mergedSpans(spans: readonly Span[]): readonly Span[] {
  const found: [number, number][] = [];
  for (const [from, to] of spans.toSorted(([one], [other]) => one - other)) {
    const last = found.at(-1);
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else found.push([from, to]);
  }
  return found;
}

/** What spans have that others have not. Both are in order and do not overlap. */
export function withoutSpans(spans: readonly Span[], others: readonly Span[]): readonly Span[] {
  return spans.flatMap(([from, to]) => {
    const rest: Span[] = [];
    let begin = from;
    for (const [start, end] of others) {
      if (end < begin || start > to) continue;
      if (start > begin) rest.push([begin, start - 1]);
      begin = end + 1;
    }
    return begin <= to ? [...rest, [begin, to] as const] : rest;
  });
}

/** The summaries that cover none but the first entries, in the order of their commits. */
export function keptOverlays(overlays: readonly Overlay[], end: number): readonly Overlay[] {
  const all = new Set(overlays.map(({ summary }) => summary.id));
  const kept = new Set<string>();
  return overlays.filter(({ summary: { id, covers = [] }, runs }) => {
    const stands = (name: string, place: number): boolean =>
      all.has(name) ? kept.has(name) : place < end;
    const isKept = covers.every(
      ({ from, to }, nth) =>
        stands(from, runs[nth]?.[0] ?? end) && stands(to, runs[nth]?.[1] ?? end),
    );
    if (isKept) kept.add(id);
    return isKept;
  });
}

/** A summary as an item `o` holds it: with its stored form. */
type StoredOverlay = Omit<Overlay, "summary"> & { readonly json: string };

/** The stored form of a summary, from its item. */
export function summaryJson(item: string | undefined): string | undefined {
  if (item === undefined) return undefined;
  return storedIn(item).json;
}

function storedIn(item: string): StoredOverlay {
  try {
    const stored: StoredOverlay | null = JSON.parse(item);
    if (typeof stored?.json === "string" && Array.isArray(stored.runs)) return stored;
  } catch {
    // The engine's own error would quote the text.
  }
  throw corruptSummary();
}

/** What a view shows is not there, or cannot be read. */
export function corruptSummary(): HistoryError {
  return corrupt("a summary of the thread", { reason: "summary" });
}

/** Reads the summaries of a thread from their items, in the order of their commits. */
export function overlaysIn(answer: Answer | undefined): readonly Overlay[] {
  const overlays = Array.from(answer?.items.values() ?? [], (item): Overlay => {
    const { json, ...stored } = storedIn(item);
    return { ...stored, summary: summaryOf(json) };
  });
  return overlays.toSorted((one, other) => one.seq - other.seq);
}

/** Reads a summary from its stored form. */
export function summaryOf(json: string): SummaryEntry {
  const entry = entryOf(json);
  if (entry.type === "summary") return entry;
  throw corruptSummary();
}
