import type { HistoryEntry, HistoryView, SummaryEntry } from "@agent-history/core";
import type { HistoryError } from "@agent-history/core";
import { isInView } from "@agent-history/core";
import { decodeEntry } from "@agent-history/core/schema";

import type { Answer } from "./driver.ts";
import { corrupt, jsonIn } from "./store-errors.ts";

/** The positions that a view hides, and the summaries that it shows instead. */
export interface ViewState {
  readonly revision: number;
  /** Ranges of positions, inclusive, in order, in which the view's entries are hidden. */
  readonly hidden: readonly Span[];
  /** The summaries that the view shows, with their positions, in order. */
  readonly tops: readonly (readonly [place: number, id: string])[];
  /** Number of completely hidden turns, if known. */
  readonly gone?: number;
}

export type Span = readonly [from: number, to: number];

/** A committed summary. */
export interface Overlay {
  /** Commit order within the thread. */
  readonly seq: number;
  readonly view: HistoryView;
  /** The position at which it is shown: that of the first entry that it covers. */
  readonly place: number;
  readonly runs: readonly Span[];
  /** The summaries that it covers. */
  readonly under: readonly string[];
  readonly summary: SummaryEntry;
  /** The stored form of the summary. */
  readonly json: string;
}

/** Returns whether a view hides an entry. */
export function isHidden(
  { hidden }: ViewState,
  view: HistoryView | undefined,
  entry: HistoryEntry,
  position: number,
): boolean {
  if (view === undefined || hidden.length === 0) return false;
  return hidden.some(([from, to]) => from <= position && position <= to) && mayCover(view, entry);
}

/** Returns whether summaries of a view may cover an entry. */
export function mayCover(view: HistoryView, entry: HistoryEntry): boolean {
  return isInView(entry, view) && entry.type !== "system_message" && entry.pinned !== true;
}

/** Computes the state of a view from its summaries. */
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

/** The summaries that cover only the first `end` entries, in commit order. */
export function keptOverlays(overlays: readonly Overlay[], end: number): readonly Overlay[] {
  const gone = new Set<string>();
  return overlays.filter(({ summary, runs, under }) => {
    const isKept = runs.every(([, to]) => to < end) && !under.some((id) => gone.has(id));
    if (!isKept) gone.add(summary.id);
    return isKept;
  });
}

/** Parses the item of a summary. */
export function overlayIn(item: string): Overlay {
  const stored: Omit<Overlay, "summary"> = Object(jsonIn(item));
  if (typeof stored.json !== "string" || !Array.isArray(stored.runs)) throw corruptSummary();
  const summary = decodeEntry(stored.json);
  if (summary.type === "summary") return { ...stored, summary };
  throw corruptSummary();
}

/** The error for a summary that is missing or unreadable. */
export function corruptSummary(): HistoryError {
  return corrupt("a summary of the thread", { reason: "summary" });
}

/** Parses the summaries of a thread from their items, in commit order. */
export function overlaysIn(answer: Answer | undefined): readonly Overlay[] {
  const overlays = Array.from(answer?.items.values() ?? [], overlayIn);
  return overlays.toSorted((one, other) => one.seq - other.seq);
}
