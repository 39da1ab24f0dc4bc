import type { Agent, EntryBase, PhaseId, Source } from "@agent-history/core";

import type { Extras, NotationScript } from "./history-script.ts";

/** Where in the hierarchy something is written. */
export interface WorkScope {
  readonly turnId?: string;
  readonly phaseId?: PhaseId;
  readonly taskId?: string;
}

/** Who works in a history. */
export interface Cast {
  readonly orchestrator: Agent;
  readonly managers: readonly Agent[];
  readonly workers: readonly Agent[];
}

/** Returns entries their ids, times and marks, and keeps to the room there is. */
export interface Scribe {
  readonly cast: Cast;
  /** Sets how many more entries may be written. */
  allow(count: number): void;
  /** Takes room for this many entries, where there is that much. */
  take(count: number): boolean;
  /** How many entries have been written. */
  written(): number;
  newTurnId(): string;
  /** Returns a call id that no call has yet. */
  newCallId(): string;
  /** Returns `agent`, or nobody where this unit is to carry none. */
  show(agent: Agent): Agent | undefined;
  /** Returns what every entry carries. */
  stamp(scope: WorkScope, agent: Agent | undefined, extras: Extras): EntryBase;
  /** Returns the evidence that stands at these places. */
  sources(indexes: readonly number[]): readonly Source[];
}

/** Returns the scribe of one history. */
export function newScribe(script: NotationScript): Scribe {
  const { marks, clockErrorsMs } = script;
  let room = 0;
  let entries = 0;
  let calls = 0;
  let units = 0;
  const odd = rotated(script.names, 1);
  const newEntryId = uniqueIds(
    odd.flatMap((name) => [undefined, undefined, name]),
    "e",
  );
  return {
    cast: castOf(rotated(script.names, 2)),
    newTurnId: uniqueIds(script.names, "turn-"),
    allow: (count) => {
      room = count;
    },
    take: (count) => {
      if (count > room) return false;
      room -= count;
      return true;
    },
    written: () => entries,
    newCallId: () => {
      calls += 1;
      return `call-${calls}`;
    },
    show: (agent) => {
      units += 1;
      return inRotation(marks.agent, units) === true ? agent : undefined;
    },
    stamp: (scope, agent, { format, ...others }) => {
      entries += 1;
      const origin = { format: format ?? "", message: `message-${entries}`, index: 0 };
      const errorMs = inRotation(clockErrorsMs, entries) ?? 0;
      return {
        id: newEntryId(),
        createdAtMs: START_MS + entries * 1000 + errorMs,
        ...pick("turnId", scope, inRotation(marks.turnId, entries)),
        ...pick("phaseId", scope, inRotation(marks.phaseId, entries)),
        ...pick("taskId", scope, inRotation(marks.taskId, entries)),
        ...(agent === undefined ? {} : { agent }),
        ...others,
        ...(format === undefined ? {} : { origin }),
      };
    },
    sources: (indexes) => [
      ...new Set(indexes.flatMap((index) => inRotation(script.sources, index) ?? [])),
    ],
  };
}

const START_MS = Date.UTC(2026, 0, 1);

function castOf(names: readonly string[]): Cast {
  const newId = uniqueIds(names, "agent-");
  return {
    orchestrator: { id: newId(), role: "orchestrator" },
    managers: firstOf(newId, 3).map((id) => ({ id, role: "manager" })),
    workers: firstOf(newId, 4).map((id) => ({ id, role: "worker" })),
  };
}

/** Returns the names one by one, and where there is none (left) a plain one; never the same twice. */
function uniqueIds(names: readonly (string | undefined)[], prefix: string): () => string {
  const taken = new Set<string>();
  let count = 0;
  return () => {
    count += 1;
    let id = names[count - 1] ?? `${prefix}${count}`;
    while (taken.has(id)) id = `${id}'`;
    taken.add(id);
    return id;
  };
}

function firstOf(newId: () => string, count: number): readonly string[] {
  return Array.from({ length: count }, newId);
}

function inRotation<Value>(values: readonly Value[], index: number): Value | undefined {
  return values[index % values.length];
}

function rotated<Value>(values: readonly Value[], by: number): readonly Value[] {
  return [...values.slice(by), ...values.slice(0, by)];
}

function pick<Name extends keyof WorkScope>(
  name: Name,
  scope: WorkScope,
  present: boolean | undefined,
): Pick<WorkScope, Name> | object {
  return present === true && scope[name] !== undefined ? { [name]: scope[name] } : {};
}
