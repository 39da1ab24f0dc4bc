import type {
  ActionEntry,
  Agent,
  Content,
  HistoryEntry,
  ObservationEntry,
  PhaseId,
  ToolCall,
} from "@agent-history/core";

import { leastEntries } from "./history-script.ts";
import type {
  AsideScript,
  AskScript,
  ExchangeScript,
  HistoryScript,
  NoteScript,
  PhaseScript,
  StepScript,
  TurnScript,
  WorkerScript,
} from "./history-script.ts";
import { newScribe } from "./scribe.ts";
import type { Scribe, WorkScope } from "./scribe.ts";

/** Writes a script down as a log of at most `maxEntries` entries; each turn gets its share of them. */
export function layOutHistory(script: HistoryScript, maxEntries: number): readonly HistoryEntry[] {
  const { turns, running, marks } = script;
  const scribe = newScribe(script);
  scribe.allow(maxEntries - leastEntries(turns.length, running !== undefined));
  const log = [...interleave([layOutAsides(script.opening, scribe, {})], [])];
  for (const [index, turn] of turns.entries()) {
    const later = turns.length - index - 1;
    const left = maxEntries - scribe.written();
    if (later > 0) {
      const spare = left - leastEntries(later + 1, running !== undefined);
      scribe.allow(2 + Math.floor(spare / (later + 1)));
      // Without ids only what stands between tells two turns apart.
      log.push(...layOutTurn(turn, scribe, { mustBeAnswered: marks.turnId.includes(false) }));
    } else {
      scribe.allow(left);
      const pending = running?.exchange;
      const written = layOutTurn(turn, scribe, pending === undefined ? {} : { pending });
      log.push(...(running === undefined ? written : cutWhereOpen(written, running.cut)));
    }
  }
  return log.map(({ entry }) => entry);
}

/** Ends a log that ends with an open call at one of the places where a call is open. */
function cutWhereOpen(log: readonly Located[], cut: number): readonly Located[] {
  const open = new Set<Unit>();
  const lengths: number[] = [];
  for (const [index, { entry, unit }] of log.entries()) {
    if (entry.type === "action") open.add(unit);
    else if (entry === unit.at(-1)) open.delete(unit);
    if (open.size > 0) lengths.push(index + 1);
  }
  return log.slice(0, lengths[cut % lengths.length]);
}

/** How a turn ends. */
export interface TurnEnding {
  /** It still runs: this is what it waits for. */
  readonly pending?: ExchangeScript;
  /** It is answered, whatever its script says. */
  readonly mustBeAnswered?: boolean;
}

/** Writes down one turn, as much of it as there is room for. */
function layOutTurn(
  script: TurnScript,
  scribe: Scribe,
  { pending, mustBeAnswered = false }: TurnEnding,
): readonly Located[] {
  const { orchestrator } = scribe.cast;
  const turn: WorkScope = { turnId: scribe.newTurnId() };
  // First come the request and the ending; what is left is for the work between them.
  scribe.take(1);
  const hasEnding =
    (pending !== undefined || mustBeAnswered || script.isAnswered) && scribe.take(1);
  const request = layOutRequest(script, scribe, turn);
  const [first] = request.flat();
  const scope = first?.type === "task" ? { ...turn, taskId: first.id } : turn;
  const opening = [
    ...request,
    ...layOutAsides(script.asides, scribe, scope),
    ...layOutPlan(script.plan, scribe, scope),
    ...layOutSteps(script.steps, scribe, scope, orchestrator),
  ];
  const phases = layOutPhases(script, scribe, scope);
  const ending = hasEnding ? [layOutEnding(script.answer, pending, scribe, scope)] : [];
  return [...interleave([opening], []), ...phases, ...interleave([ending], [])];
}

function layOutPlan(
  plan: NoteScript | undefined,
  scribe: Scribe,
  scope: WorkScope,
): readonly Unit[] {
  if (plan === undefined || !scribe.take(1)) return [];
  const base = scribe.stamp(scope, scribe.show(scribe.cast.orchestrator), plan.extras);
  return [[{ ...base, type: "strategic_plan", content: plan.content }]];
}

function layOutEnding(
  answer: NoteScript,
  pending: ExchangeScript | undefined,
  scribe: Scribe,
  scope: WorkScope,
): Unit {
  const writer = scribe.show(scribe.cast.orchestrator);
  if (pending !== undefined) return [layOutAction(pending, scribe, scope, writer)];
  const base = scribe.stamp(scope, writer, answer.extras);
  return [{ ...base, type: "assistant_message", content: citingContent(answer, scribe) }];
}

function layOutPhases(script: TurnScript, scribe: Scribe, scope: WorkScope): readonly Located[] {
  const { managers } = scribe.cast;
  const broadcasts = layOutBroadcasts(script.broadcasts, scribe, scope);
  const layouts: PhaseLayout[] = [];
  for (const [index, phase] of script.phases.entries()) {
    const phaseId = script.phaseIds[index];
    // Nobody manages two phases at once.
    const manager = managers[script.concurrent ? index : phase.manager];
    if (phaseId === undefined || manager === undefined) break;
    const layout = layOutPhase(phase, scribe, { ...scope, phaseId }, manager);
    if (layout === undefined) break;
    layouts.push(layout);
  }
  const groups = script.concurrent ? [layouts] : layouts.map((layout) => [layout]);
  const [first = [], ...others] = groups;
  return [
    ...layOutGroup(first, broadcasts, script.order),
    ...others.flatMap((group) => layOutGroup(group, [], script.order)),
  ];
}

function layOutBroadcasts(
  notes: readonly NoteScript[],
  scribe: Scribe,
  scope: WorkScope,
): readonly Unit[] {
  const heard = notes.filter(() => scribe.take(1));
  return heard.map((note): readonly [HistoryEntry] => {
    const base = { ...scribe.stamp(scope, undefined, note.extras), ...sourcesOf(note, scribe) };
    return [{ ...base, type: "global_observation", content: note.content }];
  });
}

/** Writes down phases that run at once, and what is heard meanwhile. */
function layOutGroup(
  group: readonly PhaseLayout[],
  broadcasts: readonly Unit[],
  order: readonly number[],
): readonly Located[] {
  const lanes = byAgent(group.flatMap((layout) => layout.lanes));
  return [
    ...interleave([group.flatMap((layout) => layout.head)], []),
    ...interleave([...lanes, broadcasts], order),
    ...interleave([group.flatMap((layout) => layout.tail)], []),
  ];
}

/** Joins the lanes of one agent: it does one task after the other. */
function byAgent(lanes: readonly Lane[]): readonly (readonly Unit[])[] {
  const joined = new Map<string, Unit[]>();
  for (const { agent, units } of lanes) {
    const known = joined.get(agent.id);
    if (known === undefined) joined.set(agent.id, [...units]);
    else known.push(...units);
  }
  return [...joined.values()];
}

/** A phase as it is written: first, then by several at once, then last. */
export interface PhaseLayout {
  readonly head: readonly Unit[];
  readonly lanes: readonly Lane[];
  readonly tail: readonly Unit[];
}

/** What one agent writes, in its order. */
export interface Lane {
  readonly agent: Agent;
  readonly units: readonly Unit[];
}

/** Writes down one phase, as much of it as there is room for; `undefined` where there is none for its task. */
function layOutPhase(
  script: PhaseScript,
  scribe: Scribe,
  scope: WorkScope & { readonly phaseId: PhaseId },
  manager: Agent,
): PhaseLayout | undefined {
  if (!scribe.take(1)) return undefined;
  const { orchestrator, workers } = scribe.cast;
  const closing = [
    { type: "synthesis", note: script.synthesis },
    { type: "final", note: script.final },
  ] as const;
  const closes = closing.filter(({ note }) => note !== undefined && scribe.take(1));
  const head = layOutTask(script, scribe, { scope, from: orchestrator, to: manager });
  const under: WorkScope = { ...scope, taskId: head.taskId };
  const lanes: Lane[] = [
    { agent: manager, units: layOutSteps(script.steps, scribe, under, manager) },
  ];
  for (const work of script.workers) {
    const worker = workers[work.worker % workers.length];
    if (worker === undefined || !scribe.take(1)) break;
    lanes.push({ agent: worker, units: layOutWork(work, scribe, under, manager, worker) });
  }
  const tail = closes.flatMap(({ type, note }) =>
    note === undefined ? [] : [[closingEntry(type, note, scribe, under, manager)]],
  );
  return { head: head.units, lanes, tail };
}

function layOutWork(
  script: WorkerScript,
  scribe: Scribe,
  scope: WorkScope,
  manager: Agent,
  worker: Agent,
): readonly Unit[] {
  const { final } = script;
  const isFinished = final !== undefined && scribe.take(1);
  const head = layOutTask(script, scribe, { scope, from: manager, to: worker });
  const under: WorkScope = { ...scope, taskId: head.taskId };
  return [
    ...head.units,
    ...layOutSteps(script.steps, scribe, under, worker),
    ...(isFinished ? [[closingEntry("final", final, scribe, under, worker)]] : []),
  ];
}

/** Writes down the task, for which there is room, and before it the record of handing it over, where there is room. */
function layOutTask(
  script: Pick<WorkerScript, "task" | "delegation">,
  scribe: Scribe,
  { scope, from, to }: { readonly scope: WorkScope; readonly from: Agent; readonly to: Agent },
): { readonly units: readonly Unit[]; readonly taskId: string } {
  const units: Unit[] = [];
  const { task, delegation } = script;
  if (delegation !== undefined && scribe.take(1)) {
    const base = scribe.stamp(scope, scribe.show(from), delegation.extras);
    units.push([{ ...base, type: "delegation", content: delegation.content, to }]);
  }
  const base = scribe.stamp(scope, to, task.extras);
  units.push([{ ...base, type: "task", content: task.content, agent: to, from }]);
  return { units, taskId: base.id };
}

function closingEntry(
  type: "final" | "synthesis",
  note: NoteScript,
  scribe: Scribe,
  scope: WorkScope,
  agent: Agent,
): HistoryEntry {
  return {
    ...scribe.stamp(scope, scribe.show(agent), note.extras),
    type,
    content: citingContent(note, scribe),
  };
}

/** Tells how many entries a step takes. */
function stepSize(step: StepScript): number {
  if (step.kind !== "exchange") return 1;
  const { script, inner = [] } = step;
  return [script, ...inner].reduce((sum, { calls }) => sum + 1 + calls.length, 0);
}

/** Writes down what an agent does: the steps there is room for. */
function layOutSteps(
  steps: readonly StepScript[],
  scribe: Scribe,
  scope: WorkScope,
  agent: Agent,
): readonly Unit[] {
  return steps
    .filter((step) => scribe.take(stepSize(step)))
    .map((step) => layOutStep(step, scribe, scope, agent));
}

function layOutStep(step: StepScript, scribe: Scribe, scope: WorkScope, agent: Agent): Unit {
  const writer = scribe.show(agent);
  switch (step.kind) {
    case "exchange":
      return layOutNested(step, scribe, scope, writer);
    case "error":
    case "global_observation":
      return [
        {
          ...scribe.stamp(scope, writer, step.script.extras),
          ...(step.kind === "error" ? {} : sourcesOf(step.script, scribe)),
          type: step.kind,
          content: step.script.content,
        },
      ];
  }
}

/** Writes down an exchange whose last call calls others before it is answered. */
function layOutNested(
  { script, inner = [] }: Extract<StepScript, { readonly kind: "exchange" }>,
  scribe: Scribe,
  scope: WorkScope,
  writer: Agent | undefined,
): Unit {
  const [action, ...observations] = layOutExchange(script, scribe, scope, writer);
  const last = observations.at(-1);
  if (last === undefined || inner.length === 0) return [action, ...observations];
  const { callId: callerId } = last;
  const called = inner.flatMap((one) => {
    const fresh = { ...one, calls: one.calls.map((call) => ({ ...call, reusesId: false })) };
    const [first, ...results] = layOutExchange(fresh, scribe, scope, writer);
    const toolCalls = first.toolCalls.map((call) => ({ ...call, callerId }));
    return [{ ...first, toolCalls }, ...results];
  });
  return [action, ...observations.slice(0, -1), ...called, last];
}

/** Writes down an action and what answers it. */
function layOutExchange(
  script: ExchangeScript,
  scribe: Scribe,
  scope: WorkScope,
  writer: Agent | undefined,
): readonly [ActionEntry, ...ObservationEntry[]] {
  const action = layOutAction(script, scribe, scope, writer);
  return [action, ...layOutObservations(action, script, scribe, scope, writer)];
}

/** Writes down an action whose calls nobody answers. */
function layOutAction(
  { content, calls, extras }: ExchangeScript,
  scribe: Scribe,
  scope: WorkScope,
  writer: Agent | undefined,
): ActionEntry {
  const toolCalls: ToolCall[] = [];
  for (const { call, reusesId } of calls) {
    const isFree = toolCalls.every((other) => other.id !== call.id);
    toolCalls.push({ ...call, id: reusesId && isFree ? call.id : scribe.newCallId() });
  }
  return {
    ...scribe.stamp(scope, writer, extras),
    type: "action",
    ...(content === undefined ? {} : { content }),
    toolCalls,
  };
}

function layOutObservations(
  action: ActionEntry,
  { calls }: ExchangeScript,
  scribe: Scribe,
  scope: WorkScope,
  writer: Agent | undefined,
): readonly ObservationEntry[] {
  const answered = calls.flatMap((script, index) => {
    const call = action.toolCalls[index];
    return call === undefined ? [] : [{ call, script }];
  });
  const observations: ObservationEntry[] = [];
  for (const { call, script } of answered.toSorted((a, b) => a.script.rank - b.script.rank)) {
    observations.push({
      ...scribe.stamp(scope, writer, script.result.extras),
      ...sourcesOf(script.result, scribe),
      ...(script.namesAction ? { actionId: action.id } : {}),
      type: "observation",
      callId: call.id,
      toolName: call.name,
      outcome: script.outcome,
      content: script.result.content,
    });
  }
  return observations;
}

/** Returns the evidence of a note as a field. */
function sourcesOf({ sources }: NoteScript, scribe: Scribe): Pick<ObservationEntry, "sources"> {
  return sources === undefined ? {} : { sources: scribe.sources(sources) };
}

/** Returns the content of a note, with its evidence cited. */
function citingContent({ content, sources }: NoteScript, scribe: Scribe): Content {
  if (typeof content !== "string" || sources === undefined) return content;
  return [content, ...scribe.sources(sources).map(({ number }) => `[source${number}]`)].join(" ");
}

/** Writes down what begins a turn, for which room was taken, and what comes with it where there is more. */
function layOutRequest(
  { asks, task }: TurnScript,
  scribe: Scribe,
  scope: WorkScope,
): readonly Unit[] {
  if (asks.length > 0) {
    return asks
      .filter((_, index) => index === 0 || scribe.take(1))
      .flatMap((ask) => layOutAsk(ask, scribe, scope));
  }
  const { content, extras } = task;
  const agent = scribe.cast.orchestrator;
  return [[{ ...scribe.stamp(scope, agent, extras), type: "task", content, agent }]];
}

function layOutAsk(ask: AskScript, scribe: Scribe, scope: WorkScope): readonly Unit[] {
  const { content, rendered, extras } = ask;
  const base = scribe.stamp(scope, undefined, extras);
  const shown = rendered === undefined ? {} : { rendered };
  const files = ask.attachments.filter(() => scribe.take(1));
  return [
    [{ ...base, type: "user_message", content, ...shown }],
    ...files.map((file): Unit => {
      const brought = scribe.stamp(scope, undefined, file.extras);
      return [{ ...brought, type: "attachment", messageId: base.id, content: file.content }];
    }),
  ];
}

/** Writes down what stands beside the work: for a turn, or before all. */
function layOutAsides(
  asides: readonly AsideScript[],
  scribe: Scribe,
  scope: WorkScope,
): readonly Unit[] {
  return asides.filter(() => scribe.take(1)).map((aside) => [layOutAside(aside, scribe, scope)]);
}

function layOutAside(script: AsideScript, scribe: Scribe, scope: WorkScope): HistoryEntry {
  const { orchestrator, managers, workers } = scribe.cast;
  const agents = [orchestrator, ...managers, ...workers];
  const owner = script.owner === undefined ? undefined : agents[script.owner % agents.length];
  const writer = owner === undefined ? undefined : scribe.show(owner);
  const { kind, content, extras } = script;
  switch (kind) {
    case "system_message":
      return { ...scribe.stamp({}, writer, extras), type: kind, content };
    case "memory":
      return { ...scribe.stamp(scope, writer, extras), type: kind, content };
    case "summary": {
      const base = scribe.stamp({}, undefined, extras);
      return { ...base, type: kind, content, strategy: "provider", trust: "user" };
    }
  }
}

/** Neighbors in their agent's own order: one entry, or an action and its observations. */
export type Unit = readonly HistoryEntry[];

/** An entry in the log, and the unit it belongs to. */
export interface Located {
  readonly entry: HistoryEntry;
  readonly unit: Unit;
}

/**
 * Merges lanes into one log. Each lane keeps its order, and between an action and its observations stands nothing of
 * the same agent (entries without an agent count as one agent's).
 *
 * @param order - Whose turn it is to write, counted among the lanes that may; used in rotation. Empty: one lane after
 * the other.
 */
function interleave(
  lanes: readonly (readonly Unit[])[],
  order: readonly number[],
): readonly Located[] {
  const queues = lanes.map((units) =>
    units.flatMap((unit) => unit.map((entry) => ({ entry, unit }))),
  );
  const next = queues.map(() => 0);
  const open = new Map<string | undefined, Unit>();
  const log: Located[] = [];
  const total = queues.reduce((sum, queue) => sum + queue.length, 0);
  while (log.length < total) {
    // A lane inside an exchange may always go on, so that one of them can.
    const ready = queues.flatMap((queue, lane) => {
      const placed = queue[next[lane] ?? 0];
      return placed !== undefined && mayWrite(placed, open) ? [{ lane, placed }] : [];
    });
    const turn = order[log.length % order.length] ?? 0;
    const chosen = ready[turn % ready.length];
    if (chosen === undefined) break;
    const { lane, placed } = chosen;
    next[lane] = (next[lane] ?? 0) + 1;
    log.push(placed);
    if (placed.entry === placed.unit.at(-1)) open.delete(placed.entry.agent?.id);
    else open.set(placed.entry.agent?.id, placed.unit);
  }
  return log;
}

function mayWrite({ entry, unit }: Located, open: ReadonlyMap<string | undefined, Unit>): boolean {
  const writing = open.get(entry.agent?.id);
  return writing === undefined || writing === unit;
}
