import type { Agent, EntryBase, HistoryEntry } from "@agent-history/core";

import type { Extras } from "./arbitrary-parts.ts";

/** The position of an entry in the hierarchy. */
export type Scope = Pick<EntryBase, "turnId" | "phaseId" | "taskId">;

/** A log that is being written. */
export interface LogDraft {
  /** Which entries, counted in rotation, have a mark. */
  readonly marks: Readonly<Record<"turnId" | "phaseId" | "taskId" | "agent", readonly boolean[]>>;
  readonly clockErrorsMs: readonly number[];
  readonly newEntryId: () => string;
  readonly log: HistoryEntry[];
  /** Results that an agent must write before anything else, by agent. */
  readonly waiting: Map<string | undefined, readonly HistoryEntry[]>;
  /** How many more entries may be written. */
  room: number;
  /** How many entries were made. */
  entries: number;
}

/** Returns the names one after another, and a plain id where no name is left. */
export function idsOf(prefix: string, names: readonly (string | undefined)[]): () => string {
  let count = 0;
  return () => {
    count += 1;
    return names[count - 1] ?? `${prefix}${count}`;
  };
}

/** Reserves room for this many entries; returns whether there is enough. */
export function take(draft: LogDraft, count: number): boolean {
  if (count > draft.room) return false;
  draft.room -= count;
  return true;
}

/** Returns the agent, or `undefined` if the entries of this unit do not name it. */
export function shown(draft: LogDraft, agent: Agent): Agent | undefined {
  return inRotation(draft.marks.agent, draft.entries) === true ? agent : undefined;
}

const START_MS = Date.UTC(2026, 0, 1);

/** Returns the fields common to all entries. */
export function stamp(
  draft: LogDraft,
  scope: Scope,
  agent: Agent | undefined,
  { format, ...others }: Extras,
): EntryBase {
  draft.entries += 1;
  const { entries, marks, clockErrorsMs } = draft;
  const marked = (["turnId", "phaseId", "taskId"] as const).filter(
    (name) => scope[name] !== undefined && inRotation(marks[name], entries) === true,
  );
  return {
    id: draft.newEntryId(),
    createdAtMs: START_MS + entries * 1000 + (inRotation(clockErrorsMs, entries) ?? 0),
    ...Object.fromEntries(marked.map((name) => [name, scope[name]])),
    ...(agent !== undefined && { agent }),
    ...others,
    ...(format !== undefined && { origin: { format, message: `message-${entries}`, index: 0 } }),
  };
}

/** Writes an entry after the results that its agent must write first. Entries without an agent count as one agent's. */
export function write(draft: LogDraft, entry: HistoryEntry): void {
  const results = draft.waiting.get(entry.agent?.id) ?? [];
  draft.waiting.delete(entry.agent?.id);
  draft.log.push(...results, entry);
}

/** Writes all waiting results, one agent after another. */
export function settleAll({ waiting, log }: LogDraft): void {
  while (waiting.size > 0)
    for (const [agentId, [first, ...others]] of waiting) {
      if (first !== undefined) log.push(first);
      if (others.length > 0) waiting.set(agentId, others);
      else waiting.delete(agentId);
    }
}

/** Returns the value at an index, modulo the length. */
export function inRotation<Value>(values: readonly Value[], index: number): Value | undefined {
  return values[index % values.length];
}
