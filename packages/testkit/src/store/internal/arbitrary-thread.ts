import type { EntryRun, HistoryEntry, HistoryView, SummaryEntry } from "@agent-history/core";
import {
  agentView,
  applyCompactions,
  customEntry,
  isInView,
  isOverlay,
  summary,
} from "@agent-history/core";
import * as fc from "fast-check";

import { arbitraryHistory } from "../../arbitrary-history.ts";

/** A log, and summaries of its views, each covering runs of what its view showed when it was made. */
export interface ThreadScript {
  readonly log: readonly HistoryEntry[];
  readonly overlays: readonly Overlay[];
}

/** A summary that was committed. */
export type Overlay = SummaryEntry & {
  readonly view: HistoryView;
  readonly covers: readonly EntryRun[];
};

/** Generates threads with compactions in up to three of their views, up to three layers each; some have entries of the user's own types. */
export function arbitraryThread(): fc.Arbitrary<ThreadScript> {
  const cuts = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat({ max: 12 })), { maxLength: 4 });
  return fc.tuple(logWithOwnTypes(), fc.nat(), cuts).map(([log, choice, wanted]) => {
    const views = viewsOf(log);
    const overlays: Overlay[] = [];
    for (const [whose, start, length] of wanted) {
      const view = views[(choice + (whose % 3)) % views.length] ?? "thread";
      const overlay = overlayOf([...log, ...overlays], view, start, length);
      if (overlay !== undefined) overlays.push({ ...overlay, id: `z${overlays.length}` });
    }
    return { log, overlays };
  });
}

/** Some errors and global observations carry a type of the user's own instead. */
function logWithOwnTypes(): fc.Arbitrary<readonly HistoryEntry[]> {
  const share = fc.nat({ max: 2 });
  return fc
    .tuple(arbitraryHistory({ maxEntries: 60, nestedCalls: true }), share)
    .map(([log, nth]) =>
      log.map((entry, index) => {
        const isTaken = entry.type === "error" || entry.type === "global_observation";
        return isTaken && index % 3 < nth ? customEntry({ ...entry, type: OWN_TYPE }) : entry;
      }),
    );
}

/** The type of the user's own in generated threads. */
export const OWN_TYPE = "note";

/** Returns the views that something is in. */
export function viewsOf(log: readonly HistoryEntry[]): readonly HistoryView[] {
  const agents = new Set(log.flatMap(({ agent }) => (agent === undefined ? [] : [agent.id])));
  return ["thread", "conversation", ...[...agents].map(agentView)];
}

/** Makes a summary of a run of what a view shows; `undefined` where nothing of it may be covered. */
export function overlayOf(
  all: readonly HistoryEntry[],
  view: HistoryView,
  start: number,
  length: number,
): Overlay | undefined {
  const members = applyCompactions(all, view).filter(
    (entry) => isOverlay(entry) || isInView(entry, view),
  );
  const first = start % Math.max(1, members.length);
  const from = members[first];
  const to = members[Math.min(first + length, members.length - 1)];
  if (from === undefined || to === undefined) return undefined;
  const covers = [{ from: from.id, to: to.id }];
  const fields = { content: "short", strategy: "whole", trust: "tool", createdAtMs: 0 } as const;
  const overlay = { ...summary({ id: "\uFFFFnew", ...fields }), view, covers };
  return applyCompactions([...all, overlay], view).includes(overlay) ? overlay : undefined;
}
