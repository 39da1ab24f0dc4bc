import type { HistoryQuery } from "@agent-history/core";
import { firstWithinLimits, hideCutExchanges, shownByClauses } from "@agent-history/core/kit";

import { eachInSteps } from "./pauses.ts";
import { knownPositions, referenceFacts } from "./reference-facts.ts";
import type { Evidence, KnownPosition } from "./reference-facts.ts";
import type { StoreProgram } from "./store-program.ts";

/** What a query shows. */
export interface Selection {
  /** Positions of entries, and of summaries in their places, in order. */
  readonly shown: readonly number[];
  /** The oldest within the limits, where they left out something older. */
  readonly next?: number;
  /** Where the limits cut: nothing before it is shown. 0 where they did not. */
  readonly cutAt: number;
}

/** Evaluates a query, whose ids are those of `placeName`, with the meaning that `selectEntries` gives it. In steps: other work may run between them. */
export function* evaluateReferences(
  evidence: Evidence,
  query: HistoryQuery,
): StoreProgram<Selection> {
  const positions = yield* knownPositions(evidence);
  const indexes = new Map<number, number>();
  yield* eachInSteps(positions.entries(), ([index, { position }]) => indexes.set(position, index));
  const facts = yield* referenceFacts(positions, indexes, evidence, query.view);
  const shown = shownByClauses(facts, query);
  for (const [index, { isKnown }] of positions.entries()) if (!isKnown) shown[index] = false;
  const { after, before } = evidence.range;
  const start = countBefore(positions, after + 1);
  const end = countBefore(positions, before);
  const limit = firstWithinLimits(positions, shown.slice(0, end), query, ({ bytes }) => bytes);
  const isLimited = shown.slice(0, limit).includes(true);
  const isCut = shown.slice(start, limit).includes(true);
  const first = Math.max(start, limit);
  for (const index of shown.keys()) if (index < first || index >= end) shown[index] = false;
  const oldest = positions[shown.indexOf(true)];
  if (query.splitExchanges !== true) {
    hideCutExchanges(yield* firstActionsOf(positions, indexes), shown);
  }
  return {
    shown: positions.flatMap(({ position }, index) => (shown[index] === true ? position : [])),
    ...(isCut && oldest !== undefined ? { next: oldest.position } : {}),
    cutAt: isLimited ? (positions[limit - 1]?.position ?? 0) : 0,
  };
}

function countBefore(positions: readonly KnownPosition[], position: number): number {
  const index = positions.findIndex((known) => known.position >= position);
  return index < 0 ? positions.length : index;
}

/** For each observation and each action of which another action's call made a call, the first action of its exchange, as the index has it. */
function* firstActionsOf(
  positions: readonly KnownPosition[],
  indexes: ReadonlyMap<number, number>,
): StoreProgram<ReadonlyMap<number, number>> {
  const actions = new Map<number, number>();
  yield* eachInSteps(positions.entries(), ([index, { reference }]) => {
    const action = indexes.get(reference?.partner ?? -1);
    if (reference?.type === "attachment" || action === undefined) return;
    // Where a summary stands in place of the action, the observation is left alone. What is pointed at stands before.
    if (positions[action]?.summary === undefined) actions.set(index, actions.get(action) ?? action);
  });
  return actions;
}
