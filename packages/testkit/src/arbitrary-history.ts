import type {
  ActionEntry,
  Agent,
  Content,
  EntryBase,
  HistoryEntry,
  ObservationEntry,
  PhaseId,
  Source,
} from "@agent-history/core";
import { countOption, HistoryError } from "@agent-history/core";
import * as fc from "fast-check";

import { arbitraryContent } from "./arbitrary-content.ts";
import { arbitraryId } from "./arbitrary-id.ts";
import type { TextConstraints } from "./arbitrary-text.ts";
import {
  arbitraryFields,
  arbitraryJsonObject,
  arbitraryRecord,
  arbitraryToolCall,
  sometimes,
} from "./internal/arbitrary-parts.ts";

/** How many of the entries that may have a mark have it: all, some or none. */
export type Presence = "all" | "some" | "none";

/** Which histories to generate. Without an option, histories of all kinds are mixed; most have all marks. */
export interface HistoryConstraints {
  /** From 0. Default 40. */
  readonly maxEntries?: number;
  /** Exactly this many turns, with something between their user messages. Default: from 0 to 4. */
  readonly turns?: number;
  /** `true`: chats with tools and one agent, no hierarchy. `false`: every turn may have phases. Default: both. */
  readonly flat?: boolean;
  /** `true`: the newest turn ends with calls that have no results yet. `false`: every call is answered. Default: both. */
  readonly running?: boolean;
  /** `true`: some calls make calls, whose results come before theirs. Default `false`. */
  readonly nestedCalls?: boolean;
  /** Which entries of a turn have its id; system messages and summaries belong to no turn. */
  readonly withTurnIds?: Presence;
  /** Which entries of a phase have its id. */
  readonly withPhaseIds?: Presence;
  /** Which entries of a task have its id. */
  readonly withTaskIds?: Presence;
  /** Which entries name the agent that wrote them. A `task` always names its agent and who gave it. */
  readonly withAgents?: Presence;
  /** The texts, without citations. Default: at most 400 UTF-16 code units, lone surrogates included. */
  readonly text?: TextConstraints;
}

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
  // Filters, because an array with a minimum length of 1 would not shrink to the first alternative.
  const some = fc
    .oneof(
      { weight: 2, arbitrary: fc.array(turn, { maxLength: 1 }) },
      { weight: 3, arbitrary: fc.array(turn, { maxLength: most }) },
    )
    .filter(({ length }) => length > 0);
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
    extras,
    // How many results follow at once; the rest precede their agent's next entry.
    early: sometimes(65, fc.nat({ max: 1 }), 9),
  });
}

function noteOf(text: TextConstraints) {
  return arbitraryRecord({ content: arbitraryContent(text), evidence, extras });
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

/** The sources of every history: a number refers to one source. */
const SOURCES: Source[] = [
  { number: 0, id: "a", text: "Notes of the day.", title: "Guide", uri: "docs/guide.md#L10-L14" },
  { number: 3, id: "__proto__", text: "" },
  { number: 4, id: "{}", text: "As [source3] and [source] say.", title: "A [b] (c)" },
  { number: 9, id: "日本 👍", text: "<b>日本語</b>\n\n# 1", uri: "https://example.com/?q=a b" },
];

/** Most entries have none. */
const evidence: fc.Arbitrary<{ readonly sources?: readonly Source[] }> = sometimes(
  30,
  fc.shuffledSubarray(SOURCES, { maxLength: 3 }).map((sources) => ({ sources })),
  {},
);

/** Optional fields of any entry; with a format, it was read from a message of that format. */
type Extras = Pick<EntryBase, "pinned" | "metadata"> & { readonly format?: string };

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

/** The position of an entry in the hierarchy. */
type Scope = Pick<EntryBase, "turnId" | "phaseId" | "taskId">;

/** An agent's work, its position, and the reports at its end, for which room is reserved. */
interface Task {
  readonly agent: Agent;
  readonly scope: Scope;
  readonly reports: readonly (readonly [type: "synthesis" | "final", note: Note])[];
}

/** A log that is being written. */
interface Draft {
  readonly script: Script;
  readonly orchestrator: Agent;
  readonly managers: readonly Agent[];
  readonly workers: readonly Agent[];
  readonly newEntryId: () => string;
  readonly newTurnId: () => string;
  readonly log: HistoryEntry[];
  /** Results that an agent must write before anything else, by agent. */
  readonly waiting: Map<string | undefined, readonly HistoryEntry[]>;
  /** The tasks of this turn by agent, the orchestrator's first. */
  readonly tasks: Map<Agent, Task>;
  /** How many more entries may be written. */
  room: number;
  /** How many entries, calls and units of one writer were made. */
  entries: number;
  calls: number;
  units: number;
}

/** Writes a log of at most `maxEntries` entries from a script; each turn gets its share of them. */
function layOut(script: Script, maxEntries: number): readonly HistoryEntry[] {
  const { turns, names, opening, isRunning, marks } = script;
  const newAgentId = idsOf("agent-", [...names.slice(2), ...names.slice(0, 2)]);
  const agents = (count: number, role: Agent["role"]): readonly Agent[] =>
    Array.from({ length: count }, () => ({ id: newAgentId(), role }));
  const odd = [...names.slice(1), ...names.slice(0, 1)];
  const draft: Draft = {
    script,
    orchestrator: { id: newAgentId(), role: "orchestrator" },
    managers: agents(3, "manager"),
    workers: agents(4, "worker"),
    newEntryId: idsOf(
      "e",
      odd.flatMap((name) => [undefined, undefined, name]),
    ),
    newTurnId: idsOf("turn-", names),
    log: [],
    waiting: new Map(),
    tasks: new Map(),
    room: maxEntries - ENDS * turns.length,
    entries: 0,
    calls: 0,
    units: 0,
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

/** Returns the names one after another, and a plain id where no name is left. */
function idsOf(prefix: string, names: readonly (string | undefined)[]): () => string {
  let count = 0;
  return () => {
    count += 1;
    return names[count - 1] ?? `${prefix}${count}`;
  };
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
  const { content, extras: own } = note;
  const owner = isOwned ? inRotation([orchestrator, ...managers, ...workers], nth) : undefined;
  const from = (agent: Agent | undefined, scope: Scope): EntryBase =>
    stamp(draft, scope, agent && shown(draft, agent), own);
  if (kind === "system_message") return write(draft, { ...from(owner, {}), type: kind, content });
  if (kind === "memory") return write(draft, { ...from(owner, turn), type: kind, content });
  if (kind === "summary") {
    const fields = { content, strategy: "provider", trust: "user" } as const;
    return write(draft, { ...from(undefined, {}), type: kind, ...fields });
  }
  if (kind === "strategic_plan")
    return write(draft, { ...from(orchestrator, turn), type: kind, content });
  const { agent, scope } = inRotation([...tasks.values()], nth) ?? {};
  const base = kind === "heard" ? from(undefined, turn) : from(agent, scope ?? turn);
  if (kind === "error") return write(draft, { ...base, type: kind, content });
  write(draft, { ...base, ...note.evidence, type: "global_observation", content });
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
    if (!isReused) draft.calls += 1;
    const id = isReused ? call.id : `call-${draft.calls}`;
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

/** Reserves room for this many entries; returns whether there is enough. */
function take(draft: Draft, count: number): boolean {
  if (count > draft.room) return false;
  draft.room -= count;
  return true;
}

/** Returns the agent, or `undefined` if the entries of this unit do not name it. */
function shown(draft: Draft, agent: Agent): Agent | undefined {
  draft.units += 1;
  return inRotation(draft.script.marks.agent, draft.units) === true ? agent : undefined;
}

const START_MS = Date.UTC(2026, 0, 1);

/** Returns the fields common to all entries. */
function stamp(
  draft: Draft,
  scope: Scope,
  agent: Agent | undefined,
  { format, ...others }: Extras,
): EntryBase {
  draft.entries += 1;
  const { entries, script } = draft;
  const marked = (["turnId", "phaseId", "taskId"] as const).filter(
    (name) => scope[name] !== undefined && inRotation(script.marks[name], entries) === true,
  );
  return {
    id: draft.newEntryId(),
    createdAtMs: START_MS + entries * 1000 + (inRotation(script.clockErrorsMs, entries) ?? 0),
    ...Object.fromEntries(marked.map((name) => [name, scope[name]])),
    ...(agent !== undefined && { agent }),
    ...others,
    ...(format !== undefined && { origin: { format, message: `message-${entries}`, index: 0 } }),
  };
}

/** Returns content that cites its sources. */
function citing({ content, evidence: { sources } }: Note): Content {
  if (typeof content !== "string" || sources === undefined) return content;
  return [content, ...sources.map(({ number }) => `[source${number}]`)].join(" ");
}

/** Writes an entry after the results that its agent must write first. Entries without an agent count as one agent's. */
function write(draft: Draft, entry: HistoryEntry): void {
  const results = draft.waiting.get(entry.agent?.id) ?? [];
  draft.waiting.delete(entry.agent?.id);
  draft.log.push(...results, entry);
}

/** Writes all waiting results, one agent after another. */
function settleAll({ waiting, log }: Draft): void {
  while (waiting.size > 0)
    for (const [agentId, [first, ...others]] of waiting) {
      if (first !== undefined) log.push(first);
      if (others.length > 0) waiting.set(agentId, others);
      else waiting.delete(agentId);
    }
}

/** Returns the value at an index, modulo the length. */
function inRotation<Value>(values: readonly Value[], index: number): Value | undefined {
  return values[index % values.length];
}
