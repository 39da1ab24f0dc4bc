import type { HistoryEntry, HistoryQuery, PhaseId, QueryClause } from "@agent-history/core";
import { outermostActions, pairCalls } from "@agent-history/core";
import {
  firstWithinLimits,
  hideCutExchanges,
  selectPage,
  shownByClauses,
} from "@agent-history/core/kit";
import type { ClauseContext, SelectedPage } from "@agent-history/core/kit";

import { notFound } from "./head.ts";
import type { LoadedRow } from "./stored-log.ts";
import {
  agentKey,
  asksForTasks,
  floorOf,
  isWholePart,
  lanesOf,
  shownBy,
  WHOLE,
} from "./thread-part.ts";
import type { QueryNeeds, ReadLane, Shown, ThreadPart, Want } from "./thread-part.ts";
import { isHidden } from "./views.ts";

/** What items say of the whole log. */
export interface LogFacts {
  readonly turnStart: (id: string) => number;
  readonly turn: (id: string) => number | undefined;
  /** Where the last task of an agent stands; -1 if that is not known. */
  readonly lastTask: (key: string) => number | undefined;
  readonly positionOf: (id: string) => number | undefined;
  /** Tasks that were looked up by name: what was not found does not exist. */
  readonly askedTasks: Set<string>;
  /** Rows of tasks that were looked up: what was not found cannot be read. */
  readonly askedRows: Set<number>;
}

/** How many rows at the beginning are read for the sake of a count of turns. */
const FEW = 64;

/** A query on a part of a thread. */
interface Question {
  readonly part: ThreadPart;
  readonly query: HistoryQuery;
  readonly needs: QueryNeeds;
  readonly facts: LogFacts;
  readonly shown: readonly Shown[];
  readonly entries: readonly HistoryEntry[];
  readonly positions: readonly number[];
  /** The turns of the log; a summary has none. */
  readonly turns: readonly number[];
  readonly countEntry: (entry: HistoryEntry) => number | undefined;
  readonly hasOverlays: boolean;
  /** The end of what the view hides. */
  readonly hiddenEnd: number;
}

/**
 * Answers a query from a part of a thread by core's own functions, or says what must be read first. The part answers a clause if an older turn's row was read, or the task it asks for, or the
 * beginning; and the whole query if its limit cuts above what is missing.
 */
export function answerQuery(
  part: ThreadPart,
  query: HistoryQuery,
  needs: QueryNeeds,
  facts: LogFacts,
): SelectedPage | Want {
  const shown = shownBy(part);
  const entries = shown.map(({ entry }) => entry);
  const countEntry = countedIn(part);
  if (isWholePart(part)) return selectPage(entries, query, { countEntry });
  // Turns are counted by what is left.
  if (needs.usesTurns && part.head.erased !== undefined) return WHOLE;
  const { hidden } = part.state;
  return answerPart({
    part,
    query,
    needs,
    facts,
    shown,
    entries,
    positions: shown.map(({ position }) => position),
    turns: shown.map(({ row }) => (row === undefined ? -Infinity : numberInView(part, row))),
    countEntry,
    hasOverlays: hidden.length > 0,
    hiddenEnd: (hidden.at(-1)?.[1] ?? -1) + 1,
  });
}

function answerPart(question: Question): SelectedPage | Want {
  const { part, query, entries } = question;
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
  const messages = missingMessages(question, isShown);
  if (messages !== undefined) return messages;
  const start = indexOf(entries, query.after) + 1;
  const end = query.before === undefined ? entries.length : indexOf(entries, query.before);
  const { countEntry } = question;
  const limit = firstWithinLimits(entries, isShown.slice(0, end), query, countEntry);
  const more = missingRows(question, pending, start, limit);
  if (more !== undefined) return more;
  const isCut = isShown.slice(start, limit).includes(true);
  isShown.fill(false, 0, Math.max(start, limit)).fill(false, end);
  const oldest = isShown.indexOf(true);
  if (query.wholeExchanges === true) {
    const want = hideExchanges(question, isShown);
    if (want !== undefined) return want;
  }
  const next = isCut && oldest >= 0 ? entries[oldest]?.id : undefined;
  const selected = entries.filter((_, index) => isShown[index]);
  return { entries: selected, ...(next !== undefined && { next }) };
}

/** The number of a row's turn among those that the view shows; of the log, where turns that are hidden whole were not counted. */
function numberInView(
  { state: { hidden, gone = 0 } }: ThreadPart,
  { position, turn }: Pick<LoadedRow, "position" | "turn">,
): number {
  return position < (hidden[0]?.[0] ?? Infinity) ? turn : turn - gone;
}

/** Counts an entry by the highest count that is stored beside it. */
function countedIn({ rows }: ThreadPart): (entry: HistoryEntry) => number | undefined {
  let counts: Map<HistoryEntry, number> | undefined;
  return (entry) => {
    counts ??= new Map(
      [...rows.values()].flatMap(({ entry: one, tokens }) =>
        tokens.length === 0
          ? []
          : [[one, tokens.reduce((most, [, count]) => Math.max(most, count), 0)] as const],
      ),
    );
    return counts.get(entry);
  };
}

/** The lane of which most is missing. */
function leastRead(part: ThreadPart, lanes: readonly ReadLane[]): ReadLane {
  return lanes.toSorted((one, other) => floorOf(part, other) - floorOf(part, one))[0] ?? "a";
}

/** Whether all that a clause may show was read; `pending` if only a limit may make that so. */
function boundOf(
  question: Question,
  clause: QueryClause,
  lane: ReadLane,
): "done" | "pending" | Want {
  const { part, query, facts, hasOverlays } = question;
  const { types, standsInView, turn, lastTurns, lastTask, task, phases, beforePhase } = clause;
  const { log } = part.head;
  // A summary is of the turn that it stands in.
  const asksSummaries =
    hasOverlays &&
    (types === undefined || types.includes("summary")) &&
    (turn ?? lastTurns ?? phases) !== undefined;
  const isUncounted = hasOverlays && (lastTurns?.stride ?? 1) > 1 && !isCountedView(part);
  const floor = floorOf(part, lane);
  const isOfAll = turn === undefined && lastTurns === undefined && beforePhase !== undefined;
  const asksPhases = phases !== undefined && hasOverlays;
  if (standsInView !== undefined || asksSummaries || isUncounted || asksPhases) return WHOLE;
  if (isOfAll && floor > 0) return WHOLE;
  let ofTask: number | undefined;
  if (task !== undefined) ofTask = facts.positionOf(task);
  else if (lastTask !== undefined) ofTask = facts.lastTask(agentKey(lastTask.of));
  if (lastTask !== undefined) {
    const found = lastTaskBound(question, ofTask);
    if (found !== undefined) return found;
  }
  if (floor === 0 && !(hasOverlays && question.needs.usesTurns)) return "done";
  const least = leastTurn(question, clause);
  if (least === undefined) {
    if (ofTask === undefined) return "pending";
    return floorOf(part, "a") <= ofTask ? "done" : { kind: "lane", lane: "a", from: ofTask };
  }
  if (least <= 0) return hasOverlays || beforePhase !== undefined ? WHOLE : "pending";
  if (hasOverlays) return boundInView(question, lane, least, types, turn === undefined);
  let begin = 0;
  if (turn !== undefined) begin = "id" in turn ? facts.turnStart(turn.id) : log.start;
  // What is written under a task stands behind it.
  const isByTask = lastTurns === undefined && beforePhase === undefined;
  const from = Math.max(begin, isByTask ? (ofTask ?? 0) : 0);
  if (turn !== undefined && least < log.newest && floor > from) {
    const read = part.turns.get(least);
    if (read?.isRead !== true) return { kind: "turn", turn: least, from: begin };
    if (log.late < read.to) return "done";
  }
  if (least === Infinity || reaches(part, lane, least) || (from > 0 && floor <= from))
    return "done";
  const isUnlimited = [query.maxEntries, query.maxTokens, query.maxBytes].every(
    (limit) => limit === undefined,
  );
  return from > 0 && isUnlimited ? { kind: "lane", lane, from } : { kind: "lane", lane };
}

/** What a clause about the last task says by itself; `undefined` if its rows say more. */
function lastTaskBound(
  { part, facts }: Question,
  ofTask: number | undefined,
): "done" | Want | undefined {
  if (ofTask === undefined) return "done";
  if (ofTask < 0) return WHOLE;
  const row = part.rows.get(ofTask);
  if (row === undefined) {
    if (facts.askedRows.has(ofTask)) return WHOLE;
    facts.askedRows.add(ofTask);
    return { kind: "row", at: ofTask };
  }
  const { view, state } = part;
  return view !== undefined && isHidden(state, view, row.entry, ofTask) ? WHOLE : undefined;
}

/** The oldest turn that a clause asks for; `undefined` if it does not ask by turns, `Infinity` for none. */
function leastTurn(
  { part, facts }: Question,
  { turn, lastTurns }: QueryClause,
): number | undefined {
  const { newest } = part.head.log;
  if (turn !== undefined) return "id" in turn ? (facts.turn(turn.id) ?? Infinity) : newest;
  if (lastTurns === undefined) return undefined;
  const { count, stride = 1 } = lastTurns;
  const { gone = 0 } = part.state;
  const least = Math.ceil((newest - gone + 1 - count) / stride) * stride + gone;
  return count === 0 ? Infinity : least;
}

/** Whether the turns that the view hides are counted, and its summaries are of no turn of their own. */
function isCountedView({ state, summaries, head }: ThreadPart): boolean {
  const isBeside = summaries.every(({ turnId }) => turnId === undefined);
  return state.gone !== undefined && head.log.late < 0 && isBeside;
}

/** Whether a row of an older turn was read, so that all of a turn were. */
function reaches(part: ThreadPart, lane: ReadLane, least: number): boolean {
  const floor = floorOf(part, lane);
  for (const { position, at } of part.rows.values())
    if (position >= floor && at < least) return true;
  return false;
}

/** The same if summaries hide a part: turns are counted by what is shown. */
function boundInView(
  question: Question,
  lane: ReadLane,
  least: number,
  types: QueryClause["types"],
  isLastTurns: boolean,
): "done" | Want {
  const { part, shown, hiddenEnd } = question;
  const { view, state } = part;
  const { log } = part.head;
  if (least === Infinity) return "done";
  const floor = floorOf(part, lane);
  const read = [...part.rows.values()].filter(({ position }) => position >= floor);
  const begin = read.reduce(
    (first, { at, position }) => (at >= least ? Math.min(first, position) : first),
    Infinity,
  );
  const isOlder = read.some(
    ({ at, entry, position }) =>
      at < least &&
      entry.turnId !== undefined &&
      view !== undefined &&
      !isHidden(state, view, entry, position),
  );
  const regularFrom = Math.min(begin, hiddenEnd);
  if (log.late >= regularFrom) return WHOLE;
  if (floor <= log.start && !shown.some(({ row }) => row?.turn === log.newest)) return WHOLE;
  if (isOlder && (!isLastTurns || hiddenEnd <= begin)) return "done";
  if (!isLastTurns) return floor === 0 ? WHOLE : { kind: "lane", lane };
  if (floor > hiddenEnd) return { kind: "lane", lane, from: hiddenEnd };
  return boundInHidden(question, types);
}

/** The turns that are asked for begin among what is hidden: nothing else of these types may stand there. */
function boundInHidden({ part, hiddenEnd }: Question, types: QueryClause["types"]): "done" | Want {
  const { view, state, head } = part;
  if (!isCountedView(part)) return WHOLE;
  const [hidden, ...others] = state.hidden;
  const isMembers =
    view === "conversation" &&
    types?.every((type) => type === "user_message" || type === "assistant_message") === true;
  if (hidden === undefined || others.length > 0 || !isMembers || hiddenEnd >= head.entryCount)
    return WHOLE;
  for (const { position, entry } of part.rows.values()) {
    const isBeside = position < hiddenEnd && types.includes(entry.type);
    if (isBeside && !isHidden(state, "conversation", entry, position)) return WHOLE;
  }
  for (let at = 0; at < hidden[0]; at += 1)
    if (part.rows.get(at) === undefined)
      return hidden[0] > FEW ? WHOLE : { kind: "lane", lane: "a", from: 0 };
  return "done";
}

/** What clauses ask of entries, as core works it out from a whole log; or what must be read to know it. */
function contextOf(question: Question): ClauseContext | Want {
  const { part, needs, facts, entries, turns } = question;
  const taskOf = needs.usesTasks ? tasksOf(question) : [];
  if ("kind" in taskOf) return taskOf;
  const phases = entries.map((entry, index): PhaseId | undefined => {
    const task = taskOf[index];
    const isSameTurn = task !== undefined && turns[task] === turns[index];
    return entry.phaseId ?? (isSameTurn ? entries[task]?.phaseId : undefined);
  });
  const lastTaskOf = new Map<string | undefined, number>();
  for (const [index, { type, agent }] of entries.entries())
    if (type === "task") lastTaskOf.set(agent?.id, index);
  const places = {
    numbers: new Map(needs.turns.map((turn) => [turn, turnInView(turn)])),
    lastTaskOf,
    lastTask: entries.findLastIndex(({ type }) => type === "task"),
  };
  const { gone = 0 } = part.state;
  return { entries, turns, newestTurn: part.head.log.newest - gone, taskOf, phases, places };

  function turnInView(id: string): number {
    const [position, turn] = [facts.turnStart(id), facts.turn(id)];
    return turn === undefined ? -1 : numberInView(part, { position, turn });
  }
}

/** For each entry its task; or what must be read to know it. */
function tasksOf(question: Question): (number | undefined)[] | Want {
  const { part, query, facts, shown, entries, positions } = question;
  const all = floorOf(part, "a");
  const asking = query.clauses.filter(asksForTasks);
  const needsTask = asking.some(
    ({ underTaskFrom, underTaskFromRole, phases, beforePhase }) =>
      (underTaskFrom ?? underTaskFromRole ?? phases ?? beforePhase) !== undefined,
  );
  const isAbout = ({ type, agent }: HistoryEntry, index: number): boolean =>
    asking.some(({ types, agent: one, turn, beforePhase }) => {
      const isOf =
        (types === undefined || types.includes(type)) && (one === undefined || one === agent?.id);
      if (beforePhase === undefined && !isOf) return false;
      const asked = turn && "id" in turn ? facts.turn(turn.id) : part.head.log.newest;
      return turn === undefined || shown[index]?.row?.turn === asked;
    });
  const byId = new Map<string, number>();
  const last = new Map<string, number>();
  const found: (number | undefined)[] = [];
  const missing = new Set<string>();
  for (const [index, entry] of entries.entries()) {
    const { id, type, taskId, agent } = entry;
    let task: number | undefined;
    if (taskId !== undefined) task = byId.get(taskId);
    else if (type !== "task" && agent !== undefined) task = last.get(agent.id);
    if (type === "task") byId.set(id, index);
    if (type === "task" && agent !== undefined) last.set(agent.id, index);
    found.push(task);
    if (!isAbout(entry, index)) continue;
    if (taskId === undefined) {
      const isByAgent = type !== "task" && agent !== undefined && all > 0;
      // The agent's task is the one before it: known from the floor on, or if it is the agent's last.
      const knownFrom = Math.min(all, facts.lastTask(agentKey(agent?.id)) ?? all);
      const isKnown = task !== undefined && (positions[task] ?? 0) >= knownFrom;
      if (isByAgent && !isKnown && !isUnderNone(index)) return { kind: "lane", lane: "a" };
    } else if (task === undefined && needsTask && !facts.askedTasks.has(taskId))
      missing.add(taskId);
  }
  if (missing.size === 0) return found;
  for (const id of missing) facts.askedTasks.add(id);
  return { kind: "named", ids: [...missing] };

  /** Whether an entry is surely not written under a task that is asked for: it stands before that, is another agent's, or all between them was read. */
  function isUnderNone(index: number): boolean {
    if (needsTask) return false;
    const position = positions[index] ?? 0;
    return asking.every(({ task, lastTask }) => {
      const at =
        task === undefined ? facts.lastTask(agentKey(lastTask?.of)) : facts.positionOf(task);
      if (at === undefined || position < at) return true;
      const isRead = [...part.turns.values()].some(({ from, to }) => from <= at && position < to);
      const given = part.rows.get(at)?.entry;
      const isOthers = given !== undefined && given.agent?.id !== entries[index]?.agent?.id;
      return at >= 0 && (isOthers || all <= at || isRead);
    });
  }
}

/** Attachments stand behind their messages; those of messages that were read by name may not be there. */
function missingMessages(
  { part, query, entries, positions }: Question,
  isShown: readonly boolean[],
): Want | undefined {
  if (!asksAttached(query)) return undefined;
  const first = entries.findIndex(
    (entry, index) => isShown[index] === true && entry.type === "user_message",
  );
  const position = positions[first];
  return position !== undefined && position < floorOf(part, "c")
    ? { kind: "lane", lane: "c", from: position }
    : undefined;
}

function asksAttached({ clauses }: HistoryQuery): boolean {
  return clauses.some(({ attachedToShown }) => attachedToShown === true);
}

/** What must be read unless the range or a limit cuts above what is missing. */
function missingRows(
  { part, query, entries, positions }: Question,
  pending: readonly ReadLane[],
  start: number,
  limit: number,
): Want | undefined {
  const floor = pending.reduce((most, lane) => Math.max(most, floorOf(part, lane)), 0);
  if (floor === 0) return undefined;
  const isEnough =
    (limit > 0 && (positions[limit - 1] ?? -1) >= floor) ||
    (start > 0 && (positions[start - 1] ?? -1) >= floor - 1);
  if (isEnough && !(asksAttached(query) && hasLoneAttachment())) return undefined;
  const lane = leastRead(part, pending);
  const after = start === 0 ? undefined : positions[start - 1];
  return after === undefined || after >= floor
    ? { kind: "lane", lane }
    : { kind: "lane", lane, from: after };

  /** An attachment may be shown for a message that was not read. */
  function hasLoneAttachment(): boolean {
    const ids = new Set(entries.map(({ id }) => id));
    return entries.some(
      (entry, index) => entry.type === "attachment" && index >= limit && !ids.has(entry.messageId),
    );
  }
}

/** Hides exchanges that are not shown whole; or says what must be read to know them. */
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
  if (part.head.log.nested >= all) return WHOLE;
  const base = positions.findIndex((one) => one >= all);
  const pairing = pairCalls(entries.slice(base));
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
