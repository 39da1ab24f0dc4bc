import type { HistoryEntry } from "@agent-history/core";

import type { KnownFacts, TaskFact } from "./known-facts.ts";
import { callerOf, openCalls, pairObservation } from "./pair-observation.ts";
import { typeInIndex } from "./reference.ts";
import type { Reference } from "./reference.ts";
import { streamsOf } from "./streams-of.ts";
import type { StreamMembership } from "./streams-of.ts";
import { MAX_PHASES } from "./thread-head.ts";
import type { ThreadHead, TurnHead } from "./thread-head.ts";
import { nextTurn } from "./turn-numbering.ts";

/** What the index keeps of one entry. */
export interface IndexedEntry {
  readonly reference: Reference;
  readonly positions: readonly StreamMembership[];
}

/** Works out the reference of a thread's next entry, and moves the head and the facts on. */
export function indexEntry(
  entry: HistoryEntry,
  { bytes, rowEnd }: Pick<Reference, "bytes" | "rowEnd">,
  head: ThreadHead,
  facts: KnownFacts,
): IndexedEntry {
  const { type, turnId, taskId, agent } = entry;
  const position = head.version;
  if (type === "user_message") {
    head.hasUsers = true;
    head.plainTurns = undefined;
    facts.setMessage(entry.id, position);
  }
  const { turn, plainTurn } = numberOf(entry, position, head, facts);
  const isLate = turn !== head.turns.newest;
  if (isLate || (plainTurn !== undefined && plainTurn !== head.plainTurns?.newest)) {
    head.late = position;
  }
  const task = taskOf(entry, { at: position, turn, plainTurn }, head, facts);
  const phase = isLate ? 0 : phaseOf(entry, task, position, turn === task?.turn, head.turns);
  const isPlainCurrent = head.plainTurns !== undefined && plainTurn === head.plainTurns.newest;
  const plainPhase =
    isPlainCurrent && head.plainTurns !== undefined
      ? phaseOf(entry, task, position, plainTurn === task?.plainTurn, head.plainTurns)
      : 0;
  const reference: Reference = {
    position,
    type: typeInIndex(type),
    turn,
    plainTurn,
    phase,
    plainPhase,
    bytes,
    rowEnd,
    isNamed: turnId !== undefined,
    hasTask: taskId !== undefined,
    isLate,
    isOwn: false,
    isGiven: false,
    isUnowned: agent === undefined,
    isPinned: entry.pinned === true,
    task: task?.at,
    partner: partnerOf(entry, position, head, facts),
  };
  return { reference, positions: streamsOf(entry, task?.from) };
}

interface EntryNumbers {
  readonly turn: number;
  readonly plainTurn: number | undefined;
}

function numberOf(
  entry: HistoryEntry,
  position: number,
  head: ThreadHead,
  facts: KnownFacts,
): EntryNumbers {
  const { turnId } = entry;
  const known = turnId === undefined ? undefined : facts.turn(turnId);
  const turn = numberIn(head.turns, entry, position, known?.turn, true);
  const plainTurn =
    head.plainTurns && numberIn(head.plainTurns, entry, position, known?.plainTurn, false);
  if (turnId !== undefined && known === undefined) {
    facts.setTurn(turnId, { at: position, turn, plainTurn });
  }
  return { turn, plainTurn };
}

function numberIn(
  turns: TurnHead,
  entry: HistoryEntry,
  position: number,
  known: number | undefined,
  hasUserMessages: boolean,
): number {
  const before = turns.newest;
  const turn = nextTurn(entry, turns, known, hasUserMessages);
  if (turns.newest !== before) {
    turns.start = position;
    turns.phases = [];
    turns.isFull = false;
  }
  return turn;
}

/** The task that an entry was written under, as `threadFacts` has it. */
function taskOf(
  entry: HistoryEntry,
  location: Pick<TaskFact, "at" | "turn" | "plainTurn">,
  head: ThreadHead,
  facts: KnownFacts,
): TaskFact | undefined {
  const { type, taskId, agent } = entry;
  if (type === "task") {
    // Entries before it that named it were taken for entries of no task.
    const missedAt = facts.task(entry.id)?.missedAt;
    if (missedAt !== undefined) head.taskDoubt = location.at;
    const fact: TaskFact = {
      ...location,
      phase: entry.phaseId,
      from: entry.from?.id,
      ...(missedAt !== undefined && { missedAt }),
    };
    facts.setTask(entry.id, fact);
    facts.setAgent(agent?.id, { ...facts.agent(agent?.id), task: fact }, location.at);
    head.task = location.at;
  }
  if (taskId === undefined) {
    return type === "task" || agent === undefined ? undefined : facts.agent(agent.id).task;
  }
  const named = facts.task(taskId);
  if (named === undefined) facts.setTask(taskId, { missedAt: location.at });
  return named?.at === undefined ? undefined : named;
}

/** Which phase of the newest turn an entry was written in. */
function phaseOf(
  { phaseId }: HistoryEntry,
  task: TaskFact | undefined,
  position: number,
  isOfTask: boolean,
  turns: TurnHead,
): number {
  const phase = phaseId ?? (isOfTask ? task?.phase : undefined);
  if (phase === undefined) return 0;
  const index = turns.phases.findIndex(([id]) => id === phase);
  if (index >= 0) return index + 1;
  if (turns.phases.length === MAX_PHASES) {
    turns.isFull = true;
    return 0;
  }
  turns.phases.push([phase, position]);
  return turns.phases.length;
}

function partnerOf(
  entry: HistoryEntry,
  position: number,
  head: ThreadHead,
  facts: KnownFacts,
): number | undefined {
  if (entry.type === "action") {
    const caller = callerOf(entry, position, facts, head);
    openCalls(entry, position, facts);
    return caller;
  }
  if (entry.type === "observation") return pairObservation(entry, position, facts, head);
  if (entry.type !== "attachment") return undefined;
  const message = facts.message(entry.messageId);
  if (message === undefined) head.stray = position;
  return message;
}
