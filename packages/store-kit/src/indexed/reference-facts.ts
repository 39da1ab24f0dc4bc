import type { HistoryView, PhaseId } from "@agent-history/core";
import type { ClauseContext, ClauseEntry } from "@agent-history/core/kit";

import { eachInSteps } from "./pauses.ts";
import type { ReadRange } from "./read-context.ts";
import type { Reference } from "./reference.ts";
import type { StoreProgram } from "./store-program.ts";
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

/** A place in the log that a query is evaluated on. */
export interface KnownPosition {
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
export function* knownPositions(evidence: Evidence): StoreProgram<readonly KnownPosition[]> {
  const { references, summaries, phases, lastTask, turns } = evidence;
  const positions = new Map<number, KnownPosition>();
  for (const [index, turn] of turns.entries()) {
    // Before all entries; -1 is no position.
    const position = -2 - index;
    positions.set(position, { position, bytes: 0, turn, isKnown: false });
  }
  yield* eachInSteps(references, ([position, reference]) => {
    positions.set(position, { position, bytes: reference.bytes, reference, isKnown: true });
  });
  for (const summary of summaries) {
    positions.set(summary.at, {
      position: summary.at,
      bytes: summary.bytes,
      summary,
      isKnown: true,
    });
  }
  const point = (position: number | undefined): void => {
    if (position === undefined || positions.has(position)) return;
    positions.set(position, { position, bytes: 0, isKnown: false });
  };
  yield* eachInSteps(references.values(), ({ task, partner }) => {
    point(task);
    point(partner);
  });
  for (const [, start] of phases) point(start);
  point(lastTask);
  return [...positions.values()].toSorted((one, other) => one.position - other.position);
}

/** What clauses ask of these positions. */
export function* referenceFacts(
  positions: readonly KnownPosition[],
  indexes: ReadonlyMap<number, number>,
  evidence: Evidence,
  view: HistoryView | undefined,
): StoreProgram<ClauseContext> {
  const { phases, newestTurn, lastTask } = evidence;
  const givenTasks = new Set<number | undefined>();
  const tasks = new Set([lastTask]);
  yield* eachInSteps(evidence.references.values(), ({ isGiven, task }) => {
    if (isGiven) givenTasks.add(task);
    tasks.add(task);
  });
  const begun = new Map(phases.map(([id, position]) => [position, id]));
  const entries: ClauseEntry[] = [];
  const turns: number[] = [];
  const taskOf: (number | undefined)[] = [];
  const phasesOf: (PhaseId | undefined)[] = [];
  yield* eachInSteps(positions, (known) => {
    const { position, reference, turn } = known;
    entries.push(entryAt(known, { evidence, view, tasks, givenTasks }));
    const unread = turn ?? (begun.has(position) ? newestTurn : -1);
    turns.push(reference === undefined ? unread : evidence.turnOf(reference));
    taskOf.push(indexes.get(reference?.task ?? -1));
    const phase = reference === undefined ? 0 : evidence.phaseOf(reference);
    phasesOf.push(begun.get(position) ?? phases[phase - 1]?.[0]);
  });
  return { entries, newestTurn, turns, taskOf, phases: phasesOf };
}

function entryAt(
  { position, reference, summary, turn }: KnownPosition,
  {
    evidence: { agent, lastTask },
    view,
    tasks,
    givenTasks,
  }: {
    readonly evidence: Evidence;
    readonly view: HistoryView | undefined;
    readonly tasks: ReadonlySet<number | undefined>;
    readonly givenTasks: ReadonlySet<number | undefined>;
  },
): ClauseEntry {
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
