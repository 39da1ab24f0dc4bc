import type { HistoryEntry, HistoryQuery, QueryClause } from "@agent-history/core";
import { outermostActions, pairCalls } from "@agent-history/core";
import {
  clauseContext,
  firstWithinLimits,
  hideCutExchanges,
  selectPage,
  shownByClauses,
} from "@agent-history/core/kit";
import type { ClauseContext, SelectedPage } from "@agent-history/core/kit";

import { notFound } from "./store-errors.ts";
import { positionIn, turnIn } from "./stored-log.ts";
import { asksForTasks, floorOf, lanesOf, lastTaskIn, WHOLE } from "./thread-part.ts";
import type { ReadLane, ThreadPart, Want } from "./thread-part.ts";
import { isHidden } from "./views.ts";

/** Most rows before the hidden part that are read only to count turns. */
const FEW = 64;

/** An entry that the view shows, or a summary at its place, which has no turn. */
interface Shown {
  readonly position: number;
  readonly entry: HistoryEntry;
  readonly turn?: number;
}

/**
 * Answers a query from the loaded part of a thread with core's own functions, or returns what must be read first. The part answers a clause if it contains a row of an older turn, the task that
 * the clause asks for, or the beginning of the log. It answers the whole query if the query's limit excludes everything that is missing.
 */
export function answerQuery(part: ThreadPart, query: HistoryQuery): SelectedPage | Want {
  const { head, floors, top } = part;
  const question = questionOf(part, query);
  const { entries, usesTurns } = question;
  // The highest count that is stored with an entry.
  const countEntry = (entry: HistoryEntry): number | undefined =>
    part.tokens.get(entry)?.reduce((most, [, count]) => Math.max(most, count), 0);
  if (floors.a <= (head.trimmed ?? 0) && top === head.entryCount)
    return selectPage(entries, query, { countEntry });
  // After an erasure, turns are counted by the entries that are left, so all of them are needed.
  if (usesTurns && head.erased !== undefined) return WHOLE;
  const pending: ReadLane[] = [];
  for (const clause of query.clauses) {
    const lanes = lanesOf(clause);
    if (lanes === undefined || lanes.length === 0) continue;
    const lane = leastRead(part, lanes);
    const bound = boundOf(question, clause, lane);
    if (typeof bound === "object") return bound;
    if (bound === "pending") pending.push(lane);
  }
  const context = contextOf(question);
  if ("kind" in context) return context;
  const isShown = shownByClauses(context, query);
  const start = indexOf(entries, query.after) + 1;
  const end = query.before === undefined ? entries.length : indexOf(entries, query.before);
  const limit = firstWithinLimits(entries, isShown.slice(0, end), query, countEntry);
  const asksAttached = query.clauses.some(({ attachedToShown }) => attachedToShown === true);
  const messages = asksAttached ? missingMessages(question, isShown) : undefined;
  const more = messages ?? missingRows(question, pending, start, limit, asksAttached);
  if (more !== undefined) return more;
  const isCut = isShown.slice(start, limit).includes(true);
  isShown.fill(false, 0, Math.max(start, limit)).fill(false, end);
  const oldest = isShown.indexOf(true);
  const want = query.wholeExchanges === true ? hideExchanges(question, isShown) : undefined;
  if (want !== undefined) return want;
  const next = isCut && oldest >= 0 ? entries[oldest]?.id : undefined;
  const selected = entries.filter((_, index) => isShown[index]);
  return { entries: selected, ...(next !== undefined && { next }) };
}

/** A query and what the loaded part of the thread shows: entries with their positions and turns. */
type Question = ReturnType<typeof questionOf>;

function questionOf(part: ThreadPart, query: HistoryQuery) {
  const { state, view } = part;
  const shown: Shown[] = part.summaries.map((entry, nth) => {
    return { position: state.tops[nth]?.[0] ?? 0, entry };
  });
  for (const { entry, position, turn, isErased } of part.rows.values())
    if (!isErased && !isHidden(state, view, entry, position)) shown.push({ position, entry, turn });
  shown.sort((one, other) => one.position - other.position);
  const entries = shown.map(({ entry }) => entry);
  const positions = shown.map(({ position }) => position);
  // A summary has no turn.
  const turns = shown.map(({ position, turn }) =>
    turn === undefined ? -Infinity : numberInView(part, position, turn),
  );
  const usesTurns = query.clauses.some(
    ({ turn, lastTurns, phases, beforePhase }) =>
      (turn ?? lastTurns ?? phases ?? beforePhase) !== undefined,
  );
  // The position after the last hidden one; 0 if the view hides nothing.
  const hiddenEnd = (state.hidden.at(-1)?.[1] ?? -1) + 1;
  return { part, query, usesTurns, shown, entries, positions, turns, hiddenEnd };
}

/** The number of a row's turn among those that the view shows, or in the log if the number of hidden turns is unknown. */
function numberInView({ state }: ThreadPart, position: number, turn: number): number {
  const { hidden, gone = 0 } = state;
  return position < (hidden[0]?.[0] ?? Infinity) ? turn : turn - gone;
}

/** The lane with the most rows missing. */
function leastRead(part: ThreadPart, [first = "a", ...others]: readonly ReadLane[]): ReadLane {
  let least = first;
  for (const lane of others) if (floorOf(part, lane) > floorOf(part, least)) least = lane;
  return least;
}

/** Returns `done` if everything that a clause may show was read, `pending` if only the query's limit can make that so, otherwise what to read. */
function boundOf(
  question: Question,
  clause: QueryClause,
  lane: ReadLane,
): "done" | "pending" | Want {
  const { part, query, hiddenEnd } = question;
  const { types, standsInView, turn, lastTurns, lastTask, task, phases, beforePhase } = clause;
  const { head, facts } = part;
  const floor = floorOf(part, lane);
  if (standsInView !== undefined) return WHOLE;
  if (hiddenEnd > 0) {
    // A summary belongs to the turn at its position.
    const isOfTurns = (turn ?? lastTurns ?? phases) !== undefined;
    if (isOfTurns && (types === undefined || types.includes("summary"))) return WHOLE;
    if (phases !== undefined) return WHOLE;
    if ((lastTurns?.stride ?? 1) > 1 && !isCountedView(part)) return WHOLE;
  }
  if (beforePhase !== undefined && (turn ?? lastTurns) === undefined && floor > 0) return WHOLE;
  let ofTask: number | undefined;
  if (task !== undefined) ofTask = positionIn(facts.named, task);
  else if (lastTask !== undefined) ofTask = lastTaskIn(facts, lastTask.of);
  if (lastTask !== undefined) {
    if (ofTask === undefined) return "done";
    const row = part.rows.get(ofTask);
    // The task's position is unknown, its row is unreadable, or the view hides it.
    if (row === undefined || isHidden(part.state, part.view, row.entry, ofTask)) return WHOLE;
  }
  if (floor === 0 && !(hiddenEnd > 0 && question.usesTurns)) return "done";
  const least = leastTurn(part, clause);
  if (least === undefined) {
    if (ofTask === undefined) return "pending";
    return floorOf(part, "a") <= ofTask ? "done" : { kind: "lane", lane: "a", from: ofTask };
  }
  if (least <= 0) return hiddenEnd > 0 || beforePhase !== undefined ? WHOLE : "pending";
  if (hiddenEnd > 0) return boundInView(question, lane, least, types, turn === undefined);
  const isOld = turn !== undefined && "id" in turn;
  const begin = isOld ? (turnIn(facts.turns, turn.id)?.start ?? 0) : turn && head.log.start;
  // Entries written under a task follow it.
  const isByTask = lastTurns === undefined && beforePhase === undefined;
  const from = Math.max(begin ?? 0, isByTask ? (ofTask ?? 0) : 0);
  if (begin !== undefined && least < head.log.newest && floor > from) {
    const read = part.turns.get(least);
    if (read?.isRead !== true) return { kind: "turn", turn: least, from: begin };
    if (head.log.late < read.to) return "done";
  }
  if (least === Infinity || reaches(part, floor, least) || (from > 0 && floor <= from))
    return "done";
  const { maxEntries, maxTokens, maxBytes } = query;
  const isUnlimited = (maxEntries ?? maxTokens ?? maxBytes) === undefined;
  return from > 0 && isUnlimited ? { kind: "lane", lane, from } : { kind: "lane", lane };
}

/** The oldest turn that a clause asks for; `undefined` if it has no turn condition, `Infinity` if it matches no turn. */
function leastTurn(
  { head, facts, state }: ThreadPart,
  { turn, lastTurns }: QueryClause,
): number | undefined {
  const { newest } = head.log;
  if (turn !== undefined)
    return "id" in turn ? (turnIn(facts.turns, turn.id)?.turn ?? Infinity) : newest;
  if (lastTurns === undefined) return undefined;
  const { count, stride = 1 } = lastTurns;
  const { gone = 0 } = state;
  const least = Math.ceil((newest - gone + 1 - count) / stride) * stride + gone;
  return count === 0 ? Infinity : least;
}

/** Whether the number of hidden turns is known, no entry was added to an older turn, and no summary names a turn. */
function isCountedView({ state, summaries, head }: ThreadPart): boolean {
  const isBeside = summaries.every(({ turnId }) => turnId === undefined);
  return state.gone !== undefined && head.log.late < 0 && isBeside;
}

/** Whether a row of a turn before `least` was read from the floor on, so that all rows of `least` and later turns were read. */
function reaches({ rows }: ThreadPart, floor: number, least: number): boolean {
  for (const { position, at } of rows.values()) if (position >= floor && at < least) return true;
  return false;
}

/** As `boundOf`, if summaries hide entries: turns are counted by what the view shows. */
function boundInView(
  { part, shown, hiddenEnd }: Question,
  lane: ReadLane,
  least: number,
  types: QueryClause["types"],
  isLastTurns: boolean,
): "done" | Want {
  const { view, state, rows } = part;
  const { log } = part.head;
  if (least === Infinity) return "done";
  const floor = floorOf(part, lane);
  let begin = Infinity;
  let isOlder = false;
  for (const { at, entry, position } of rows.values()) {
    if (position < floor) continue;
    if (at >= least) begin = Math.min(begin, position);
    else if (entry.turnId !== undefined) isOlder ||= !isHidden(state, view, entry, position);
  }
  if (log.late >= Math.min(begin, hiddenEnd)) return WHOLE;
  if (floor <= log.start && !shown.some(({ turn }) => turn === log.newest)) return WHOLE;
  if (isOlder && (!isLastTurns || hiddenEnd <= begin)) return "done";
  if (!isLastTurns) return floor === 0 ? WHOLE : { kind: "lane", lane };
  if (floor > hiddenEnd) return { kind: "lane", lane, from: hiddenEnd };
  return boundInHidden(part, hiddenEnd, types);
}

/** As `boundInView`, if the requested turns begin in the hidden part: the view must show no entry of these types there. */
function boundInHidden(
  part: ThreadPart,
  hiddenEnd: number,
  types: QueryClause["types"],
): "done" | Want {
  const { view, state, head, rows } = part;
  const [hidden, ...others] = state.hidden;
  const isMembers =
    view === "conversation" &&
    types?.every((type) => type === "user_message" || type === "assistant_message") === true;
  if (hidden === undefined || others.length > 0 || !isMembers || !isCountedView(part)) return WHOLE;
  if (hiddenEnd >= head.entryCount) return WHOLE;
  for (const { position, entry } of rows.values()) {
    const isBeside = position < hiddenEnd && types.includes(entry.type);
    if (isBeside && !isHidden(state, view, entry, position)) return WHOLE;
  }
  for (let at = 0; at < hidden[0]; at += 1)
    if (!rows.has(at)) return hidden[0] > FEW ? WHOLE : { kind: "lane", lane: "a", from: 0 };
  return "done";
}

/** The context in which core evaluates clauses, equal to that of the whole log; or what must be read first. */
function contextOf(question: Question): ClauseContext | Want {
  const { part, query, entries, turns } = question;
  const context = clauseContext(entries);
  const want = missingTasks(question, context);
  if (want !== undefined) return want;
  const turnOfId = new Map<string, number>();
  for (const { turn } of query.clauses) {
    if (turn === undefined || !("id" in turn)) continue;
    const found = turnIn(part.facts.turns, turn.id);
    turnOfId.set(turn.id, found === undefined ? -1 : numberInView(part, found.start, found.turn));
  }
  // Core numbers the turns of what was read from 0.
  return { ...context, turns, newestTurn: part.head.log.newest - (part.state.gone ?? 0), turnOfId };
}

/** What must be read to know under which tasks the entries were written that clauses ask for. */
function missingTasks(question: Question, { taskOf }: ClauseContext): Want | undefined {
  const { part, query, shown, entries, positions } = question;
  const { facts, head, rows } = part;
  const all = floorOf(part, "a");
  const asking = query.clauses.filter(asksForTasks);
  if (asking.length === 0) return undefined;
  let needsTask = false;
  for (const { underTaskFrom, underTaskFromRole, phases, beforePhase } of asking)
    needsTask ||= (underTaskFrom ?? underTaskFromRole ?? phases ?? beforePhase) !== undefined;
  const missing = new Set<string>();
  for (const [index, entry] of entries.entries()) {
    const { type, taskId, agent } = entry;
    const task = taskOf[index];
    const isByAgent = taskId === undefined && type !== "task" && agent !== undefined && all > 0;
    const isUnknown = taskId !== undefined && task === undefined && needsTask;
    if (!(isByAgent || isUnknown) || !isAbout(entry, index)) continue;
    if (isUnknown && !facts.askedTasks.has(taskId)) missing.add(taskId);
    // An entry's task is its agent's last one before it. It is known if it is at or after the floor, or the agent's last.
    const knownFrom = Math.min(all, lastTaskIn(facts, agent?.id) ?? all);
    const isKnown = task !== undefined && (positions[task] ?? 0) >= knownFrom;
    if (isByAgent && !isKnown && !isUnderNone(index)) return { kind: "lane", lane: "a" };
  }
  if (missing.size === 0) return undefined;
  for (const id of missing) facts.askedTasks.add(id);
  return { kind: "named", ids: [...missing] };

  /** Whether a clause with a task condition may show an entry. */
  function isAbout({ type, agent }: HistoryEntry, index: number): boolean {
    return asking.some(({ types, agent: one, turn, beforePhase }) => {
      const isOf =
        (types === undefined || types.includes(type)) && (one === undefined || one === agent?.id);
      if (beforePhase === undefined && !isOf) return false;
      if (turn === undefined) return true;
      const asked = "id" in turn ? turnIn(facts.turns, turn.id)?.turn : head.log.newest;
      return shown[index]?.turn === asked;
    });
  }

  /** Whether an entry was certainly not written under a requested task: it precedes the task, the task is another agent's, or all rows between them were read. */
  function isUnderNone(index: number): boolean {
    const position = positions[index] ?? 0;
    return (
      !needsTask &&
      asking.every(({ task, lastTask }) => {
        const at =
          task === undefined ? lastTaskIn(facts, lastTask?.of) : positionIn(facts.named, task);
        if (at === undefined || position < at) return true;
        const isRead = [...part.turns.values()].some(({ from, to }) => from <= at && position < to);
        const given = rows.get(at)?.entry;
        const isOthers = given !== undefined && given.agent?.id !== entries[index]?.agent?.id;
        return at >= 0 && (isOthers || all <= at || isRead);
      })
    );
  }
}

/** Attachments follow their messages: if a shown message was read by id only, the rows after it must be read too. */
function missingMessages(
  { part, entries, positions }: Question,
  isShown: readonly boolean[],
): Want | undefined {
  const first = entries.findIndex(
    (entry, index) => isShown[index] === true && entry.type === "user_message",
  );
  const position = positions[first];
  return position !== undefined && position < floorOf(part, "c")
    ? { kind: "lane", lane: "c", from: position }
    : undefined;
}

/** What must be read, unless the range or a limit excludes the missing rows. */
function missingRows(
  { part, entries, positions }: Question,
  pending: readonly ReadLane[],
  start: number,
  limit: number,
  asksAttached: boolean,
): Want | undefined {
  if (pending.length === 0) return undefined;
  const lane = leastRead(part, pending);
  const floor = floorOf(part, lane);
  const after = start === 0 ? undefined : (positions[start - 1] ?? -1);
  const isEnough =
    (limit > 0 && (positions[limit - 1] ?? -1) >= floor) ||
    (after !== undefined && after >= floor - 1);
  if (floor === 0 || (isEnough && !(asksAttached && hasLoneAttachment()))) return undefined;
  return after === undefined || after >= floor
    ? { kind: "lane", lane }
    : { kind: "lane", lane, from: after };

  /** Whether an attachment may be shown whose message was not read. */
  function hasLoneAttachment(): boolean {
    const ids = new Set(entries.map(({ id }) => id));
    return entries.some(
      (entry, index) => entry.type === "attachment" && index >= limit && !ids.has(entry.messageId),
    );
  }
}

/** Hides exchanges that are not shown whole; or returns what must be read first. */
function hideExchanges(
  { part, entries, positions }: Question,
  isShown: boolean[],
): Want | undefined {
  const parts = [...entries.keys()].filter((index) => {
    const type = entries[index]?.type;
    return isShown[index] === true && (type === "action" || type === "observation");
  });
  const [oldest] = parts;
  if (oldest === undefined) return undefined;
  const all = floorOf(part, "a");
  const position = positions[oldest] ?? 0;
  if (position < all) return { kind: "lane", lane: "a", from: position };
  const base = positions.findIndex((one) => one >= all);
  const suffix = entries.slice(base);
  const isNested = (entry: HistoryEntry): boolean =>
    entry.type === "action" && entry.toolCalls.some(({ callerId }) => callerId !== undefined);
  if (suffix.some(isNested)) return WHOLE;
  const pairing = pairCalls(suffix);
  const isBounded = part.top < part.head.entryCount;
  for (const index of parts) {
    const isAnswered = pairing.answers.get(index - base)?.includes(undefined) === false;
    if (entries[index]?.type === "observation") {
      if (all > 0 && !pairing.actionOf.has(index - base)) return { kind: "lane", lane: "a" };
    } else if (isBounded && !isAnswered) return { kind: "behind" };
  }
  hideCutExchanges(outermostActions(pairing), isShown, base);
  return undefined;
}

function indexOf(entries: readonly HistoryEntry[], id: string | undefined): number {
  if (id === undefined) return -1;
  const index = entries.findIndex((entry) => entry.id === id);
  if (index >= 0) return index;
  throw notFound("Expected `after` and `before` to be ids of entries of this history.", id);
}
