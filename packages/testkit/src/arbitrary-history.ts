import type { ActionEntry, Agent, HistoryEntry, PhaseId } from "@agent-history/core";
import { countOption, HistoryError } from "@agent-history/core";
import * as fc from "fast-check";

import { arbitraryContent } from "./arbitrary-content.ts";
import { arbitraryId } from "./arbitrary-id.ts";
import type { TextConstraints } from "./arbitrary-text.ts";
import {
  arbitraryEvidence,
  arbitraryFields,
  arbitraryJsonObject,
  arbitraryRecord,
  arbitraryToolCall,
  sometimes,
} from "./internal/arbitrary-parts.ts";
import {
  citing,
  inRotation,
  newDraft,
  push,
  settleAll,
  shown,
  sourcesOf,
  stamp,
  take,
  write,
} from "./internal/draft.ts";
import type { Draft, Extras, Scope } from "./internal/draft.ts";

/** Which of the entries that could carry a mark carry it: every one, some of them, none. */
export type Presence = "all" | "some" | "none";

/** What histories to generate. What is left out is mixed: mostly `all` for marks. */
export interface HistoryConstraints {
  /** From 0. Default 40. */
  readonly maxEntries?: number;
  /** Exactly this many turns, with something between their user messages. Default: from 0 to 4. */
  readonly turns?: number;
  /** `true`: chats with tools and one agent, no hierarchy. `false`: every turn may have phases. Default: both. */
  readonly flat?: boolean;
  /** `false`: no user speaks; each turn is begun by a `task` of the orchestrator that nobody gave. Default `true`. */
  readonly userMessages?: boolean;
  /** `true`: the newest turn ends with calls that nobody has answered yet. `false`: every call is answered. Default: both. */
  readonly running?: boolean;
  /** `true`: some calls make calls, whose results come before theirs. Default `false`. */
  readonly nestedCalls?: boolean;
  /** Which entries of a turn carry its id; system messages and summaries belong to none. */
  readonly withTurnIds?: Presence;
  /** Which entries of a phase carry its id. */
  readonly withPhaseIds?: Presence;
  /** Which entries under a task carry its id. */
  readonly withTaskIds?: Presence;
  /** Which entries that an agent wrote carry it. A `task` says in any case who does it and who gave it. */
  readonly withAgents?: Presence;
  /** Lets a provider's own compaction item stand in the log, as a `summary` without a view. Default `true`. */
  readonly summaries?: boolean;
  /** What texts are like; citations come on top. Default: at most 400 UTF-16 code units, lone surrogates included. */
  readonly text?: TextConstraints;
}

/**
 * Generates whole well-formed histories of an orchestrator, its managers and their workers, the empty one included.
 *
 * Within the log an agent's observations come after their action and before that agent's next entry; entries of other
 * agents may lie between (those without an agent count as one agent's). Every call is answered, except in an agent's
 * last action while the newest turn runs. Ids of entries are unique, ids of calls are used again, a source number means
 * one source. Agents, phases and odd ids recur in several turns. Times do not order. Shrinks to few turns, few steps and
 * short texts. Costs about a fifth of a millisecond.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if a count is none, or `maxEntries` has no room for the turns.
 * @example
 * ```ts
 * import { arbitraryHistory } from "@agent-history/testkit";
 * import * as fc from "fast-check";
 *
 * const histories = fc.sample(arbitraryHistory({ turns: 2, withTurnIds: "all" }), 100);
 * histories.every((entries) => new Set(entries.flatMap((entry) => entry.turnId ?? [])).size === 2);
 * // => true
 * ```
 */
export function arbitraryHistory(
  constraints: HistoryConstraints = {},
): fc.Arbitrary<readonly HistoryEntry[]> {
  const maxEntries = countOption("maxEntries", constraints.maxEntries ?? 40);
  const turns = countOption("turns", constraints.turns ?? (constraints.running === true ? 1 : 0));
  const needed = leastEntries(turns, constraints.running === true);
  if (maxEntries < needed || turns === Infinity) {
    throw new HistoryError(
      `Expected \`maxEntries\` to be ${needed} or more for that many turns; got ${maxEntries}.`,
      { code: "INVALID_OPTION", details: { option: "maxEntries", received: maxEntries } },
    );
  }
  const canRun = maxEntries >= leastEntries(Math.max(turns, 1), true);
  const running = canRun ? constraints.running : false;
  const maxTurns = Math.min(4, Math.floor((maxEntries + (running === false ? 1 : 0)) / 2));
  return arbitraryScript(constraints, running, maxTurns).map((script) =>
    layOut(script, maxEntries),
  );
}

/** A request for each turn, and what ends it; the newest ends only while it runs. */
function leastEntries(turns: number, isRunning: boolean): number {
  return turns === 0 ? 0 : 2 * turns - (isRunning ? 0 : 1);
}

type Drawn<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Value> ? Value : never;
/** All that chance decides. Who does a step, and which place is meant, is counted in rotation among those there are. */
type Script = Drawn<ReturnType<typeof arbitraryScript>>;
type Turn = Script["turns"][number];
type Note = Turn["answer"];
type Step = Turn["steps"][number];
type Exchange = NonNullable<Script["pending"]>;
type Aside = Script["opening"][number];

function arbitraryScript(
  constraints: HistoryConstraints,
  running: boolean | undefined,
  maxTurns: number,
) {
  const { flat, turns: count, text = { maxLength: 400 } } = constraints;
  const turn = fc.oneof(
    { weight: flat === false ? 0 : 1, arbitrary: turnOf(constraints, stepOf(constraints, 0)) },
    { weight: flat === true ? 0 : 3, arbitrary: turnOf(constraints, stepOf(constraints, 1)) },
  );
  // Filters, since an array of one at least would not shrink to the first.
  const some = fc
    .oneof(
      { weight: 2, arbitrary: fc.array(turn, { maxLength: 1 }) },
      { weight: 3, arbitrary: fc.array(turn, { maxLength: maxTurns }) },
    )
    .filter(({ length }) => length > 0);
  const mixed = maxTurns === 0 ? fc.constant([]) : sometimes(running === true ? 100 : 95, some, []);
  return arbitraryRecord({
    opening: sometimes(40, fc.array(asideOf(constraints), { maxLength: 2 }), []),
    turns: count === undefined ? mixed : fc.array(turn, { minLength: count, maxLength: count }),
    // Set where the newest turn still runs: what it ends with.
    pending: sometimes(running === undefined ? 25 : running ? 100 : 0, exchangeOf(text), undefined),
    // The log of a turn that runs ends at one of the places where a call is open.
    cut: fc.nat({ max: 99 }),
    // Odd ids; the same one may name a turn, an agent and an entry.
    names: sometimes(50, fc.uniqueArray(arbitraryId().filter(isOdd), { maxLength: 8 }), []),
    // How far each entry's clock is off.
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

function turnOf<Value>(
  { userMessages = true, text = { maxLength: 400 } }: HistoryConstraints,
  step: fc.Arbitrary<Value>,
) {
  const content = arbitraryContent(text);
  const note = noteOf(text);
  const ask = arbitraryRecord({
    content,
    extras,
    rendered: sometimes(10, content, undefined),
    attachments: sometimes(15, fc.array(note, { minLength: 1, maxLength: 2 }), []),
  });
  const asks = fc.oneof(
    { withCrossShrink: true },
    { weight: 5, arbitrary: fc.array(ask, { minLength: 1, maxLength: 1 }) },
    { weight: 1, arbitrary: fc.array(ask, { minLength: 2, maxLength: 2 }) },
  );
  return arbitraryRecord({
    asks: userMessages ? asks : fc.constant([]),
    // What begins a turn without a user message.
    task: note,
    steps: fc.array(step, { maxLength: 12 }),
    phaseIds: fc.constantFrom<(readonly PhaseId[])[]>(
      [1, 2, 3],
      ["research", "write", "phase 3"],
      [1, "1", 2],
      // A phase that is taken up again.
      [1, 2, 1],
      [0, -1, "__proto__"],
      ["3", 2, 1],
    ),
    answer: note,
    isAnswered: sometimes(85, fc.constant(true), false),
  });
}

/** What happens in a turn; only a team has plans and tasks. */
function stepOf(constraints: HistoryConstraints, ofTeam: 0 | 1) {
  const { nestedCalls = false, text = { maxLength: 400 } } = constraints;
  const [note, exchange] = [noteOf(text), exchangeOf(text)];
  const who = fc.nat({ max: 7 });
  const inner = fc.array(exchange, { minLength: 1, maxLength: 2 });
  const works = arbitraryRecord({
    kind: fc.constant("exchange"),
    who,
    exchange,
    // What the call that is answered last calls itself, one action after the other.
    inner: sometimes(nestedCalls ? 40 : 0, inner, []),
  });
  const says = arbitraryRecord({ kind: fc.constantFrom("error", "global_observation"), who, note });
  const aside = arbitraryRecord({ kind: fc.constant("aside"), aside: asideOf(constraints) });
  const plans = arbitraryRecord({ kind: fc.constantFrom("plan", "heard"), note });
  const finishes = arbitraryRecord({ kind: fc.constant("finish"), who });
  const task = arbitraryRecord({
    kind: fc.constant("task"),
    who,
    note,
    delegation: sometimes(25, note, undefined),
    // A phase for a manager; else work for a worker.
    opensPhase: sometimes(35, fc.constant(true), false),
    isConcurrent: fc.boolean(),
    synthesis: sometimes(80, note, undefined),
    final: sometimes(60, note, undefined),
  });
  return fc.oneof(
    { weight: 7, arbitrary: works },
    { weight: 1, arbitrary: says },
    { weight: 1, arbitrary: aside },
    { weight: ofTeam, arbitrary: plans },
    { weight: ofTeam, arbitrary: finishes },
    { weight: 8 * ofTeam, arbitrary: task },
  );
}

function asideOf({ summaries = true, text = { maxLength: 400 } }: HistoryConstraints) {
  return arbitraryRecord({
    kind: fc.constantFrom("system_message", "memory", summaries ? "summary" : "memory"),
    owner: sometimes(30, fc.nat({ max: 7 }), undefined),
    content: arbitraryContent(text),
    extras,
  });
}

function exchangeOf(text: TextConstraints) {
  const call = arbitraryRecord({
    call: arbitraryToolCall(text, fc.constantFrom("call_0", "call_1", "call_2")),
    // Keeps an id that other exchanges use too.
    reusesId: fc.boolean(),
    outcome: fc.constantFrom("success", "success", "error", "denied", "cancelled"),
    result: noteOf(text),
    namesAction: fc.boolean(),
    // Parallel calls are answered by rising rank.
    rank: fc.nat({ max: 3 }),
  });
  return arbitraryRecord({
    content: sometimes(60, arbitraryContent(text), undefined),
    calls: fc.oneof(
      { weight: 3, arbitrary: fc.array(call, { minLength: 1, maxLength: 1 }) },
      { weight: 1, arbitrary: fc.array(call, { minLength: 1, maxLength: 3 }) },
    ),
    extras,
    // How many entries come at once; the others of their agent come before its next.
    early: sometimes(65, fc.nat({ max: 1 }), 9),
  });
}

function noteOf(text: TextConstraints) {
  return arbitraryRecord({ content: arbitraryContent(text), sources: someSources, extras });
}

function isOdd(name: string): boolean {
  return !/^(?:e|turn-|agent-)\d+$/u.test(name);
}

/** Which entries carry a mark, in rotation. */
function arbitraryMarks(presence?: Presence, noneWeight = 1): fc.Arbitrary<readonly boolean[]> {
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

/** Places in the thread's evidence. One draw: most entries carry none. */
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

/** What an agent has to do, and the entries that are kept room for at its end. */
interface Task {
  readonly agent: Agent;
  readonly scope: Scope;
  readonly closing: readonly (readonly [type: "synthesis" | "final", note: Note])[];
}

/** Writes a script down as a log of at most `maxEntries` entries; each turn gets its share of them. */
function layOut(script: Script, maxEntries: number): readonly HistoryEntry[] {
  const { turns, pending, marks } = script;
  const draft = newDraft(script);
  const { log } = draft;
  draft.room = maxEntries - leastEntries(turns.length, pending !== undefined);
  for (const aside of script.opening) writeAside(draft, {}, aside);
  for (const [index, turn] of turns.entries()) {
    const later = turns.length - index - 1;
    const left = maxEntries - log.length;
    const spare = left - leastEntries(later + 1, pending !== undefined);
    draft.room = later === 0 ? left : 2 + Math.floor(spare / (later + 1));
    draft.openLengths = [];
    if (later === 0) writeTurn(draft, turn, turn.isAnswered, pending);
    // Without ids only what stands between tells two turns apart.
    else writeTurn(draft, turn, turn.isAnswered || marks.turnId.includes(false));
  }
  if (pending === undefined || turns.length === 0) return log;
  return log.slice(0, inRotation(draft.openLengths, script.cut));
}

/** Writes as much of a turn as there is room for: request and ending first, then what lies between. */
function writeTurn(draft: Draft, turn: Turn, isAnswered: boolean, pending?: Exchange): void {
  const { orchestrator } = draft;
  draft.room -= 1;
  const hasEnding = (pending !== undefined || isAnswered) && take(draft, 1);
  const scope = writeRequest(draft, turn);
  const work: Work = { turn, scope, phases: [], workers: [], phasesBegun: 0 };
  for (const step of turn.steps) writeStep(draft, work, step);
  // While it runs, others may wait for results, too.
  if (pending === undefined) closePhases(draft, work);
  if (!hasEnding) return;
  const writer = shown(draft, orchestrator);
  if (pending !== undefined) return write(draft, actionOf(draft, scope, writer, pending));
  const base = stamp(draft, scope, writer, turn.answer.extras);
  write(draft, { ...base, type: "assistant_message", content: citing(draft, turn.answer) });
}

/** A turn that is being written. */
interface Work {
  readonly turn: Turn;
  readonly scope: Scope;
  phases: readonly Task[];
  workers: readonly Task[];
  phasesBegun: number;
}

/** Returns where the turn's own entries stand. */
function writeRequest(draft: Draft, { asks, task }: Turn): Scope {
  const scope: Scope = { turnId: draft.newTurnId() };
  const { orchestrator: agent } = draft;
  if (asks.length === 0) {
    const base = stamp(draft, scope, agent, task.extras);
    write(draft, { ...base, type: "task", content: task.content, agent });
    return { ...scope, taskId: base.id };
  }
  for (const [index, { content, rendered, extras: own, attachments }] of asks.entries()) {
    if (index > 0 && !take(draft, 1)) break;
    const base = stamp(draft, scope, undefined, own);
    const { id: messageId } = base;
    write(draft, {
      ...base,
      type: "user_message",
      content,
      ...(rendered !== undefined && { rendered }),
    });
    for (const file of attachments.filter(() => take(draft, 1))) {
      const brought = stamp(draft, scope, undefined, file.extras);
      write(draft, { ...brought, type: "attachment", messageId, content: file.content });
    }
  }
  return scope;
}

function writeStep(draft: Draft, work: Work, step: Step): void {
  const { orchestrator } = draft;
  const own: Task = { agent: orchestrator, scope: work.scope, closing: [] };
  const doers = "who" in step ? [own, ...work.phases, ...work.workers] : [own];
  const { agent, scope } = inRotation(doers, "who" in step ? step.who : 0) ?? own;
  switch (step.kind) {
    case "exchange":
      return writeExchange(draft, scope, agent, step);
    case "task":
      return writeTask(draft, work, step);
    case "finish": {
      const ending = inRotation(work.workers, step.who);
      if (ending !== undefined) finish(draft, work, ending.agent);
      return;
    }
    case "aside":
      return writeAside(draft, work.scope, step.aside);
    default:
      return writeNote(draft, scope, agent, step);
  }
}

function writeNote(
  draft: Draft,
  scope: Scope,
  agent: Agent,
  {
    kind,
    note,
  }: Extract<
    Step,
    { readonly note: Note; readonly kind: "error" | "plan" | "heard" | "global_observation" }
  >,
): void {
  if (!take(draft, 1)) return;
  const writer = kind === "heard" ? undefined : shown(draft, agent);
  const base = { ...stamp(draft, scope, writer, note.extras), content: note.content };
  if (kind === "plan") return write(draft, { ...base, type: "strategic_plan" });
  if (kind === "error") return write(draft, { ...base, type: "error" });
  write(draft, { ...base, ...sourcesOf(draft, note.sources), type: "global_observation" });
}

function writeAside(
  draft: Draft,
  scope: Scope,
  { kind, owner, content, extras: own }: Aside,
): void {
  if (!take(draft, 1)) return;
  const { orchestrator, managers, workers } = draft;
  const agents = [orchestrator, ...managers, ...workers];
  const agent = owner === undefined ? undefined : inRotation(agents, owner);
  const writer = agent === undefined || kind === "summary" ? undefined : shown(draft, agent);
  const base = stamp(draft, kind === "memory" ? scope : {}, writer, own);
  if (kind === "summary")
    write(draft, { ...base, type: kind, content, strategy: "provider", trust: "user" });
  else write(draft, { ...base, type: kind, content });
}

/** Gives a manager a phase or a worker a part of one, where there is room, and before it the record of handing it over. */
function writeTask(draft: Draft, work: Work, step: Extract<Step, { readonly kind: "task" }>): void {
  const { who, note, delegation } = step;
  const isPhase = step.opensPhase || work.phases.length === 0;
  if (isPhase && !step.isConcurrent) closePhases(draft, work);
  // Nobody manages two phases at once.
  const free = draft.managers.filter((one) => work.phases.every(({ agent }) => agent !== one));
  const agent = inRotation(isPhase ? free : draft.workers, who);
  const phaseId = work.turn.phaseIds[work.phasesBegun];
  const scope = phaseId === undefined ? undefined : { ...work.scope, phaseId };
  const begun = scope && { agent: draft.orchestrator, scope };
  const from = isPhase ? begun : inRotation(work.phases, who);
  if (agent === undefined || from === undefined || !take(draft, 1)) return;
  finish(draft, work, agent);
  const { synthesis, final } = step;
  const closing: Task["closing"] = [
    ...(isPhase && synthesis !== undefined && take(draft, 1)
      ? [["synthesis", synthesis] as const]
      : []),
    ...(final !== undefined && take(draft, 1) ? [["final", final] as const] : []),
  ];
  if (delegation !== undefined && take(draft, 1)) {
    const base = stamp(draft, from.scope, shown(draft, from.agent), delegation.extras);
    write(draft, { ...base, type: "delegation", content: delegation.content, to: agent });
  }
  const base = stamp(draft, from.scope, agent, note.extras);
  write(draft, { ...base, type: "task", content: note.content, agent, from: from.agent });
  const task = { agent, scope: { ...from.scope, taskId: base.id }, closing };
  if (isPhase) {
    work.phases = [...work.phases, task];
    work.phasesBegun += 1;
  } else work.workers = [...work.workers, task];
}

/** Writes what ends the task of an agent, if it has one. */
function finish(draft: Draft, work: Work, agent: Agent): void {
  const isOthers = (task: Task): boolean => task.agent !== agent;
  const ending = [...work.phases, ...work.workers].find((task) => !isOthers(task));
  for (const [type, note] of ending?.closing ?? []) {
    const base = stamp(draft, ending?.scope ?? {}, shown(draft, agent), note.extras);
    write(draft, { ...base, type, content: citing(draft, note) });
  }
  work.phases = work.phases.filter(isOthers);
  work.workers = work.workers.filter(isOthers);
}

function closePhases(draft: Draft, work: Work): void {
  settleAll(draft);
  for (const { agent } of [...work.workers, ...work.phases]) finish(draft, work, agent);
}

function writeExchange(
  draft: Draft,
  scope: Scope,
  agent: Agent,
  { exchange, inner }: Extract<Step, { readonly kind: "exchange" }>,
): void {
  const size = [exchange, ...inner].reduce((sum, { calls }) => sum + 1 + calls.length, 0);
  if (!take(draft, size)) return;
  const writer = shown(draft, agent);
  const action = actionOf(draft, scope, writer, exchange);
  const results = resultsOf(draft, scope, action, exchange);
  const last = results.at(-1);
  const callerId = last?.type === "observation" ? last.callId : "";
  const called = inner.flatMap((one): readonly HistoryEntry[] => {
    const calls = one.calls.map((call) => ({ ...call, reusesId: false }));
    const first = actionOf(draft, scope, writer, { ...one, calls });
    const toolCalls = first.toolCalls.map((call) => ({ ...call, callerId }));
    return [{ ...first, toolCalls }, ...resultsOf(draft, scope, first, { ...one, calls })];
  });
  write(draft, action);
  const following = [...results.slice(0, -1), ...called, ...results.slice(-1)];
  for (const entry of following.slice(0, exchange.early)) push(draft, entry);
  const late = following.slice(exchange.early);
  if (late.length > 0) draft.waiting.set(writer?.id, late);
}

function actionOf(
  draft: Draft,
  scope: Scope,
  writer: Agent | undefined,
  { content, calls, extras: own }: Exchange,
): ActionEntry {
  const toolCalls: ActionEntry["toolCalls"][number][] = [];
  for (const { call, reusesId } of calls) {
    const isFree = toolCalls.every((other) => other.id !== call.id);
    if (!reusesId || !isFree) draft.calls += 1;
    toolCalls.push({ ...call, id: reusesId && isFree ? call.id : `call-${draft.calls}` });
  }
  const base = stamp(draft, scope, writer, own);
  return { ...base, type: "action", ...(content !== undefined && { content }), toolCalls };
}

function resultsOf(
  draft: Draft,
  scope: Scope,
  { id: actionId, agent, toolCalls }: ActionEntry,
  { calls }: Exchange,
): readonly HistoryEntry[] {
  const answered = calls.flatMap((script, index) => {
    const call = toolCalls[index];
    return call === undefined ? [] : [{ ...script, call }];
  });
  return answered
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ call, result, outcome, namesAction }) => ({
      ...stamp(draft, scope, agent, result.extras),
      ...sourcesOf(draft, result.sources),
      ...(namesAction && { actionId }),
      type: "observation",
      callId: call.id,
      toolName: call.name,
      outcome,
      content: result.content,
    }));
}
