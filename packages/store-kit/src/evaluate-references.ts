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
  const positions = positionsOf(evidence);
  const indexes = new Map(positions.map(({ position }, index) => [position, index]));
  const facts = factsOf(positions, indexes, evidence, query.view);
  const shown = shownByClauses(facts, query).map(
    (isShown, index) => isShown && positions[index]?.isKnown === true,
  );
  const { after, before } = evidence.range;
  const start = countBefore(positions, after + 1);
  const end = countBefore(positions, before);
  const limit = firstWithinLimits(positions, shown.slice(0, end), query, ({ bytes }) => bytes);
  const isLimited = shown.slice(0, limit).includes(true);
  const isCut = shown.slice(start, limit).includes(true);
  const first = Math.max(start, limit);
  for (const index of shown.keys()) if (index < first || index >= end) shown[index] = false;
  const oldest = positions[shown.indexOf(true)];
  if (query.splitExchanges !== true) hideCutExchanges(firstActionsOf(positions, indexes), shown);
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

/** Names an entry by its position. */
export function positionName(position: number): string {
  return `at ${position}`;
}

/** Names a summary by its index, which may be that of an entry that remains. */
export function summaryName(position: number): string {
  return `summary at ${position}`;
}

/** Names a turn by its number. */
export function turnName(turn: number): string {
  return `turn ${turn}`;
}

interface KnownPosition {
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
function positionsOf(evidence: Evidence): readonly KnownPosition[] {
  const { references, summaries, phases, lastTask, turns } = evidence;
  const positions = new Map<number, KnownPosition>();
  for (const [index, turn] of turns.entries()) {
    // Before all entries; -1 is no position.
    const position = -2 - index;
    positions.set(position, { position, bytes: 0, turn, isKnown: false });
  }
  for (const [position, reference] of references) {
    positions.set(position, { position, bytes: reference.bytes, reference, isKnown: true });
  }
  for (const summary of summaries) {
    positions.set(summary.at, {
      position: summary.at,
      bytes: summary.bytes,
      summary,
      isKnown: true,
    });
  }
  const pointed = [...references.values()].flatMap(({ task, partner }) => [task, partner]);
  for (const position of [...pointed, ...phases.map(([, start]) => start), lastTask]) {
    if (position === undefined || positions.has(position)) continue;
    positions.set(position, { position, bytes: 0, isKnown: false });
  }
  return [...positions.values()].toSorted((one, other) => one.position - other.position);
}

function factsOf(
  positions: readonly KnownPosition[],
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
  const entries = positions.map((known): ClauseEntry => {
    const { position, reference, summary, turn } = known;
    const id = positionName(position);
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
    turns: positions.map(({ position, reference, turn }) => {
      if (turn !== undefined) return turn;
      if (reference !== undefined) return evidence.turnOf(reference);
      return begun.has(position) ? newestTurn : -1;
    }),
    taskOf: positions.map(({ reference }) => indexes.get(reference?.task ?? -1)),
    phases: positions.map(({ position, reference }) => {
      const phase = reference === undefined ? 0 : evidence.phaseOf(reference);
      return begun.get(position) ?? phases[phase - 1]?.[0];
    }),
  };
}

function entryOf(reference: Reference, agent: string | undefined): ClauseEntry {
  const { position, type, task, partner } = reference;
  const owner = reference.isOwn && agent !== undefined ? agent : `not ${agent}`;
  return {
    id: positionName(position),
    type,
    ...(reference.isUnowned ? {} : { agent: { id: owner } }),
    ...(reference.hasTask ? { taskId: task === undefined ? "missing" : positionName(task) } : {}),
    ...(type === "attachment" && partner !== undefined ? { messageId: positionName(partner) } : {}),
  };
}

/** For each observation and each action of which another action's call made a call, the first action of its exchange, as the index has it. */
function firstActionsOf(
  positions: readonly KnownPosition[],
  indexes: ReadonlyMap<number, number>,
): ReadonlyMap<number, number> {
  const actions = new Map<number, number>();
  for (const [index, { reference }] of positions.entries()) {
    const action = indexes.get(reference?.partner ?? -1);
    if (reference?.type === "attachment" || action === undefined) continue;
    // Where a summary stands in place of the action, the observation is left alone. What is pointed at stands before.
    if (positions[action]?.summary === undefined) actions.set(index, actions.get(action) ?? action);
  }
  return actions;
}
