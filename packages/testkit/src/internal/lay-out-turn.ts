import type { HistoryEntry } from "@agent-history/core";

import type { ExchangeScript, NoteScript, TurnScript } from "./history-script.ts";
import { interleave } from "./interleave.ts";
import type { Located, Unit } from "./interleave.ts";
import { layOutAsides, layOutRequest } from "./lay-out-opening.ts";
import { layOutPhase } from "./lay-out-phase.ts";
import type { Lane, PhaseLayout } from "./lay-out-phase.ts";
import { citingContent, layOutAction, layOutSteps, sourcesOf } from "./lay-out-step.ts";
import type { WorkScope, Scribe } from "./scribe.ts";

/** How a turn ends. */
export interface TurnEnding {
  /** It still runs: this is what it waits for. */
  readonly pending?: ExchangeScript;
  /** It is answered, whatever its script says. */
  readonly mustBeAnswered?: boolean;
}

/** Writes down one turn, as much of it as there is room for. */
export function layOutTurn(
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
