import type { SummaryEntry } from "./derived-entries.ts";
import type { HistoryEntry } from "./history-entry.ts";
import { isInView } from "./history-view.ts";
import type { HistoryView } from "./history-view.ts";

/**
 * Shows a history as one view has it: each summary of the view stands at the place of the first entry it covers, and what it covers is
 * gone. Summaries of other views are left out: those views have the originals. Without any summary the history is returned by identity. Linear.
 *
 * Summaries are applied in the order of the log, so that a later one may cover an earlier one. System messages and
 * pinned entries within a run stay. A summary whose runs are not in the view is left out and covers nothing: what
 * cannot be understood never hides anything.
 *
 * @param entries - The log with its summaries, each anywhere after what it covers.
 * @param view - Whose; without one, the log is shown without any summary that stands in a view.
 */
export function applyCompactions(
  entries: readonly HistoryEntry[],
  view: HistoryView | undefined,
): readonly HistoryEntry[] {
  if (!entries.some(isOverlay)) return entries;
  const overlays: Overlay[] = entries.filter(isOverlay);
  const log = entries.filter((entry) => !isOverlay(entry));
  if (view === undefined) return log;
  const coverage = viewCoverage(log, view);
  for (const overlay of overlays) if (overlay.view === view) coverage.cover(overlay);
  return coverage.entries();
}

/** A summary that stands in one view, not in the log. */
type Overlay = SummaryEntry & Required<Pick<SummaryEntry, "view" | "covers">>;

/** Tells whether an entry is a summary that stands for runs of one view. */
export function isOverlay(entry: HistoryEntry): entry is Overlay {
  return entry.type === "summary" && entry.view !== undefined && entry.covers !== undefined;
}

/** One entry of the view in a linked list, so that a layer costs what it covers and not what lies under it. */
interface Node {
  readonly entry: HistoryEntry;
  /** Index in the log of the first entry it stands for. */
  readonly place: number;
  next: Node | undefined;
  previous: Node | undefined;
}

function viewCoverage(
  log: readonly HistoryEntry[],
  view: HistoryView,
): { readonly cover: (overlay: Overlay) => void; readonly entries: () => readonly HistoryEntry[] } {
  const nodes = new Map<string, Node>();
  const shown: (HistoryEntry | undefined)[] = [...log];
  let last: Node | undefined;
  for (const [place, entry] of log.entries()) {
    if (!isInView(entry, view)) continue;
    const node: Node = { entry, place, next: undefined, previous: last };
    if (last !== undefined) last.next = node;
    last = node;
    nodes.set(entry.id, node);
  }

  return {
    cover: (overlay) => {
      const covered = coveredNodes(overlay, nodes);
      const first = covered?.[0];
      if (covered === undefined || first === undefined) return;
      for (const node of covered) {
        shown[node.place] = undefined;
        nodes.delete(node.entry.id);
      }
      const summary: Node = { ...first, entry: overlay };
      for (const node of covered.slice(1)) unlink(node);
      if (summary.previous !== undefined) summary.previous.next = summary;
      if (first.next !== undefined) first.next.previous = summary;
      summary.next = first.next;
      shown[first.place] = overlay;
      nodes.set(overlay.id, summary);
    },
    entries: () => shown.filter((entry) => entry !== undefined),
  };
}

/** The nodes of all runs, in order; nothing where one run is not there, or runs overlap. */
function coveredNodes(
  overlay: Overlay,
  nodes: ReadonlyMap<string, Node>,
): readonly Node[] | undefined {
  const covered = new Set<Node>();
  for (const { from, to } of overlay.covers) {
    const end = nodes.get(to);
    let node = nodes.get(from);
    if (end === undefined) return undefined;
    while (node !== undefined && node.place <= end.place) {
      if (covered.has(node)) return undefined;
      if (!staysUncovered(node.entry)) covered.add(node);
      if (node === end) break;
      node = node.next;
    }
    if (node !== end) return undefined;
  }
  return [...covered].toSorted((one, other) => one.place - other.place);
}

function staysUncovered(entry: HistoryEntry): boolean {
  return entry.type === "system_message" || entry.pinned === true;
}

function unlink(node: Node): void {
  if (node.previous !== undefined) node.previous.next = node.next;
  if (node.next !== undefined) node.next.previous = node.previous;
}
