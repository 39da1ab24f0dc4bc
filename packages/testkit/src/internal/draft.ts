import type {
  Agent,
  Content,
  EntryBase,
  HistoryEntry,
  ObservationEntry,
  Source,
} from "@agent-history/core";

/** How what happens is noted down. */
export interface Notation {
  readonly names: readonly string[];
  readonly clockErrorsMs: readonly number[];
  /** The thread's evidence, each with a number of its own. */
  readonly sources: readonly Source[];
  /** Which entries carry a mark, in rotation. */
  readonly marks: Readonly<Record<"turnId" | "phaseId" | "taskId" | "agent", readonly boolean[]>>;
}

/** Where in the hierarchy something is written. */
export type Scope = Pick<EntryBase, "turnId" | "phaseId" | "taskId">;

/** What any entry may carry besides; with a format, it came as a message of its own. */
export type Extras = Pick<EntryBase, "pinned" | "metadata"> & { readonly format?: string };

/** A log that is being written. */
export interface Draft {
  readonly notation: Notation;
  readonly orchestrator: Agent;
  readonly managers: readonly Agent[];
  readonly workers: readonly Agent[];
  readonly newEntryId: () => string;
  readonly newTurnId: () => string;
  readonly log: HistoryEntry[];
  /** Results by the agent that has to write them before anything else. */
  readonly waiting: Map<string | undefined, readonly HistoryEntry[]>;
  /** How many more entries may be written. */
  room: number;
  /** How many entries, calls and units of one writer were made. */
  entries: number;
  calls: number;
  units: number;
  /** How many calls are open, and the lengths of the log where some were. */
  open: number;
  openLengths: number[];
}

/** Begins a log. */
export function newDraft(notation: Notation): Draft {
  const { names } = notation;
  const odd = [...names.slice(1), ...names.slice(0, 1)];
  const newAgentId = idsOf("agent-", [...names.slice(2), ...names.slice(0, 2)]);
  const agents = (count: number, role: Agent["role"]): readonly Agent[] =>
    Array.from({ length: count }, () => ({ id: newAgentId(), role }));
  const count = { room: 0, entries: 0, calls: 0, units: 0, open: 0, openLengths: [] };
  return {
    ...count,
    notation,
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
  };
}

/** Gives the names one by one, and where there is none (left) a plain one. */
function idsOf(prefix: string, names: readonly (string | undefined)[]): () => string {
  let count = 0;
  return () => {
    count += 1;
    return names[count - 1] ?? `${prefix}${count}`;
  };
}

/** Takes room for this many entries, where there is that much. */
export function take(draft: Draft, count: number): boolean {
  if (count > draft.room) return false;
  draft.room -= count;
  return true;
}

/** Returns an agent, or nobody where this unit is to carry none. */
export function shown(draft: Draft, agent: Agent): Agent | undefined {
  draft.units += 1;
  return inRotation(draft.notation.marks.agent, draft.units) === true ? agent : undefined;
}

/** Returns what every entry carries. */
export function stamp(
  draft: Draft,
  scope: Scope,
  agent: Agent | undefined,
  { format, ...others }: Extras,
): EntryBase {
  draft.entries += 1;
  const { entries, notation } = draft;
  const marked = (["turnId", "phaseId", "taskId"] as const).filter(
    (name) => scope[name] !== undefined && inRotation(notation.marks[name], entries) === true,
  );
  return {
    id: draft.newEntryId(),
    createdAtMs: START_MS + entries * 1000 + (inRotation(notation.clockErrorsMs, entries) ?? 0),
    ...Object.fromEntries(marked.map((name) => [name, scope[name]])),
    ...(agent !== undefined && { agent }),
    ...others,
    ...(format !== undefined && { origin: { format, message: `message-${entries}`, index: 0 } }),
  };
}

const START_MS = Date.UTC(2026, 0, 1);

/** Returns the evidence of a note as a field. */
export function sourcesOf(
  { notation }: Draft,
  places: readonly number[] | undefined,
): Pick<ObservationEntry, "sources"> {
  if (places === undefined) return {};
  const sources = places.flatMap((place) => inRotation(notation.sources, place) ?? []);
  return { sources: [...new Set(sources)] };
}

/** Returns a content with its evidence cited. */
export function citing(
  draft: Draft,
  { content, sources: places }: { content: Content; sources: readonly number[] | undefined },
): Content {
  const { sources = [] } = sourcesOf(draft, places);
  if (typeof content !== "string" || places === undefined) return content;
  return [content, ...sources.map(({ number }) => `[source${number}]`)].join(" ");
}

/** Writes an entry, behind the results that its agent has to write first. Entries without an agent count as one agent's. */
export function write(draft: Draft, entry: HistoryEntry): void {
  const results = draft.waiting.get(entry.agent?.id) ?? [];
  draft.waiting.delete(entry.agent?.id);
  for (const one of [...results, entry]) push(draft, one);
}

/** Writes all results that wait, one agent after another. */
export function settleAll(draft: Draft): void {
  while (draft.waiting.size > 0)
    for (const [agentId, [first, ...others]] of draft.waiting) {
      if (first !== undefined) push(draft, first);
      if (others.length > 0) draft.waiting.set(agentId, others);
      else draft.waiting.delete(agentId);
    }
}

/** Puts an entry at the end. */
export function push(draft: Draft, entry: HistoryEntry): void {
  draft.log.push(entry);
  if (entry.type === "action") draft.open += entry.toolCalls.length;
  if (entry.type === "observation") draft.open -= 1;
  if (draft.open > 0) draft.openLengths.push(draft.log.length);
}

/** Returns the value at a place, counted in rotation. */
export function inRotation<Value>(values: readonly Value[], index: number): Value | undefined {
  return values[index % values.length];
}
