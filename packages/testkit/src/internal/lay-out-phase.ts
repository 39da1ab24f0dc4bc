import type { Agent, HistoryEntry, PhaseId } from "@agent-history/core";

import type { NoteScript, PhaseScript, WorkerScript } from "./history-script.ts";
import type { Unit } from "./interleave.ts";
import { citingContent, layOutSteps } from "./lay-out-step.ts";
import type { WorkScope, Scribe } from "./scribe.ts";

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
export function layOutPhase(
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
