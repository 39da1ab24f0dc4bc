import type { EntryRun, HistoryEntry, HistoryView, SummaryEntry } from "@agent-history/core";
import {
  applyCompactions,
  assistantMessage,
  isInView,
  isOverlay,
  summary,
  systemMessage,
  userMessage,
} from "@agent-history/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { lawRuns } from "../law-runs.ts";

const worker = { id: "w", role: "worker" } as const;

const entryAt = (index: number): fc.Arbitrary<HistoryEntry> =>
  fc.constantFrom(
    userMessage({ id: `e${index}`, content: "" }),
    userMessage({ id: `e${index}`, content: "", pinned: true }),
    systemMessage({ id: `e${index}`, content: "" }),
    assistantMessage({ id: `e${index}`, content: "", agent: worker }),
  );

/** Logs of ten entries under twelve summaries of two views, which may name each other, and most of which do not apply. */
const layered = fc.tuple(
  fc.tuple(...Array.from({ length: 10 }, (_, index) => entryAt(index))),
  fc.tuple(...Array.from({ length: 12 }, (_, nth) => overlayAt(nth))),
);

describe("applyCompactions", () => {
  it("shows what applying one summary after the other shows", () => {
    fc.assert(
      fc.property(layered, ([log, overlays]) => {
        const entries = [...log, ...overlays];
        for (const view of ["thread", "agent:w"] as const)
          expect(applyCompactions(entries, view)).toEqual(oneByOne(entries, view));
      }),
      { numRuns: lawRuns(400) },
    );
  });

  const idle: Readonly<Record<string, (count: number) => Parameters<typeof watched>>> = {
    "whose second run is not there": (count) => [
      count,
      {},
      [
        { from: "e0", to: `e${count - 1}` },
        { from: "gone", to: "gone" },
      ],
    ],
    "of pinned entries": (count) => [
      count,
      { pinned: true },
      [{ from: "e0", to: `e${count - 1}` }],
    ],
  };
  for (const [what, history] of Object.entries(idle)) {
    it(`walks over what it covers once, under any number of summaries ${what}`, () => {
      const { entries, reads } = watched(...history(400));
      applyCompactions(entries, "thread");
      expect(reads()).toBeLessThanOrEqual(3 * 400);
    });
  }
});

/** What the documentation says, one summary after the other, whatever it costs. */
function oneByOne(entries: readonly HistoryEntry[], view: HistoryView): readonly HistoryEntry[] {
  let shown = entries.filter((entry) => !isOverlay(entry));
  for (const overlay of entries.filter(isOverlay)) {
    if (overlay.view !== view) continue;
    const indexOf = (wanted: string): number =>
      shown.findIndex((entry) => entry.id === wanted && isMember(entry));
    const runs = (overlay.covers ?? []).map(
      ({ from, to }) => [indexOf(from), indexOf(to)] as const,
    );
    const isSound = runs.every(
      ([start, end], nth) => start > (runs[nth - 1]?.[1] ?? -1) && end >= start,
    );
    const covered = shown.filter(
      (entry, index) =>
        isMember(entry) &&
        entry.type !== "system_message" &&
        entry.pinned !== true &&
        runs.some(([start, end]) => start <= index && index <= end),
    );
    if (!isSound || covered.length === 0) continue;
    shown = shown.flatMap((entry) => {
      if (entry === covered[0]) return overlay;
      return covered.includes(entry) ? [] : entry;
    });
  }
  return shown;

  function isMember(entry: HistoryEntry): boolean {
    return isOverlay(entry) || isInView(entry, view);
  }
}

function overlayAt(nth: number): fc.Arbitrary<SummaryEntry> {
  const id = fc.oneof(
    { weight: 3, arbitrary: fc.nat(9).map((index) => `e${index}`) },
    { weight: 1, arbitrary: fc.nat(Math.max(0, nth - 1)).map((other) => `z${other}`) },
  );
  const run = fc.record({ from: id, to: id });
  return fc
    .record({
      view: fc.constantFrom<HistoryView[]>("thread", "agent:w"),
      covers: fc.array(run, { maxLength: 2 }),
      pinned: fc.nat(3).map((draw) => draw === 0),
    })
    .map((fields) =>
      summary({ id: `z${nth}`, content: "", strategy: "own", trust: "user", ...fields }),
    );
}

/** A log that counts how often the types and pins of its entries are read, under as many summaries of the same runs. */
function watched(
  count: number,
  fields: { readonly pinned?: true },
  covers: readonly EntryRun[],
): { readonly entries: readonly HistoryEntry[]; readonly reads: () => number } {
  let reads = 0;
  const log = Array.from({ length: count }, (_, index) => {
    const entry = userMessage({ id: `e${index}`, content: "", ...fields });
    const { pinned } = entry;
    const get = (): typeof pinned => {
      reads += 1;
      return pinned;
    };
    return Object.defineProperty(entry, "pinned", { get, enumerable: true });
  });
  const overlays = log.map((_, nth) =>
    summary({ id: `z${nth}`, content: "", strategy: "own", trust: "user", view: "thread", covers }),
  );
  return { entries: [...log, ...overlays], reads: () => reads };
}
