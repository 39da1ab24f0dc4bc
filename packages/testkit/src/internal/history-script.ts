import type { Content, EntryBase, Outcome, PhaseId, Source, ToolCall } from "@agent-history/core";
import * as fc from "fast-check";

import { arbitraryContent } from "../arbitrary-content.ts";
import { arbitraryId } from "../arbitrary-id.ts";
import type { TextConstraints } from "../arbitrary-text.ts";
import type { HistoryConstraints, Presence } from "../history-constraints.ts";
import {
  arbitraryEvidence,
  arbitraryFields,
  arbitraryJsonObject,
  arbitraryRecord,
  arbitraryToolCall,
  sometimes,
} from "./arbitrary-parts.ts";

/** What happens in a history and how it is noted down: all that chance decides, before it is laid out as entries. */
export interface HistoryScript extends NotationScript {
  readonly opening: readonly AsideScript[];
  readonly turns: readonly TurnScript[];
  /** Set where the newest turn still runs. */
  readonly running: RunningScript | undefined;
}

/** How what happens is noted down. */
export interface NotationScript {
  /** Odd ids; the same one may name a turn, an agent and an entry. */
  readonly names: readonly string[];
  /** How far each entry's clock is off, in milliseconds; used in rotation. */
  readonly clockErrorsMs: readonly number[];
  /** The thread's evidence, each with a number of its own. */
  readonly sources: readonly Source[];
  readonly marks: Marks;
}

/** Which entries carry a mark, by the order they are written in; each list is used in rotation. */
export interface Marks {
  readonly turnId: readonly boolean[];
  readonly phaseId: readonly boolean[];
  readonly taskId: readonly boolean[];
  readonly agent: readonly boolean[];
}

export interface RunningScript {
  /** What the newest turn ends with: nobody answers it. */
  readonly exchange: ExchangeScript;
  /** The log ends at one of the places where a call is open: at this one, counted in rotation. */
  readonly cut: number;
}

export interface TurnScript {
  /** What the user asks; none where a task begins the turn. */
  readonly asks: readonly AskScript[];
  /** What begins a turn without a user message: work for the orchestrator, given by nobody. */
  readonly task: NoteScript;
  readonly asides: readonly AsideScript[];
  readonly plan: NoteScript | undefined;
  /** What the orchestrator does itself. */
  readonly steps: readonly StepScript[];
  readonly phases: readonly PhaseScript[];
  readonly phaseIds: readonly PhaseId[];
  /** All phases at once, not one after the other. */
  readonly concurrent: boolean;
  /** What becomes known to all while the first phases run. */
  readonly broadcasts: readonly NoteScript[];
  readonly answer: NoteScript;
  readonly isAnswered: boolean;
  /** Whose turn it is to write where several work at once; used in rotation. Empty: one after the other. */
  readonly order: readonly number[];
}

export interface PhaseScript {
  readonly manager: number;
  readonly task: NoteScript;
  readonly delegation: NoteScript | undefined;
  readonly steps: readonly StepScript[];
  readonly workers: readonly WorkerScript[];
  readonly synthesis: NoteScript | undefined;
  readonly final: NoteScript | undefined;
}

export interface WorkerScript {
  readonly worker: number;
  readonly task: NoteScript;
  readonly delegation: NoteScript | undefined;
  readonly steps: readonly StepScript[];
  readonly final: NoteScript | undefined;
}

/** One thing that an agent does. */
export type StepScript =
  | {
      readonly kind: "exchange";
      readonly script: ExchangeScript;
      /** What the call that is answered last calls itself, one action after the other. */
      readonly inner?: readonly ExchangeScript[];
    }
  | { readonly kind: "error" | "global_observation"; readonly script: NoteScript };

export interface ExchangeScript {
  readonly content: Content | undefined;
  readonly calls: readonly CallScript[];
  readonly extras: Extras;
}

export interface CallScript {
  readonly call: ToolCall;
  /** Keeps an id that other exchanges use too. */
  readonly reusesId: boolean;
  readonly outcome: Outcome;
  readonly result: NoteScript;
  readonly namesAction: boolean;
  /** Parallel calls are answered by rising rank. */
  readonly rank: number;
}

/** What stands in a log beside the work. */
export interface AsideScript extends NoteScript {
  readonly kind: "system_message" | "memory" | "summary";
  /** Whose it is, counted among all agents; nobody's where it is missing. */
  readonly owner: number | undefined;
}

export interface AskScript extends NoteScript {
  readonly rendered: Content | undefined;
  readonly attachments: readonly NoteScript[];
}

export interface NoteScript {
  readonly content: Content;
  /** Places in the thread's evidence, counted in rotation. An answer cites them. */
  readonly sources: readonly number[] | undefined;
  readonly extras: Extras;
}

/** What any entry may carry besides. */
export interface Extras extends Pick<EntryBase, "pinned" | "metadata"> {
  /** The message format that the entry came in, as a message of its own. */
  readonly format?: string;
}

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

/** What the parts of a script are made from. */
export interface StepArbitraries {
  readonly content: fc.Arbitrary<Content>;
  readonly extras: fc.Arbitrary<Extras>;
  readonly note: fc.Arbitrary<NoteScript>;
  readonly aside: fc.Arbitrary<AsideScript>;
  readonly exchange: fc.Arbitrary<ExchangeScript>;
  readonly step: fc.Arbitrary<StepScript>;
}

/** Returns the arbitraries of what agents do and say. */
function stepArbitraries(
  text: TextConstraints,
  { summaries = true, nestedCalls = false }: Pick<HistoryConstraints, "summaries" | "nestedCalls">,
): StepArbitraries {
  const content = arbitraryContent(text);
  const exchange = arbitraryExchangeScript(text);
  const note = arbitraryRecord<NoteScript>({ content, sources: someSources, extras });
  const aside = arbitraryRecord<AsideScript>({
    kind: fc.constantFrom("system_message", "memory", summaries ? "summary" : "memory"),
    owner: sometimes(30, fc.nat({ max: 7 }), undefined),
    content,
    sources: fc.constant(undefined),
    extras,
  });
  const nested = fc.record({
    kind: fc.constant("exchange" as const),
    script: exchange,
    inner: fc.array(exchange, { minLength: 1, maxLength: 2 }),
  });
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant("exchange"), script: exchange }) },
    { weight: nestedCalls ? 4 : 0, arbitrary: nested },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constantFrom("error", "global_observation"), script: note }),
    },
  );
  return { content, extras, note, aside, exchange, step };
}

/** Generates exchanges: mostly of one call, up to three. */
function arbitraryExchangeScript(text: TextConstraints): fc.Arbitrary<ExchangeScript> {
  const content = arbitraryContent(text);
  const call = arbitraryRecord<CallScript>({
    call: arbitraryToolCall(text, fc.constantFrom("call_0", "call_1", "call_2")),
    reusesId: fc.boolean(),
    outcome: fc.constantFrom("success", "success", "error", "denied", "cancelled"),
    result: arbitraryRecord<NoteScript>({ content, sources: someSources, extras }),
    namesAction: fc.boolean(),
    rank: fc.nat({ max: 3 }),
  });
  const several = fc.array(call, { minLength: 1, maxLength: 3 });
  return arbitraryRecord<ExchangeScript>({
    content: sometimes(60, content, undefined),
    calls: fc.oneof({ weight: 3, arbitrary: fc.tuple(call) }, { weight: 1, arbitrary: several }),
    extras,
  });
}

/** One draw each: most entries carry none of these. */
const someSources: fc.Arbitrary<readonly number[] | undefined> = sometimes(
  30,
  fc.constantFrom([0], [1], [0, 1], [2, 0], [3, 4, 1], []),
  undefined,
);

const extras: fc.Arbitrary<Extras> = sometimes<Extras, Extras>(
  15,
  arbitraryFields(
    "some",
    {},
    {
      pinned: fc.boolean(),
      metadata: arbitraryJsonObject,
      format: fc.constantFrom("openai-chat", "anthropic"),
    },
  ),
  {},
);

/** Tells how many entries this many turns take at least: a request each, and what ends it; the newest ends only while it runs. */
export function leastEntries(turns: number, isRunning: boolean): number {
  return turns === 0 ? 0 : 2 * turns - (isRunning ? 0 : 1);
}
