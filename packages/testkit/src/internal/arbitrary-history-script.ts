import * as fc from "fast-check";

import { arbitraryId } from "../arbitrary-id.ts";
import type { HistoryConstraints, Presence } from "../history-constraints.ts";
import { arbitraryRecord } from "./arbitrary-record.ts";
import { arbitraryEvidence } from "./arbitrary-source.ts";
import { stepArbitraries } from "./arbitrary-step-script.ts";
import type { StepArbitraries } from "./arbitrary-step-script.ts";
import type {
  AskScript,
  HistoryScript,
  PhaseScript,
  RunningScript,
  TurnScript,
  WorkerScript,
} from "./history-script.ts";
import { sometimes } from "./sometimes.ts";

/** Generates scripts of at most `maxTurns` turns. */
export function arbitraryHistoryScript(
  constraints: HistoryConstraints,
  maxTurns: number,
): fc.Arbitrary<HistoryScript> {
  const { flat, running, turns, text = { maxLength: 400 } } = constraints;
  const parts = stepArbitraries(text, constraints);
  const asks = constraints.userMessages === false ? fc.constant([]) : arbitraryAsks(parts);
  const turn = fc.oneof(
    { weight: flat === false ? 0 : 1, arbitrary: arbitraryTurnScript(parts, asks, 0) },
    { weight: flat === true ? 0 : 3, arbitrary: arbitraryTurnScript(parts, asks, 3) },
  );
  const runsPercent = running === undefined ? 25 : running ? 100 : 0;
  return arbitraryRecord<HistoryScript>({
    opening: sometimes(40, fc.array(parts.aside, { maxLength: 2 }), []),
    turns:
      turns === undefined
        ? sometimes(running === true ? 100 : 95, arbitraryTurns(turn, maxTurns), [])
        : fc.array(turn, { minLength: turns, maxLength: turns }),
    running: sometimes(
      runsPercent,
      arbitraryRecord<RunningScript>({ exchange: parts.exchange, cut: fc.nat({ max: 99 }) }),
      undefined,
    ),
    names: sometimes(50, fc.uniqueArray(arbitraryId(), { maxLength: 8 }), []),
    clockErrorsMs: fc.array(fc.integer({ min: -5000, max: 5000 }), { minLength: 1, maxLength: 3 }),
    sources: arbitraryEvidence(text),
    marks: arbitraryRecord({
      turnId: arbitraryMarks(constraints.withTurnIds),
      phaseId: arbitraryMarks(constraints.withPhaseIds),
      taskId: arbitraryMarks(constraints.withTaskIds),
      // A chat with one agent seldom says whose its entries are.
      agent: arbitraryMarks(constraints.withAgents, flat === true ? 6 : 1),
    }),
  });
}

/** Filters, since an array of one at least would not shrink to the first. */
function arbitraryTurns(
  turn: fc.Arbitrary<TurnScript>,
  maxTurns: number,
): fc.Arbitrary<readonly TurnScript[]> {
  if (maxTurns === 0) return fc.constant([]);
  return fc
    .oneof(
      { weight: 2, arbitrary: fc.array(turn, { maxLength: 1 }) },
      { weight: 3, arbitrary: fc.array(turn, { maxLength: maxTurns }) },
    )
    .filter((turns) => turns.length > 0);
}

function arbitraryAsks({
  content,
  extras,
  note,
}: StepArbitraries): fc.Arbitrary<readonly AskScript[]> {
  const ask = arbitraryRecord<AskScript>({
    content,
    sources: fc.constant(undefined),
    extras,
    rendered: sometimes(10, content, undefined),
    attachments: sometimes(15, fc.array(note, { minLength: 1, maxLength: 2 }), []),
  });
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 5, arbitrary: fc.tuple(ask) },
    { weight: 1, arbitrary: fc.tuple(ask, ask) },
  );
}

function arbitraryTurnScript(
  { note, aside, step }: StepArbitraries,
  asks: fc.Arbitrary<readonly AskScript[]>,
  maxPhases: number,
): fc.Arbitrary<TurnScript> {
  const worker = arbitraryRecord<WorkerScript>({
    worker: fc.nat({ max: 3 }),
    task: note,
    delegation: sometimes(20, note, undefined),
    steps: fc.array(step, { maxLength: 3 }),
    final: sometimes(70, note, undefined),
  });
  const phase = arbitraryRecord<PhaseScript>({
    manager: fc.nat({ max: 2 }),
    task: note,
    delegation: sometimes(30, note, undefined),
    steps: sometimes(20, fc.array(step, { maxLength: 2 }), []),
    workers: fc.array(worker, { maxLength: 3 }),
    synthesis: sometimes(80, note, undefined),
    final: sometimes(20, note, undefined),
  });
  const hierarchical = maxPhases > 0;
  return arbitraryRecord<TurnScript>({
    asks,
    task: note,
    asides: sometimes(15, fc.array(aside, { minLength: 1, maxLength: 2 }), []),
    plan: sometimes(hierarchical ? 70 : 0, note, undefined),
    steps: sometimes(hierarchical ? 20 : 70, fc.array(step, { maxLength: 3 }), []),
    phases: sometimes(hierarchical ? 75 : 0, fc.array(phase, { maxLength: maxPhases }), []),
    phaseIds: fc.constantFrom<TurnScript["phaseIds"][]>(
      [1, 2, 3],
      ["research", "write", "phase 3"],
      [1, "1", 2],
      // A phase that is taken up again.
      [1, 2, 1],
      [0, -1, "__proto__"],
      ["3", 2, 1],
    ),
    concurrent: sometimes(25, fc.constant(true), false),
    broadcasts: sometimes(15, fc.array(note, { minLength: 1, maxLength: 2 }), []),
    answer: note,
    isAnswered: sometimes(85, fc.constant(true), false),
    order: fc.array(fc.nat({ max: 5 }), { maxLength: 8 }),
  });
}

function arbitraryMarks(
  presence: Presence | undefined,
  noneWeight = 1,
): fc.Arbitrary<readonly boolean[]> {
  const all = fc.constant([true]);
  const none = fc.constant([false]);
  const some = fc.array(fc.boolean(), { maxLength: 4 }).map((marks) => [true, false].concat(marks));
  if (presence !== undefined) return { all, none, some }[presence];
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 6, arbitrary: all },
    { weight: noneWeight, arbitrary: none },
    { weight: 1, arbitrary: some },
  );
}
