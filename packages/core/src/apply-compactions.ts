import type { SummaryEntry } from "./derived-entries.ts";
import type { HistoryEntry } from "./history-entry.ts";
import { isInView } from "./history-view.ts";
import type { HistoryView } from "./history-view.ts";

/**
 * Shows a history as one view has it: each summary of the view stands at the place of the first entry it covers, and what it covers is
 * gone. Summaries of other views are left out: those views have the originals. Without any summary the history is returned by identity. Linear.
 *
 * Summaries are applied in the order of the log, so that a later one may cover an earlier one. System messages and
 * pinned entries within a run stay. A summary whose runs are not in the view, or not in order, is left out and covers
 * nothing: what cannot be understood never hides anything.
 *
 * @param entries - The log with its summaries, each anywhere after what it covers.
 * @param view - Whose; without one, the log is shown without any summary that stands in a view.
 */
export function applyCompactions(
  entries: readonly HistoryEntry[],
  view: HistoryView | undefined,
): readonly HistoryEntry[] {
  const overlays: Overlay[] = entries.filter(isOverlay);
  if (overlays.length === 0) return entries;
  const log = entries.filter((entry) => !isOverlay(entry));
  const places = new Map(log.map(({ id }, place) => [id, place]));
  const shown: (HistoryEntry | undefined)[] = log;
  const coverage = { shown, places, jumps: new Map<number, number>() };
  for (const overlay of overlays) if (overlay.view === view) cover(overlay, coverage);
  return shown.filter((entry) => entry !== undefined);
}

/** A summary that stands in one view, not in the log. */
type Overlay = SummaryEntry & Required<Pick<SummaryEntry, "view">>;

/** Tells whether an entry is a summary that stands in one view. */
export function isOverlay(entry: HistoryEntry): entry is Overlay {
  return entry.type === "summary" && entry.view !== undefined;
}

interface Coverage {
  readonly shown: (HistoryEntry | undefined)[];
  /** Where each entry and summary stands. */
  readonly places: Map<string, number>;
  /** From the beginning of a covered run to what follows it, so that a layer costs what it covers and not what lies under it. */
  readonly jumps: Map<number, number>;
}

function cover(overlay: Overlay, { shown, places, jumps }: Coverage): void {
  const covered: number[] = [];
  const jumpsOfRuns: [from: number, to: number][] = [];
  let last = -1;
  for (const { from, to } of overlay.covers ?? []) {
    const start = places.get(from) ?? -1;
    const end = places.get(to) ?? -1;
    if (start <= last || end < start || !isMember(start) || !isMember(end)) return;
    const before = covered.length;
    for (let place = start; place <= end; place = jumps.get(place) ?? place + 1) {
      const { type, pinned } = shown[place] ?? {};
      if (isMember(place) && type !== "system_message" && pinned !== true) covered.push(place);
    }
    last = end;
    jumpsOfRuns.push([covered[before] ?? end, jumps.get(end) ?? end + 1]);
  }
  const [first = -1] = covered;
  if (first < 0) return;
  for (const place of covered) {
    places.delete(shown[place]?.id ?? "");
    shown[place] = undefined;
  }
  shown[first] = overlay;
  places.set(overlay.id, first);
  for (const [from, to] of jumpsOfRuns) jumps.set(from, to);

  function isMember(place: number): boolean {
    const entry = shown[place];
    return entry !== undefined && (isOverlay(entry) || isInView(entry, overlay.view));
  }
}
