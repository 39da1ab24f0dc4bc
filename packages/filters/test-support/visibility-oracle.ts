import type { Agent, FilterContext, HistoryEntry, PhaseId } from "@agent-history/core";

// The oracle: the design's visibility table, applied entry by entry and computed from scratch each time.

/** Returns whether the table shows the entry to an orchestrator. */
export function isForOrchestrator(
  entries: readonly HistoryEntry[],
  index: number,
  options: {
    readonly maxConversationTurns: number;
    readonly include: readonly ("own" | "reports" | "syntheses")[];
    readonly agentId?: string;
  },
): boolean {
  const entry = entries[index];
  if (entry === undefined) return false;
  const last = newestTurn(entries);
  if (entry.type === "user_message" || entry.type === "assistant_message") {
    const oldest = last - options.maxConversationTurns;
    const isSeen = (at: number): boolean => turnOf(entries, at) > oldest;
    const opening = entries.findIndex((other, at) => other.type === "user_message" && isSeen(at));
    return isSeen(index) && index >= opening;
  }
  const isNow = turnOf(entries, index) === last;
  const { include, agentId } = options;
  if (entry.type === "synthesis") return include.includes("syntheses") && isNow;
  if (entry.type === "strategic_plan" || entry.type === "delegation") {
    return include.includes("own") && isNow && isLeads(entry.agent, agentId);
  }
  if (entry.type === "final") {
    const given = entries.find(({ id }) => id === taskOf(entries, index));
    const giver = given?.type === "task" ? given.from : undefined;
    return include.includes("reports") && isNow && giver !== undefined && isLeads(giver, agentId);
  }
  if (entry.type === "attachment") {
    const brought = entries.findIndex(({ id }) => id === entry.messageId);
    return brought >= 0 && isForOrchestrator(entries, brought, options);
  }
  if (entry.type === "summary") return entry.agent === undefined || entry.agent.id === agentId;
  return isForEveryRole(entry, agentId);
}

/** Returns whether an agent is the requested orchestrator: the named one, or else any, or no agent. */
function isLeads(agent: Agent | undefined, agentId: string | undefined): boolean {
  if (agentId !== undefined) return agent?.id === agentId;
  return agent === undefined || agent.role === "orchestrator";
}

/** Returns whether the table shows the entry to a manager. */
export function isForManager(
  entries: readonly HistoryEntry[],
  index: number,
  { agentId, phaseId }: FilterContext,
): boolean {
  const entry = entries[index];
  if (entry === undefined) return false;
  if (isForEveryRole(entry, agentId)) return true;
  if (turnOf(entries, index) !== newestTurn(entries)) return false;
  const inPhase = phaseId === undefined || phaseOf(entries, index) === phaseId;
  if (entry.type === "synthesis") return isEarlierPhase(entries, index, phaseId);
  if (agentId === undefined) return false;
  const isOwn = entry.agent?.id === agentId;
  if (entry.type === "task") return isOwn && entry === lastTaskOf(entries, agentId);
  if (["strategic_plan", "delegation", "summary"].includes(entry.type)) return isOwn && inPhase;
  if (entry.type !== "final") return false;
  const taskId = taskOf(entries, index);
  const given = entries.find(({ id, type }) => type === "task" && id === taskId);
  return given?.type === "task" && given.from?.id === agentId && inPhase;
}

/** Returns whether the table shows the entry to a worker. */
export function isForWorker(
  entries: readonly HistoryEntry[],
  index: number,
  agentId: string,
  memory: "task" | "turn" | "thread" = "task",
): boolean {
  const entry = entries[index];
  if (entry === undefined) return false;
  if (isForEveryRole(entry, agentId)) return true;
  const isNow = turnOf(entries, index) === newestTurn(entries);
  if (entry.type === "global_observation") return isNow;
  if (memory !== "task") {
    const isOwnWork = [...TRACE, "task", "final"].includes(entry.type);
    return isOwnWork && entry.agent?.id === agentId && (isNow || memory === "thread");
  }
  if (!isNow) return false;
  const task = lastTaskOf(entries, agentId);
  if (entry.type === "task") return entry === task;
  return (
    TRACE.includes(entry.type) &&
    entry.agent?.id === agentId &&
    task !== undefined &&
    taskOf(entries, index) === task.id
  );
}

const TRACE = ["action", "observation", "error", "summary"];

function isForEveryRole(entry: HistoryEntry, agentId: string | undefined): boolean {
  const isShared = ["system_message", "memory"].includes(entry.type);
  return isShared && (entry.agent === undefined || entry.agent.id === agentId);
}

const turnsOf = new WeakMap<readonly HistoryEntry[], readonly number[]>();

function turnOf(entries: readonly HistoryEntry[], index: number): number {
  const turns = turnsOf.get(entries) ?? entries.map((_, at) => numberOfTurn(entries, at));
  turnsOf.set(entries, turns);
  return turns[index] ?? 0;
}

/** Returns the number of an entry's turn: by turn id if turns have ids, otherwise by the number of earlier requests. */
function numberOfTurn(entries: readonly HistoryEntry[], index: number): number {
  const named = [...new Set(entries.flatMap(({ turnId }) => turnId ?? []))];
  if (named.length === 0) return requestsUntil(entries, index);
  const { turnId } = entries[index] ?? {};
  if (turnId !== undefined) return named.indexOf(turnId);
  return Math.max(0, ...entries.slice(0, index).map((entry) => named.indexOf(entry.turnId ?? "")));
}

function requestsUntil(entries: readonly HistoryEntry[], index: number): number {
  const hasUser = entries.some(({ type }) => type === "user_message");
  const isBeside = ({ type }: HistoryEntry): boolean =>
    ["attachment", "system_message", "memory", "summary"].includes(type);
  const isRoot = (entry: HistoryEntry): boolean =>
    entry.type === "task" && entry.from === undefined && entry.taskId === undefined;
  const firstAgent = entries.find(isRoot)?.agent?.id;
  const requests = entries.slice(0, index + 1).filter((entry, at) => {
    if (!hasUser) return isRoot(entry) && entry.agent?.id === firstAgent;
    const previous = entries.slice(0, at).findLast((other) => !isBeside(other));
    return entry.type === "user_message" && previous?.type !== "user_message";
  });
  return requests.length;
}

function newestTurn(entries: readonly HistoryEntry[]): number {
  return entries.reduce((newest, _, index) => Math.max(newest, turnOf(entries, index)), 0);
}

function taskOf(entries: readonly HistoryEntry[], index: number): string | undefined {
  const entry = entries[index];
  if (entry?.taskId !== undefined || entry?.agent === undefined) return entry?.taskId;
  return lastTaskOf(entries.slice(0, index), entry.agent.id)?.id;
}

function lastTaskOf(entries: readonly HistoryEntry[], agentId: string): HistoryEntry | undefined {
  return entries.findLast(({ type, agent }) => type === "task" && agent?.id === agentId);
}

function phaseOf(entries: readonly HistoryEntry[], index: number): PhaseId | undefined {
  const entry = entries[index];
  if (entry === undefined || entry.phaseId !== undefined) return entry?.phaseId;
  const taskId = entry.type === "task" ? entry.taskId : taskOf(entries, index);
  const entryIndex = entries.findIndex(({ id, type }) => type === "task" && id === taskId);
  return turnOf(entries, entryIndex) === turnOf(entries, index)
    ? entries[entryIndex]?.phaseId
    : undefined;
}

function isEarlierPhase(
  entries: readonly HistoryEntry[],
  index: number,
  phaseId: PhaseId | undefined,
): boolean {
  if (phaseId === undefined) return true;
  const turn = turnOf(entries, index);
  const beginningOf = (phase: PhaseId): number =>
    entries.findIndex((_, at) => turnOf(entries, at) === turn && phaseOf(entries, at) === phase);
  const own = beginningOf(phaseId);
  const phase = phaseOf(entries, index);
  const start = phase === undefined ? index : beginningOf(phase);
  return own < 0 || start < own;
}
