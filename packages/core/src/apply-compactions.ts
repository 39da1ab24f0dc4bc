import type { HistoryEntry, SummaryEntry } from "./history-entry.ts";
import { isInView } from "./history-view.ts";
import type { HistoryView } from "./history-view.ts";
import { overReadable, readOr } from "./over-readable.ts";

/**
 * Returns a history as one view shows it: each summary of the view replaces the entries that it covers, at the position of the
 * first. Summaries of other views are left out. Without any summary the history is returned by identity. Linear.
 *
 * Summaries are applied in the order of the log, so that a later one may cover an earlier one. System messages and
 * pinned entries within a run stay. A summary whose runs are not in the view, or not in order, is ignored: it hides
 * nothing.
 *
 * @param entries - The log with its summaries, each anywhere after what it covers.
 * @param view - Without one, the log is returned without any view's summaries.
 */
export function applyCompactions(
  entries: readonly HistoryEntry[],
  view: HistoryView | undefined,
): readonly HistoryEntry[] {
  return overReadable(entries, (readable) => {
    const overlays: Overlay[] = readable.filter(standsInView);
    if (overlays.length === 0) return readable;
    const log = readable.filter((entry) => !standsInView(entry));
    const indexes = new Map(log.map(({ id }, index) => [id, index]));
    const shown: (HistoryEntry | undefined)[] = log;
    const coverage = { shown, indexes, jumps: new Map<number, number>() };
    for (const overlay of overlays) if (overlay.view === view) cover(overlay, coverage);
    return shown.filter((entry) => entry !== undefined);
  });
}

/** A summary of one view; it is not part of the log. */
type Overlay = SummaryEntry & Required<Pick<SummaryEntry, "view">>;

/** Returns whether an entry is the summary of a view. */
export function isOverlay(entry: HistoryEntry): entry is Overlay {
  return readOr(false, () => standsInView(entry));
}

function standsInView(entry: HistoryEntry): entry is Overlay {
  return entry.type === "summary" && entry.view !== undefined;
}

interface Coverage {
  readonly shown: (HistoryEntry | undefined)[];
  /** Position of each entry and summary. */
  readonly indexes: Map<string, number>;
  /** Skips ranges that cannot be covered any more, so that the walk stays linear. */
  readonly jumps: Map<number, number>;
}

function cover(overlay: Overlay, { shown, indexes, jumps }: Coverage): void {
  const runs: (readonly [start: number, end: number])[] = [];
  let last = -1;
  for (const { from, to } of overlay.covers ?? []) {
    const start = indexes.get(from) ?? -1;
    const end = indexes.get(to) ?? -1;
    if (start <= last || end < start || !isMember(shown[start]) || !isMember(shown[end])) return;
    runs.push([start, end]);
    last = end;
  }
  let first: number | undefined;
  for (const [start, end] of runs) {
    for (let index = skip(start); index <= end; index = skip(index + 1)) {
      first ??= index;
      indexes.delete(shown[index]?.id ?? "");
      shown[index] = undefined;
    }
  }
  if (first === undefined) return;
  shown[first] = overlay;
  indexes.set(overlay.id, first);

  /** The next position that can be covered. */
  function skip(from: number): number {
    let found = from;
    while (found < shown.length && !mayCover(shown[found])) found = jumps.get(found) ?? found + 1;
    for (let entryIndex = from; entryIndex < found;) {
      const next = jumps.get(entryIndex) ?? entryIndex + 1;
      jumps.set(entryIndex, found);
      entryIndex = next;
    }
    return found;
  }

  function mayCover(entry: HistoryEntry | undefined): boolean {
    return isMember(entry) && entry?.type !== "system_message" && entry?.pinned !== true;
  }

  function isMember(entry: HistoryEntry | undefined): boolean {
    return entry !== undefined && (isOverlay(entry) || isInView(entry, overlay.view));
  }
}
