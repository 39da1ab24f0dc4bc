import type { EntryType, QueryClause } from "@agent-history/core";
import { agentView } from "@agent-history/core";

import { excessOf, isWithin, needsPhases, needsTasks, needsTurns } from "./plan-read.ts";
import type { ReadContext } from "./read-context.ts";
import { EVERYTHING } from "./read-log.ts";
import type { Reference } from "./reference.ts";
import { streamName } from "./streams-of.ts";
import { turnsOf } from "./thread-head.ts";
import { BESIDE_MESSAGES } from "./turn-numbering.ts";
import { isInRun, isTaskGone } from "./view-state.ts";
import type { RemainingTurns } from "./view-state.ts";

/** Why references may not answer a query exactly. */
export interface IndexLimitations {
  /** Why, whatever they say. */
  readonly reason: string | undefined;
  /** Why, after these were read. */
  readonly about: (references: Iterable<Reference>) => string | undefined;
}

/** Finds out where references may say other than the log does. In doubt the log is read. */
export function indexLimitations(
  context: ReadContext,
  lastTask: number | undefined,
): IndexLimitations {
  const { query, head, state } = context;
  const mayShow = (type: EntryType): boolean =>
    query.clauses.some(({ types }) => types === undefined || types.includes(type));
  const asksTasks = query.clauses.some(needsTasks);
  const showsCalls = mayShow("action") || mayShow("observation");
  const isGone = (task: number | undefined): boolean =>
    state !== undefined && task !== undefined && isTaskGone(state, task);
  const mayBeCovered = (action: number | undefined): boolean =>
    state !== undefined &&
    action !== undefined &&
    query.view !== "conversation" &&
    isInRun(state, action);

  return {
    reason:
      ofThread(context, mayShow) ?? (asksTasks && isGone(lastTask) ? GONE_TASK : ofView(context)),
    about: (references) => {
      for (const reference of references) {
        const { position, type, task, partner } = reference;
        if (asksTasks && position <= head.taskDoubt) return EARLY_NAME;
        if (isGone(task) && query.clauses.some((clause) => needsItsTask(clause, reference))) {
          return GONE_TASK;
        }
        if (!showsCalls || (type !== "action" && type !== "observation")) continue;
        if (position <= head.pairDoubt) return "a result that names no known call";
        if (mayBeCovered(partner)) return "a result whose call is covered";
      }
      return undefined;
    },
  };
}

const GONE_TASK = "a task that is covered";
export const EARLY_NAME = "a task that was named before it was given";

/** Returns whether a clause asks more of an entry's task than that it is not the last: where its task is gone, that holds in any case. */
function needsItsTask(clause: QueryClause, { type, hasTask }: Reference): boolean {
  if (clause.types?.includes(type) === false) return false;
  const { underTaskFrom, task } = clause;
  return needsPhases(clause) || underTaskFrom !== undefined || (task !== undefined && !hasTask);
}

/** Doubts that lie in the log. */
function ofThread(
  { query, plan, head, state }: ReadContext,
  mayShow: (type: EntryType) => boolean,
): string | undefined {
  const { clauses } = query;
  const turns = turnsOf(head);
  const limits = [query.maxEntries ?? Infinity, query.maxTokens ?? Infinity];
  const readsAll = plan.sources.get(streamName.all)?.includes("beginning") === true;
  const hasStart = query.after !== undefined;
  if (readsAll && !hasStart && state === undefined && limits.every((limit) => limit === Infinity)) {
    return EVERYTHING;
  }
  const isAboutUploads = clauses.some(({ attachedToShown }) => attachedToShown === true);
  if (head.stray >= 0 && isAboutUploads && mayShow("user_message")) {
    return "an attachment without a message";
  }
  if (!head.hasUsers && clauses.some(({ lastTurns }) => lastTurns !== undefined)) {
    return "turns without user messages";
  }
  if (!clauses.some(needsPhases)) return undefined;
  if (turns.isFull === true) return "a turn of very many phases";
  return turns.start <= head.taskDoubt ? EARLY_NAME : undefined;
}

/** Doubts that lie in the summaries of the view. */
function ofView({ query, plan, head, state }: ReadContext): string | undefined {
  if (state === undefined) return undefined;
  const { view, clauses } = query;
  const isOfAgent = view !== "thread" && view !== "conversation";
  if (isOfAgent && (plan.agent === undefined || view !== agentView(plan.agent))) {
    return "summaries of an agent that is not asked for";
  }
  if (state.isSplit) return "an exchange that is covered in part";
  if (clauses.some(needsPhases) && state.brokenPhases === head.turns.newest) {
    return "phases that are covered in part";
  }
  const asking = clauses.filter((clause) => needsTurns(clause) || needsTasks(clause));
  if (asking.length === 0) return undefined;
  const { turns } = state;
  if (turns === undefined || head.late >= state.version) return "turns that are covered in part";
  const isClear = asking.every((clause) => isClearOf(clause, turns, head.turns.newest));
  return isClear ? undefined : "turns that are covered in part";
}

/** Returns whether a clause asks only for turns whose numbers are known. */
function isClearOf(clause: QueryClause, turns: RemainingTurns, newest: number): boolean {
  const { types, turn, lastTurns } = clause;
  if (types === undefined || types.some((type) => BESIDE_MESSAGES.has(type))) return false;
  const newestTurn = newest - turns.offset;
  if (turn !== undefined && turns.looseTurn >= newestTurn) return false;
  if (lastTurns === undefined) return true;
  const isTalk = isWithin(clause, ["user_message", "assistant_message"]);
  const loose = isTalk ? turns.looseTalk : turns.looseTurn;
  return loose < 0 || loose < excessOf(lastTurns, newestTurn);
}
