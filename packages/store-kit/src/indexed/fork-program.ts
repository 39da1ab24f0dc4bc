import type { HistoryView } from "@agent-history/core";
import { HistoryError } from "@agent-history/core";

import { deriveViewState } from "./derive-view-state.ts";
import { answered, fetchRound } from "./fetch-round.ts";
import { summariesOf } from "./read-outline.ts";
import { unpackReferences } from "./reference.ts";
import { positionsById, reindexLog } from "./reindex-log.ts";
import type { DerivedIndex } from "./reindex-log.ts";
import type { ReferenceRow, StoredSummary, StoreProgram } from "./store-program.ts";
import { streamName } from "./streams-of.ts";
import { headOf } from "./thread-head.ts";
import type { ViewState } from "./view-state.ts";

/** The index of a thread that begins with entries of another. */
export interface ForkedIndex {
  /** How many entries it shares: its version, and where its own begin. */
  readonly version: number;
  readonly head: string;
  readonly facts: ReadonlyMap<string, string>;
  readonly references: ReadonlyMap<string, readonly ReferenceRow[]>;
  /** In the order to add them. */
  readonly overlays: readonly StoredSummary[];
  /** States of the views that have summaries. Revisions begin at 0. */
  readonly states: ReadonlyMap<HistoryView, string>;
}

/**
 * Works out the index of what a fork shares. All fetches are of the parent. Linear.
 *
 * @throws `HistoryError` with code `NOT_FOUND` if `at` is not in its log.
 */
export function* forkProgram(options: { readonly at: string }): StoreProgram<ForkedIndex> {
  const { at } = options;
  const [positionsAnswer, overlaysAnswer] = yield* fetchRound([
    { kind: "positions", ids: [at] },
    { kind: "overlays" },
  ]);
  const end = answered("positions", positionsAnswer).positions.get(at);
  if (end === undefined) throw notFound(at);
  const index = yield* reindexLog(end + 1);
  const { summaries } = answered("summaries", overlaysAnswer);
  const positions = summaries.length === 0 ? new Map() : yield* positionsById(index);
  const overlays = sharedOverlays(summaries, positions);
  return {
    version: end + 1,
    head: index.head ?? "",
    facts: index.facts,
    references: index.references,
    overlays,
    states: new Map(
      [...deriveStates(overlays, index, positions)].map(([view, state]) => [
        view,
        JSON.stringify(state),
      ]),
    ),
  };
}

/** Works out the states of views: of those that have summaries, or of these. */
export function deriveStates(
  overlays: readonly StoredSummary[],
  index: DerivedIndex,
  positions: ReadonlyMap<string, number>,
  views: ReadonlySet<HistoryView> = new Set(overlays.map((overlay) => overlay.view)),
): ReadonlyMap<HistoryView, ViewState> {
  const states = new Map<HistoryView, ViewState>();
  if (views.size === 0) return states;
  const all = unpackReferences(index.references.get(streamName.all) ?? []);
  for (const view of views) {
    const summaries = summariesOf(overlays.filter((overlay) => overlay.view === view));
    const own = ownPositions(index, view);
    const references = all.map((one) => (own.has(one.position) ? { ...one, isOwn: true } : one));
    const outline = { view, references, summaries, positions };
    states.set(view, deriveViewState(outline, headOf(index.head)));
  }
  return states;
}

function ownPositions({ references }: DerivedIndex, view: HistoryView): ReadonlySet<number> {
  if (view === "thread" || view === "conversation") return new Set();
  const own = unpackReferences(references.get(view) ?? []).filter(({ isOwn }) => isOwn);
  return new Set(own.map(({ position }) => position));
}

/** The summaries that cover none but shared entries. */
export function sharedOverlays(
  overlays: readonly StoredSummary[],
  positions: ReadonlyMap<string, number>,
): readonly StoredSummary[] {
  const known = new Set(positions.keys());
  return overlays.filter((overlay) => {
    const covers = summariesOf([overlay]).flatMap((summary) => summary.covers ?? []);
    if (!covers.every(({ from, to }) => known.has(from) && known.has(to))) return false;
    known.add(overlay.id);
    return true;
  });
}

function notFound(entryId: string): HistoryError {
  return new HistoryError("Expected `at` to be the id of an entry of the thread.", {
    code: "NOT_FOUND",
    details: { entryId },
  });
}
