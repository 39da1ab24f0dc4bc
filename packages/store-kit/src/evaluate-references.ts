import type { HistoryQuery, HistoryView, PhaseId } from "@agent-history/core";
import type { ClauseEntry, ClauseContext } from "@agent-history/core/query-parts";
import {
  firstWithinLimits,
  hideCutExchanges,
  shownByClauses,
} from "@agent-history/core/query-parts";

import type { ReadRange } from "./read-context.ts";
import type { Reference } from "./reference.ts";
import type { ShownSummary } from "./view-state.ts";

/** What a query is evaluated on: what was read of the streams, and what a clause needs to know besides. */
export interface Evidence {
  /** What remains in the view of what was read, by position. */
  readonly references: ReadonlyMap<number, Reference>;
  readonly summaries: readonly ShownSummary[];
  /** The agent whose streams were read. */
  readonly agent: string | undefined;
  /** The number of an entry's turn in the view; -1 for a turn that no clause asks for. */
  readonly turnOf: (reference: Reference) => number;
  readonly newestTurn: number;
  /** The phases of the newest turn, and where they began. */
  readonly phases: readonly (readonly [id: PhaseId, position: number])[];
  readonly phaseOf: (reference: Reference) => number;
  readonly range: ReadRange;
  /** Numbers of earlier turns that the query names by `turnName`. */
  readonly turns: readonly number[];
  /** The last task: of the agent, or of the thread, as the query asks. */
  readonly lastTask: number | undefined;
}

/** What a query shows. */
export interface Selection {
  /** Positions of entries, and of summaries in their places, in order. */
  readonly shown: readonly number[];
  /** The oldest within the limits, where they left out something older. */
  readonly next?: number;
  /** Where the limits cut: nothing before it is shown. 0 where they did not. */
  readonly cutAt: number;
}

/** Evaluates a query, whose ids are those of `placeName`, with the meaning that `selectEntries` gives it. */
export function evaluateReferences(evidence: Evidence, query: HistoryQuery): Selection {
  const places = placesOf(evidence);
  const indexes = new Map(places.map(({ position }, index) => [position, index]));
  const facts = factsOf(places, indexes, evidence, query.view);
  const shown = shownByClauses(facts, query).map(
    (isShown, index) => isShown && places[index]?.isKnown === true,
  );
  const { after, before } = evidence.range;
  const start = countBefore(places, after + 1);
  const end = countBefore(places, before);
  const limit = firstWithinLimits(places, shown.slice(0, end), query, ({ bytes }) => bytes);
  const isLimited = shown.slice(0, limit).includes(true);
  const isCut = shown.slice(start, limit).includes(true);
  const first = Math.max(start, limit);
  for (const index of shown.keys()) if (index < first || index >= end) shown[index] = false;
  const oldest = places[shown.indexOf(true)];
  if (query.splitExchanges !== true) hideCutExchanges(firstActionsOf(places, indexes), shown);
  return {
    shown: places.flatMap(({ position }, index) => (shown[index] === true ? position : [])),
    ...(isCut && oldest !== undefined ? { next: oldest.position } : {}),
    cutAt: isLimited ? (places[limit - 1]?.position ?? 0) : 0,
  };
}

function countBefore(places: readonly Place[], position: number): number {
  const index = places.findIndex((place) => place.position >= position);
  return index < 0 ? places.length : index;
}

/** Names an entry by its position. */
export function placeName(position: number): string {
  return `at ${position}`;
}

/** Names a summary by its place, which may be that of an entry that remains. */
export function summaryName(position: number): string {
  return `summary at ${position}`;
}

/** Names a turn by its number. */
export function turnName(turn: number): string {
  return `turn ${turn}`;
}

interface Place {
  readonly position: number;
  readonly bytes: number;
  readonly reference?: Reference;
  readonly summary?: ShownSummary;
  /** It stands for a turn that is named, before all entries. */
  readonly turn?: number;
  /** It was read; else it is only known to stand there. */
  readonly isKnown: boolean;
}

/** What was read, the summaries, and places that are only pointed at, in order. */
function placesOf(evidence: Evidence): readonly Place[] {
  const { references, summaries, phases, lastTask, turns } = evidence;
  const places = new Map<number, Place>();
  for (const [index, turn] of turns.entries()) {
    // Before all entries; -1 is no position.
    const position = -2 - index;
    places.set(position, { position, bytes: 0, turn, isKnown: false });
  }
  for (const [position, reference] of references) {
    places.set(position, { position, bytes: reference.bytes, reference, isKnown: true });
  }
  for (const summary of summaries) {
    places.set(summary.at, { position: summary.at, bytes: summary.bytes, summary, isKnown: true });
  }
  const pointed = [...references.values()].flatMap(({ task, partner }) => [task, partner]);
  for (const position of [...pointed, ...phases.map(([, start]) => start), lastTask]) {
    if (position === undefined || places.has(position)) continue;
    places.set(position, { position, bytes: 0, isKnown: false });
  }
  return [...places.values()].toSorted((one, other) => one.position - other.position);
}

function factsOf(
  places: readonly Place[],
  indexes: ReadonlyMap<number, number>,
  evidence: Evidence,
  view: HistoryView | undefined,
): ClauseContext {
  const { agent, phases, newestTurn, lastTask } = evidence;
  const givenTasks = new Set<number | undefined>();
  const tasks = new Set([lastTask]);
  for (const { isGiven, task } of evidence.references.values()) {
    if (isGiven) givenTasks.add(task);
    tasks.add(task);
  }
  const begun = new Map(phases.map(([id, position]) => [position, id]));
  const entries = places.map((place): ClauseEntry => {
    const { position, reference, summary, turn } = place;
    const id = placeName(position);
    if (turn !== undefined) return { id, type: "error", turnId: turnName(turn) };
    const from = givenTasks.has(position) && agent !== undefined ? { from: { id: agent } } : {};
    if (reference !== undefined) return { ...entryOf(reference, agent), ...from };
    if (summary !== undefined) {
      const owner = summary.agent === undefined ? {} : { agent: { id: summary.agent } };
      return {
        id: summaryName(position),
        type: "summary",
        ...(view === undefined ? {} : { view }),
        ...owner,
      };
    }
    const isTask = tasks.has(position);
    const owner = position === lastTask && agent !== undefined ? { agent: { id: agent } } : {};
    return { id, type: isTask ? "task" : "error", ...owner, ...from };
  });
  return {
    entries,
    newestTurn,
    turns: places.map(({ position, reference, turn }) => {
      if (turn !== undefined) return turn;
      if (reference !== undefined) return evidence.turnOf(reference);
      return begun.has(position) ? newestTurn : -1;
    }),
    taskOf: places.map(({ reference }) => indexes.get(reference?.task ?? -1)),
    phases: places.map(({ position, reference }) => {
      const phase = reference === undefined ? 0 : evidence.phaseOf(reference);
      return begun.get(position) ?? phases[phase - 1]?.[0];
    }),
  };
}

function entryOf(reference: Reference, agent: string | undefined): ClauseEntry {
  const { position, type, task, partner } = reference;
  const owner = reference.isOwn && agent !== undefined ? agent : `not ${agent}`;
  return {
    id: placeName(position),
    type,
    ...(reference.isUnowned ? {} : { agent: { id: owner } }),
    ...(reference.hasTask ? { taskId: task === undefined ? "missing" : placeName(task) } : {}),
    ...(type === "attachment" && partner !== undefined ? { messageId: placeName(partner) } : {}),
  };
}

/** For each observation and each action of which another action's call made a call, the first action of its exchange, as the index has it. */
function firstActionsOf(
  places: readonly Place[],
  indexes: ReadonlyMap<number, number>,
): ReadonlyMap<number, number> {
  const actions = new Map<number, number>();
  for (const [index, { reference }] of places.entries()) {
    const action = indexes.get(reference?.partner ?? -1);
    if (reference?.type === "attachment" || action === undefined) continue;
    // Where a summary stands in the place of the action, the observation is left alone. What is pointed at stands before.
    if (places[action]?.summary === undefined) actions.set(index, actions.get(action) ?? action);
  }
  return actions;
}
