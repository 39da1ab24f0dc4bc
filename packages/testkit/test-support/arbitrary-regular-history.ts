import type { Agent, EntryBase, HistoryEntry } from "@agent-history/core";
import * as fc from "fast-check";

/** What a regular thread is like: an orchestrator, its managers one after the other or at once, their workers side by side. */
export interface RegularOptions {
  /** At least so many entries; the last turn is written whole. */
  readonly entries: number;
  readonly phases: number;
  readonly workers: number;
  /** Calls of a worker. */
  readonly calls: number;
  readonly hasTurnIds: boolean;
  readonly hasTaskIds: boolean;
  readonly hasUsers: boolean;
  readonly hasUploads: boolean;
  /** Every so many turns something is recalled. */
  readonly memoryEvery: number;
  readonly textLength: number;
}

/** The regular thread of the tests that count. */
export const REGULAR: RegularOptions = {
  entries: 1000,
  phases: 2,
  workers: 3,
  calls: 2,
  memoryEvery: Infinity,
  textLength: 120,
  hasTurnIds: true,
  hasTaskIds: true,
  hasUsers: true,
  hasUploads: true,
};

/** Generates short regular threads. */
export function arbitraryRegularHistory(): fc.Arbitrary<readonly HistoryEntry[]> {
  return fc
    .record({
      entries: fc.integer({ min: 1, max: 150 }),
      phases: fc.integer({ min: 0, max: 3 }),
      workers: fc.integer({ min: 0, max: 3 }),
      calls: fc.integer({ min: 0, max: 3 }),
      hasTurnIds: fc.boolean(),
      hasTaskIds: fc.boolean(),
      hasUsers: fc.nat({ max: 3 }).map((number) => number > 0),
      hasUploads: fc.boolean(),
      memoryEvery: fc.constantFrom(1, 3, Infinity),
      textLength: fc.constantFrom(0, 30),
      dropped: fc.nat({ max: 6 }),
    })
    .map(({ dropped, ...options }) => regularHistory(options).slice(0, -dropped || undefined));
}

/** Writes a regular thread. */
export function regularHistory(options: RegularOptions): readonly HistoryEntry[] {
  const log: HistoryEntry[] = [
    { type: "system_message", id: "system", createdAtMs: 0, content: "You are of help." },
  ];
  for (let turn = 0; log.length < options.entries; turn += 1) writeTurn(log, turn, options);
  return log;
}

const orchestrator: Agent = { id: "orchestrator", role: "orchestrator" };

function writeTurn(log: HistoryEntry[], turn: number, options: RegularOptions): void {
  const write = writer(log, turn, options);
  const { hasUsers, hasUploads, memoryEvery } = options;
  let taskId: string | undefined;
  if (hasUsers) {
    const messageId = write({ type: "user_message" });
    if (hasUploads && turn % 3 === 0) write({ type: "attachment", messageId });
  } else taskId = write({ type: "task", agent: orchestrator });
  if (turn % memoryEvery === 0) write({ type: "memory" });
  write({ type: "strategic_plan", agent: orchestrator, ...under(taskId, options) });
  for (let phase = 0; phase < options.phases; phase += 1) {
    writePhase(write, phase, taskId, options);
  }
  const answer = { ...under(taskId, options), agent: orchestrator };
  write(hasUsers ? { type: "assistant_message", ...answer } : { type: "final", ...answer });
}

function writePhase(
  write: Write,
  phase: number,
  parent: string | undefined,
  options: RegularOptions,
): void {
  const manager: Agent = { id: `manager ${phase}`, role: "manager" };
  const phaseId = phase % 2 === 0 ? phase : `phase ${phase}`;
  const given = write({
    type: "task",
    phaseId,
    agent: manager,
    from: orchestrator,
    ...under(parent, options),
  });
  const ofManager = { phaseId, agent: manager, ...under(given, options) };
  const tasks = Array.from({ length: options.workers }, (_, index) => {
    const worker: Agent = { id: `worker ${index}`, role: "worker" };
    write({ type: "delegation", ...ofManager });
    const id = write({ type: "task", ...ofManager, agent: worker, from: manager });
    return { worker, id };
  });
  for (let call = 0; call < options.calls; call += 1) {
    const actions = tasks.map(({ worker, id }) => {
      const base = { phaseId, agent: worker, ...under(id, options) };
      return { base, actionId: write({ type: "action", ...base, callId: `call ${call % 2}` }) };
    });
    for (const { base, actionId } of actions) {
      const named = call % 2 === 0 ? {} : { actionId };
      write({ type: "observation", ...base, callId: `call ${call % 2}`, ...named });
    }
  }
  write({ type: "global_observation", phaseId });
  for (const { worker, id } of tasks) {
    write({ type: "final", phaseId, agent: worker, ...under(id, options) });
  }
  write({ type: "synthesis", ...ofManager });
  write({ type: "final", ...ofManager });
}

function under(
  taskId: string | undefined,
  { hasTaskIds }: RegularOptions,
): { readonly taskId?: string } {
  return hasTaskIds && taskId !== undefined ? { taskId } : {};
}

type Write = (
  entry: Partial<Omit<EntryBase, "id">> & {
    readonly type: HistoryEntry["type"];
    readonly from?: Agent;
    readonly messageId?: string;
    readonly callId?: string;
    readonly actionId?: string;
  },
) => string;

function writer(
  log: HistoryEntry[],
  turn: number,
  { hasTurnIds, textLength }: RegularOptions,
): Write {
  return ({ callId = "", actionId, from, messageId = "", ...given }) => {
    const id = `e${log.length}`;
    const content = "x".repeat((textLength * ((log.length % 7) + 1)) / 4);
    const base = {
      id,
      createdAtMs: log.length,
      content,
      ...(hasTurnIds ? { turnId: `turn ${turn}` } : {}),
    };
    log.push(entryOf({ ...given, ...base }, { callId, actionId, from, messageId }));
    return id;
  };
}

function entryOf(
  given: EntryBase & { readonly type: HistoryEntry["type"]; readonly content: string },
  fields: {
    readonly callId: string;
    readonly actionId: string | undefined;
    readonly from: Agent | undefined;
    readonly messageId: string;
  },
): HistoryEntry {
  const { type, ...base } = given;
  const { callId, actionId, from, messageId } = fields;
  switch (type) {
    case "task":
      return { ...base, type, agent: base.agent ?? orchestrator, ...(from ? { from } : {}) };
    case "action":
      return { ...base, type, toolCalls: [{ id: callId, name: "find", arguments: "{}" }] };
    case "observation": {
      const named = actionId === undefined ? {} : { actionId };
      return { ...base, type, callId, toolName: "find", outcome: "success", ...named };
    }
    case "attachment":
      return { ...base, type, messageId };
    case "summary":
      return { ...base, type, strategy: "provider", trust: "tool" };
    case "opaque":
      return { ...base, type, data: null };
    default:
      return { ...base, type };
  }
}
