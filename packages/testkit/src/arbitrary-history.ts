import type {
  ActionEntry,
  Agent,
  Content,
  HistoryEntry,
  ObservationEntry,
  PhaseId,
} from "@agent-history/core";
import { countOption, HistoryError } from "@agent-history/core";
import * as fc from "fast-check";

import { arbitraryContent } from "./arbitrary-content.ts";
import { arbitraryId } from "./arbitrary-id.ts";
import type { TextConstraints } from "./arbitrary-text.ts";
import type { HistoryConstraints, Presence } from "./history-constraints.ts";
import {
  arbitraryEvidence,
  arbitraryExtras,
  arbitraryRecord,
  arbitraryToolCall,
  sometimes,
} from "./internal/arbitrary-parts.ts";
import { idsOf, inRotation, settleAll, shown, stamp, take, write } from "./internal/log-draft.ts";
import type { LogDraft, Scope } from "./internal/log-draft.ts";

/**
 * Generates whole well-formed histories of an orchestrator, its managers and their workers, including the empty one.
 *
 * An agent's observations follow their action and precede that agent's next entry; entries of other agents may be in
 * between (entries without an agent count as one agent's). Every call has a result, except in an agent's last action
 * while the newest turn runs. Entry ids are unique, call ids are reused, and a source number refers to one source.
 * Agents, phases and odd ids recur in several turns. Times may be out of order. Shrinks to few turns, few steps and
 * short texts. Takes about 0.2 ms.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if a count is not a non-negative integer, or `maxEntries` is too small for the turns.
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
  const { turns = 0, running } = constraints;
  const maxEntries = countOption("maxEntries", constraints.maxEntries ?? 40);
  const needed = ENDS * Math.max(countOption("turns", turns), running === true ? 1 : 0);
  if (maxEntries < needed || turns === Infinity) {
    throw new HistoryError(
      `Expected \`maxEntries\` to be ${needed} or more for that many turns; got ${maxEntries}.`,
      { code: "INVALID_OPTION", details: { option: "maxEntries", received: maxEntries } },
    );
  }
  return arbitraryScript(constraints, maxEntries).map((script) => layOut(script, maxEntries));
}

/** Room for the two ends of a turn: its request, and its answer or the action that it waits for. */
const ENDS = 2;

type Drawn<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Value> ? Value : never;
/** All random choices. The agent of a step is an index, taken modulo the number of agents. */
type Script = Drawn<ReturnType<typeof arbitraryScript>>;
type Turn = Script["turns"][number];
type Note = Turn["answer"];
type Step = Turn["steps"][number];
type Exchange = Script["pending"];

function arbitraryScript(constraints: HistoryConstraints, maxEntries: number) {
  const { flat, running, turns: count, text = { maxLength: 400 } } = constraints;
  const turn = fc.oneof(
    { weight: flat === false ? 0 : 1, arbitrary: turnOf(constraints, 0) },
    { weight: flat === true ? 0 : 3, arbitrary: turnOf(constraints, 1) },
  );
  const most = Math.min(4, Math.floor(maxEntries / ENDS));
  const some = fc.oneof(
    { weight: 2, arbitrary: fc.array(turn, { minLength: Math.min(1, most), maxLength: most }) },
    { weight: 1, arbitrary: turn.map((one) => [one]) },
  );
  const few = most === 0 ? fc.constant([]) : sometimes(running === true ? 100 : 95, some, []);
  return arbitraryRecord({
    opening: sometimes(40, fc.array(noteStep(text, BESIDE), { maxLength: 2 }), []),
    turns: count === undefined ? few : fc.array(turn, { minLength: count, maxLength: count }),
    isRunning:
      running === undefined ? sometimes(25, fc.constant(true), false) : fc.constant(running),
    // The calls at the end of a running turn.
    pending: exchangeOf(text),
    // Odd ids; a turn, an agent and an entry may have the same one.
    names: sometimes(50, fc.uniqueArray(arbitraryId().filter(isOdd), { maxLength: 8 }), []),
    // The error of each entry's clock.
    clockErrorsMs: fc.array(fc.integer({ min: -5000, max: 5000 }), { minLength: 1, maxLength: 3 }),
    marks: arbitraryRecord({
      turnId: arbitraryMarks(constraints.withTurnIds),
      phaseId: arbitraryMarks(constraints.withPhaseIds),
      taskId: arbitraryMarks(constraints.withTaskIds),
      // The entries of a chat with one agent seldom name it.
      agent: arbitraryMarks(constraints.withAgents, flat === true ? 6 : 1),
    }),
  });
}

/** A turn of a chat or of a team, which has plans and tasks, too. */
function turnOf(
  { nestedCalls = false, text = { maxLength: 400 } }: HistoryConstraints,
  team: 0 | 1,
) {
  const [note, exchange] = [noteOf(text), exchangeOf(text)];
  const works = arbitraryRecord({
    kind: fc.constant("exchange"),
    who,
    exchange,
    // What the call that is answered last calls itself, one action after the other.
    inner: sometimes(nestedCalls ? 40 : 0, fc.array(exchange, { minLength: 1, maxLength: 2 }), []),
  });
  const tasks = arbitraryRecord({
    kind: fc.constant("task"),
    who,
    note,
    phaseId: fc.constantFrom<PhaseId[]>(1, 2, 3, "1", "research", "phase 3", 0, -1, "__proto__"),
    delegation: sometimes(25, note, undefined),
    synthesis: sometimes(80, note, undefined),
    final: sometimes(60, note, undefined),
  });
  const step = fc.oneof(
    { weight: 7, arbitrary: works },
    { weight: 2, arbitrary: noteStep(text, [...BESIDE, ...SAID, ...SAID]) },
    { weight: team, arbitrary: noteStep(text, ["strategic_plan", "heard"]) },
    { weight: team, arbitrary: arbitraryRecord({ kind: fc.constant("finish"), who }) },
    { weight: 8 * team, arbitrary: tasks },
  );
  const ask = arbitraryRecord({
    note,
    rendered: sometimes(10, arbitraryContent(text), undefined),
    attachments: sometimes(15, fc.array(note, { minLength: 1, maxLength: 2 }), []),
  });
  return arbitraryRecord({
    ask,
    secondAsk: sometimes(15, ask, undefined),
    steps: fc.array(step, { maxLength: 12 }),
    answer: note,
    isAnswered: sometimes(85, fc.constant(true), false),
  });
}

const who: fc.Arbitrary<number> = fc.nat({ max: 7 });
/** Entries outside turns, and entries that any agent may write; `heard` is a global observation without an agent. */
const BESIDE = ["system_message", "memory", "summary"] as const;
const SAID = ["error", "global_observation"] as const;
type NoteKind = (typeof BESIDE | typeof SAID)[number] | "strategic_plan" | "heard";

function noteStep(text: TextConstraints, kinds: readonly NoteKind[]) {
  const isOwned = sometimes(30, fc.constant(true), false);
  return arbitraryRecord({ kind: fc.constantFrom(...kinds), who, isOwned, note: noteOf(text) });
}

function exchangeOf(text: TextConstraints) {
  const call = arbitraryRecord({
    call: arbitraryToolCall(text, fc.constantFrom("call_0", "call_1", "call_2")),
    // Uses a call id that other exchanges have, too.
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
    extras: arbitraryExtras,
    // How many results follow at once; the rest precede their agent's next entry.
    early: sometimes(65, fc.nat({ max: 1 }), 9),
  });
}

function noteOf(text: TextConstraints) {
  return arbitraryRecord({
    content: arbitraryContent(text),
    evidence: arbitraryEvidence,
    extras: arbitraryExtras,
  });
}

function isOdd(name: string): boolean {
  return !/^(?:e|turn-|agent-)\d+$/u.test(name);
}

/** Which entries have a mark, as a pattern that repeats. */
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

/** An agent's work, its position, and the reports at its end, for which room is reserved. */
interface Task {
  readonly agent: Agent;
  readonly scope: Scope;
  readonly reports: readonly (readonly [type: "synthesis" | "final", note: Note])[];
}

/** A log of a team that is being written. */
interface Draft extends LogDraft {
  readonly orchestrator: Agent;
  readonly managers: readonly Agent[];
  readonly workers: readonly Agent[];
  readonly newTurnId: () => string;
  /** The tasks of this turn by agent, the orchestrator's first. */
  readonly tasks: Map<Agent, Task>;
}

/** Writes a log of at most `maxEntries` entries from a script; each turn gets its share of them. */
function layOut(script: Script, maxEntries: number): readonly HistoryEntry[] {
  const { turns, names, opening, isRunning, marks } = script;
  const newAgentId = idsOf("agent-", names);
  const agents = (count: number, role: Agent["role"]): readonly Agent[] =>
    Array.from({ length: count }, () => ({ id: newAgentId(), role }));
  const draft: Draft = {
    marks,
    clockErrorsMs: script.clockErrorsMs,
    orchestrator: { id: newAgentId(), role: "orchestrator" },
    managers: agents(3, "manager"),
    workers: agents(4, "worker"),
    newEntryId: idsOf(
      "e",
      names.flatMap((name) => [undefined, undefined, name]),
    ),
    newTurnId: idsOf("turn-", names),
    log: [],
    waiting: new Map(),
    tasks: new Map(),
    room: maxEntries - ENDS * turns.length,
    entries: 0,
  };
  for (const step of opening) writeNote(draft, {}, step);
  for (const [index, turn] of turns.entries()) {
    const others = turns.length - index;
    draft.room = Math.floor((maxEntries - draft.log.length) / others);
    // Without turn ids, two turns can be told apart only by the entries between their requests.
    const isAnswered = turn.isAnswered || (others > 1 && marks.turnId.includes(false));
    writeTurn(draft, turn, isRunning && others === 1 ? script.pending : undefined, isAnswered);
  }
  return draft.log;
}

/** Writes as much of a turn as there is room for; room for its ends is reserved. */
function writeTurn(
  draft: Draft,
  { ask, secondAsk, steps, answer }: Turn,
  pending: Exchange | undefined,
  isAnswered: boolean,
): void {
  const { orchestrator: agent, tasks } = draft;
  const scope: Scope = { turnId: draft.newTurnId() };
  draft.room -= ENDS;
  tasks.clear();
  tasks.set(agent, { agent, scope, reports: [] });
  writeRequest(draft, scope, ask);
  if (secondAsk !== undefined && take(draft, 1)) writeRequest(draft, scope, secondAsk);
  for (const step of steps) writeStep(draft, scope, step);
  if (pending !== undefined) {
    // Others may wait for results, too.
    const action = actionOf(draft, scope, shown(draft, agent), pending);
    write(draft, action);
    const results = resultsOf(draft, scope, action, pending);
    const come = results.slice(0, pending.early % results.length);
    draft.log.push(...come.filter(() => take(draft, 1)));
    if (isAnswered || action.agent === undefined) return;
    return writeNote(draft, scope, { kind: "heard", who: 0, isOwned: false, note: answer });
  }
  settleAll(draft);
  for (const other of tasks.keys()) endTask(draft, other);
  if (!isAnswered) return;
  const base = stamp(draft, scope, shown(draft, agent), answer.extras);
  write(draft, { ...base, type: "assistant_message", content: citing(answer) });
}

function writeRequest(
  draft: Draft,
  scope: Scope,
  { note, rendered, attachments }: Turn["ask"],
): void {
  const base = stamp(draft, scope, undefined, note.extras);
  const { id: messageId } = base;
  const other = rendered === undefined ? {} : { rendered };
  write(draft, { ...base, type: "user_message", content: note.content, ...other });
  for (const { content, extras: own } of attachments.filter(() => take(draft, 1))) {
    const brought = stamp(draft, scope, undefined, own);
    write(draft, { ...brought, type: "attachment", messageId, content });
  }
}

function writeStep(draft: Draft, turn: Scope, step: Step): void {
  switch (step.kind) {
    case "exchange":
      return writeExchange(draft, step);
    case "task":
      return writeTask(draft, turn, step);
    case "finish": {
      const [, ...agents] = draft.tasks.keys();
      const agent = inRotation(agents, step.who);
      return agent && endTask(draft, agent);
    }
    default:
      return writeNote(draft, turn, step);
  }
}

/** Writes an entry of one agent, or of none, if there is room. */
function writeNote(
  draft: Draft,
  turn: Scope,
  { kind, who: nth, isOwned, note }: Script["opening"][number],
): void {
  if (!take(draft, 1)) return;
  const { orchestrator, managers, workers, tasks } = draft;
  const { content, evidence } = note;
  const owner = isOwned ? inRotation([orchestrator, ...managers, ...workers], nth) : undefined;
  const { agent, scope = turn } = inRotation([...tasks.values()], nth) ?? {};
  const places: Readonly<Record<NoteKind, readonly [Agent | undefined, Scope]>> = {
    system_message: [owner, {}],
    memory: [owner, turn],
    summary: [undefined, {}],
    strategic_plan: [orchestrator, turn],
    error: [agent, scope],
    global_observation: [agent, scope],
    heard: [undefined, turn],
  };
  const [writer, place] = places[kind];
  const base = stamp(draft, place, writer && shown(draft, writer), note.extras);
  if (kind === "summary")
    return write(draft, { ...base, type: kind, content, strategy: "provider", trust: "user" });
  if (kind === "heard" || kind === "global_observation")
    return write(draft, { ...base, ...evidence, type: "global_observation", content });
  write(draft, { ...base, type: kind, content });
}

/** Gives a manager a phase, or a worker a part of one, if there is room, after the delegation. */
function writeTask(
  draft: Draft,
  turn: Scope,
  step: Extract<Step, { readonly kind: "task" }>,
): void {
  const { tasks, orchestrator, managers, workers } = draft;
  const { who: nth, note, delegation, synthesis, final } = step;
  const phases = [...tasks.values()].filter(({ agent }) => agent.role === "manager");
  const agent = inRotation([...managers, ...(phases.length > 0 ? workers : [])], nth);
  const isPhase = agent?.role === "manager";
  const begun = { agent: orchestrator, scope: { ...turn, phaseId: step.phaseId } };
  const giver = isPhase ? begun : inRotation(phases, nth);
  const reports: Task["reports"] = [
    ...(isPhase && synthesis !== undefined ? [["synthesis", synthesis] as const] : []),
    ...(final !== undefined ? [["final", final] as const] : []),
  ];
  if (agent === undefined || giver === undefined || !take(draft, 1 + reports.length)) return;
  endTask(draft, agent);
  if (delegation !== undefined && take(draft, 1)) {
    const base = stamp(draft, giver.scope, shown(draft, giver.agent), delegation.extras);
    write(draft, { ...base, type: "delegation", content: delegation.content, to: agent });
  }
  const base = stamp(draft, giver.scope, agent, note.extras);
  write(draft, { ...base, type: "task", content: note.content, agent, from: giver.agent });
  tasks.set(agent, { agent, scope: { ...giver.scope, taskId: base.id }, reports });
}

/** Writes the reports that end an agent's task, if it has one. */
function endTask(draft: Draft, agent: Agent): void {
  const { scope = {}, reports = [] } = draft.tasks.get(agent) ?? {};
  draft.tasks.delete(agent);
  for (const [type, note] of reports) {
    const base = stamp(draft, scope, shown(draft, agent), note.extras);
    write(draft, { ...base, type, content: citing(note) });
  }
}

function writeExchange(
  draft: Draft,
  { exchange, inner, who: nth }: Extract<Step, { readonly kind: "exchange" }>,
): void {
  const size = [exchange, ...inner].reduce((sum, { calls }) => sum + 1 + calls.length, 0);
  const doer = inRotation([...draft.tasks.values()], nth);
  if (doer === undefined || !take(draft, size)) return;
  const { scope } = doer;
  const writer = shown(draft, doer.agent);
  const action = actionOf(draft, scope, writer, exchange);
  const results = resultsOf(draft, scope, action, exchange);
  const callerId = results.at(-1)?.callId ?? "";
  const called = inner.flatMap((one): readonly HistoryEntry[] => {
    const made = actionOf(draft, scope, writer, one, callerId);
    return [made, ...resultsOf(draft, scope, made, one)];
  });
  write(draft, action);
  const following = [...results.slice(0, -1), ...called, ...results.slice(-1)];
  draft.log.push(...following.slice(0, exchange.early));
  const late = following.slice(exchange.early);
  if (late.length > 0) draft.waiting.set(writer?.id, late);
}

function actionOf(
  draft: Draft,
  scope: Scope,
  writer: Agent | undefined,
  { content, calls, extras: own }: Exchange,
  callerId?: string,
): ActionEntry {
  const toolCalls: ActionEntry["toolCalls"][number][] = [];
  for (const { call, reusesId } of calls) {
    // Calls of calls are paired by their ids.
    const isReused =
      reusesId && callerId === undefined && toolCalls.every(({ id }) => id !== call.id);
    const id = isReused ? call.id : `call-${draft.entries}-${toolCalls.length}`;
    toolCalls.push({ ...call, id, ...(callerId !== undefined && { callerId }) });
  }
  const base = stamp(draft, scope, writer, own);
  return { ...base, type: "action", ...(content !== undefined && { content }), toolCalls };
}

function resultsOf(
  draft: Draft,
  scope: Scope,
  { id: actionId, agent, toolCalls }: ActionEntry,
  { calls }: Exchange,
): readonly ObservationEntry[] {
  const answers = toolCalls.flatMap((call, index) => {
    const drawn = calls[index];
    return drawn === undefined ? [] : [{ ...drawn, call }];
  });
  return answers
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ call, result, outcome, namesAction }) => ({
      ...stamp(draft, scope, agent, result.extras),
      ...result.evidence,
      ...(namesAction && { actionId }),
      type: "observation",
      callId: call.id,
      toolName: call.name,
      outcome,
      content: result.content,
    }));
}

/** Returns content that cites its sources. */
function citing({ content, evidence: { sources } }: Note): Content {
  if (typeof content !== "string" || sources === undefined) return content;
  return [content, ...sources.map(({ number }) => `[source${number}]`)].join(" ");
}
