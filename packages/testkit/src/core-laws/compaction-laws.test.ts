import type { HistoryEntry, HistoryView, SummaryEntry } from "@agent-history/core";
import { agentView, applyCompactions, isInView, summary } from "@agent-history/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryHistory } from "../arbitrary-history.ts";
import { deepFreeze } from "../deep-freeze.ts";
import { lawRuns } from "../law-runs.ts";

const RUNS = { numRuns: lawRuns(120) };

describe("applyCompactions", () => {
  it("shows what a plain reading of its rules shows, layer upon layer (L11)", () => {
    fc.assert(
      fc.property(historyWithSummaries(), ({ log, overlays, view }) => {
        const all = deepFreeze([...log, ...overlays]);
        expect(applyCompactions(all, view)).toEqual(plainView(log, overlays, view));
        for (let layers = overlays.length; layers >= 0; layers--) {
          const rest = overlays.slice(0, layers);
          expect(applyCompactions([...log, ...rest], view)).toEqual(plainView(log, rest, view));
        }
      }),
      RUNS,
    );
  });

  it("leaves every other view as it was (L11)", () => {
    fc.assert(
      fc.property(historyWithSummaries(), ({ log, overlays, view }) => {
        for (const other of viewsOf(log)) {
          if (other === view) continue;
          expect(applyCompactions([...log, ...overlays], other)).toEqual(log);
        }
      }),
      { numRuns: lawRuns(100) },
    );
  });
});

/** A log and summaries of one of its views, each covering a run of what the view showed when it was made. */
function historyWithSummaries(): fc.Arbitrary<{
  readonly log: readonly HistoryEntry[];
  readonly overlays: readonly SummaryEntry[];
  readonly view: HistoryView;
}> {
  const cuts = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 12 })), { maxLength: 4 });
  return fc.tuple(arbitraryHistory(), fc.nat(), cuts).map(([log, choice, wanted]) => {
    const views = ["thread", ...viewsOf(log)] as const;
    const view = views[choice % views.length] ?? "thread";
    const overlays: SummaryEntry[] = [];
    for (const [start, length] of wanted) {
      const members = plainView(log, overlays, view).filter(
        (entry) => isInView(entry, view) || overlays.some(({ id }) => id === entry.id),
      );
      const from = members[start % Math.max(1, members.length)];
      const to =
        members[Math.min((start % Math.max(1, members.length)) + length, members.length - 1)];
      if (from === undefined || to === undefined) continue;
      const covers = [{ from: from.id, to: to.id }];
      const id = `overlay-${overlays.length}`;
      overlays.push(summary({ id, view, covers, strategy: "whole", trust: "tool", content: "" }));
    }
    return { log, overlays, view };
  });
}

/** What a view shows, worked out slowly: each summary in turn takes its members out of the list and its place in it. */
function plainView(
  log: readonly HistoryEntry[],
  overlays: readonly SummaryEntry[],
  view: HistoryView,
): readonly HistoryEntry[] {
  return overlays.reduce<readonly HistoryEntry[]>((shown, overlay) => {
    const [run] = overlay.covers ?? [];
    const from = shown.findIndex(({ id }) => id === run?.from);
    const to = shown.findIndex(({ id }) => id === run?.to);
    const covered = shown.filter(
      (entry, index) =>
        index >= from &&
        index <= to &&
        (isInView(entry, view) || overlays.some(({ id }) => id === entry.id)) &&
        entry.type !== "system_message" &&
        entry.pinned !== true,
    );
    const [first] = covered;
    return shown.flatMap((entry) => {
      if (entry === first) return [overlay];
      return covered.includes(entry) ? [] : [entry];
    });
  }, log);
}

function viewsOf(entries: readonly HistoryEntry[]): readonly HistoryView[] {
  const agents = new Set(entries.flatMap(({ agent }) => (agent === undefined ? [] : [agent.id])));
  return ["conversation", ...[...agents].map(agentView)];
}
