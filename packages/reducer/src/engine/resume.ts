import {
  findQuestion,
  groupExchanges,
  isRendered,
  messageRole,
  repairHistory,
  sameJson,
} from "@agent-history/core";
import type {
  Decision,
  Exchange,
  HistoryEntry,
  MessageRole,
  ReductionPlan,
  SingleEntry,
  StoppedBy,
  ToolCall,
} from "@agent-history/core";

import { isAnswer } from "./blocks.ts";
import type { Context } from "./context.ts";
import { askTest, turnTest } from "./horizon.ts";
import { plannedWindow } from "./limits.ts";
import { fixedAs, isDerived, isTrace } from "./parse.ts";
import { decisionsIn, isGone, isKeptBy, keptEntries, readPlan, recallsOf } from "./write.ts";

/** The part of an earlier plan that holds. */
export interface Held {
  readonly plan: ReductionPlan;
  readonly entries: readonly HistoryEntry[];
  readonly decisions: readonly Decision[];
  /** How many entries the decisions cover. */
  readonly planned: number;
  /** Entries before this index are unchanged. */
  readonly same: number;
  /** Whether the whole plan holds. */
  readonly isWhole: boolean;
  /** Whether anything was dropped after the part that holds. */
  readonly isReopened: boolean;
  /** The index from which the history was repaired. */
  readonly repairedFrom: number;
  /** The index of the first entry whose exchange may still grow. */
  readonly settledUntil: number;
}

/** Finds how far an earlier plan holds, or why it does not. */
export function resume(
  entries: readonly HistoryEntry[],
  previousPlan: ReductionPlan,
  context: Context,
): Held | StoppedBy {
  const { options } = context;
  const plan = readPlan(previousPlan, options.contentName);
  if (plan === undefined) return "damaged";
  const other = whyOther(plan, context);
  if (other !== undefined) return other;
  // Repairs must be repeated at each call.
  if (plan.repairs.length > 0) return "pairing";
  const held = hold(plan, entries, context);
  if (isBroken(held)) return "pairing";
  if (hasDoubledId(held, options.recheck === true)) return "duplicate-id";
  if (!keepsMore(held)) return "change";
  if (options.recheck === true && dropsNeeded(held, context)) return "dropped-needed";
  if (!isTorn(held, context) && isValid(held, context)) return held;
  // The last turn may now need what was dropped or shortened of it: use the plan only up to that turn.
  const back = backTo(held, lastTurn(held, context), context);
  return keepsMore(back) && isValid(back, context) ? back : "dropped-needed";
}

function whyOther(plan: ReductionPlan, context: Context): StoppedBy | undefined {
  const { options, view, requestTokens } = context;
  const recalls = recallsOf(plan);
  const quoted = recalls.reduce((sum, { tokens }) => sum + tokens, plan.requestTokens);
  const total = plan.decisions.reduce((sum, { tokensAfter }) => sum + tokensAfter, quoted);
  if (total !== plan.totalTokens) return "damaged";
  if (recalls.length > 0 && context.recall === undefined) return "recall";
  if (plan.counterId !== options.counter.id) return "counter";
  if (plan.view !== view) return "view";
  if (plan.viewer?.agentId !== options.viewer?.agentId) return "viewer";
  if (plan.requestTokens !== requestTokens) return "request";
  const isSameWindow = sameJson(plan.window, plannedWindow(options.window));
  return isSameWindow ? undefined : "window";
}

/** Returns whether a plan keeps more than the entries that every plan keeps. */
function keepsMore({ isWhole, decisions, entries }: Held): boolean {
  const kept = (): readonly HistoryEntry[] => keptEntries(entries, decisions, "keep", "edit");
  return isWhole || kept().some((entry) => fixedAs(entry) === undefined);
}

/** Returns whether an entry was dropped that is now pinned or the question. */
function dropsNeeded({ decisions, entries, planned }: Held, { options }: Context): boolean {
  const kept = new Set(keptEntries(entries, decisions, "keep", "edit"));
  const question = findQuestion(entries, options.viewer);
  return entries
    .slice(0, planned)
    .some((entry) => (fixedAs(entry) !== undefined || entry === question) && !kept.has(entry));
}

function backTo(held: Held, until: number, context: Context): Held {
  const { entries } = held;
  return {
    ...held,
    decisions: decisionsIn(held, [0, until], context.count),
    planned: until,
    isWhole: false,
    isReopened: true,
    repairedFrom: Math.min(held.repairedFrom, until),
    settledUntil: settledAt(entries, Math.min(held.settledUntil, until)),
  };
}

/** Returns whether the kept entries may precede the new ones. */
function isValid(held: Held, context: Context): boolean {
  const { entries, decisions, planned, isWhole } = held;
  const { viewer } = context.options;
  const roleOf = (entry: HistoryEntry): MessageRole => messageRole(entry, viewer);
  const isSaid = (entry: HistoryEntry): boolean => roleOf(entry) !== "system";
  const last = decisions.at(-1);
  const isCut = last !== undefined && isGone(last);
  const added = entries.slice(planned);
  if (added.length === 0 && isCut) return false;
  const edited = keptEntries(entries, decisions, "edit");
  const kept = keptEntries(entries, decisions, "keep", "edit");
  if (edited.length > 0) {
    const question = findQuestion([...kept, ...added], viewer);
    // A shortened request becomes the question again if the entries after it are removed, and any entry the newest one.
    if (question !== undefined && edited.includes(question)) return false;
    const newest = [...kept, ...added].findLast(isSaid);
    if (!isWhole && newest !== undefined && edited.includes(newest)) return false;
  }
  const [before, next] = [kept.findLast(isSaid), added.find(isSaid)];
  // What was dropped between two messages of one role kept them apart.
  if (before && next && roleOf(before) === roleOf(next) && roleOf(next) !== "tool") {
    const between = entries.slice(entries.lastIndexOf(before) + 1, planned).filter(isSaid);
    const isApart = between.some((entry) => roleOf(entry) !== roleOf(next));
    if (isApart && before.pinned !== true && next.pinned !== true) return false;
  }
  const isAsked = added.some((entry) => roleOf(entry) === "user");
  if (!isAsked || !decisions.some(isGone)) return true;
  // A prompt that lost entries may begin with an answer, but only until the next request.
  const first = kept.find(isSaid);
  return first === undefined || roleOf(first) === "user" || fixedAs(first) !== undefined;
}

/**
 * Returns whether the last turn of the plan lost something that it now needs: the question and the running exchange; or, if a new turn follows, a part of its
 * request, its answer, or what separates two messages of one role.
 */
function isTorn(held: Held, context: Context): boolean {
  const { entries, planned } = held;
  const { viewer } = context.options;
  const beginsTurn = turnTest(entries, viewer);
  const rest = entries.slice(planned);
  const next = rest.findIndex((_, nth) => beginsTurn(planned + nth));
  // A turn that only goes on has what it needs.
  if (next < 0 && held.isWhole) return false;
  const asks = askTest(entries, viewer);
  const start = lastTurn(held, context);
  const inTurn = decisionsIn(held, [start, planned], () => 0);
  const added = next < 0 ? rest : rest.slice(0, next);
  const kept = new Set([...keptEntries(entries.slice(start), inTurn, "keep", "edit"), ...added]);
  const turn = [...entries.slice(start, planned), ...added].filter(
    (entry) => isRendered(entry) && messageRole(entry, viewer) !== "system",
  );
  // An exchange with a pinned result is kept as a whole.
  const groups = groupExchanges(turn);
  const exempt = new Set(groups.map(entriesOf).filter(isHeld).flat());
  const isLost = (entry: HistoryEntry | undefined): boolean =>
    entry !== undefined && !kept.has(entry);
  if (next < 0) {
    const running = groups.filter(isRunning);
    return [turn.findLast(asks), ...running.flatMap((one) => one.entries)].some(isLost);
  }
  if (!turn.some((entry) => kept.has(entry) && !exempt.has(entry))) return false;
  if (isLost(turn.findLast((entry) => isAnswer(entry, viewer)))) return true;
  if (turn.some((entry) => asks(entry) && isLost(entry))) return true;
  let before: HistoryEntry | undefined;
  let isApart = false;
  for (const entry of turn) {
    const isRow = before && messageRole(before, viewer) === messageRole(entry, viewer);
    if (!kept.has(entry)) {
      isApart ||= isRow === false;
      continue;
    }
    const isTool = entry.type === "observation";
    if (before && isApart && isRow && !isTool && !exempt.has(before) && !exempt.has(entry))
      return true;
    before = entry;
    isApart = false;
  }
  return false;
}

function entriesOf(group: Exchange | SingleEntry): readonly HistoryEntry[] {
  return group.kind === "single" ? [group.entry] : group.entries;
}

function isHeld(entries: readonly HistoryEntry[]): boolean {
  return entries.some((entry) => fixedAs(entry) !== undefined || isDerived(entry));
}

function isRunning(group: Exchange | SingleEntry): group is Exchange {
  return group.kind === "exchange" && group.running;
}

/** Returns the index where the turn begins that may have grown: the last planned one, or one with an open call. */
function lastTurn({ entries, planned, settledUntil }: Held, context: Context): number {
  return turnStart(entries, Math.max(0, Math.min(planned - 1, settledUntil)), context);
}

/** Returns the decisions of a plan up to the first kept entry that has changed. */
export function hold(
  plan: ReductionPlan,
  entries: readonly HistoryEntry[],
  context: Context,
): Held {
  const isKept = isKeptBy(plan, context.options.contentName);
  const decisions: Decision[] = [];
  const groups = groupRuns(plan.decisions);
  let [index, kept, moved, nth] = [0, 0, 0, 0];
  for (const runs of groups) {
    const [first] = runs;
    const from = index;
    const end = runs.reduce((sum, { entryCount }) => sum + entryCount, index);
    if (!isGone(first)) {
      while (index < end && isKept(entries[index], kept)) {
        index += 1;
        kept += 1;
      }
      const held = { decisions: [first], entries: entries.slice(from, index) };
      for (const one of decisionsIn(held, [0, index - from], context.count)) decisions.push(one);
      if (index < end) break;
    } else if (standsAt(entries, index, runs)) {
      for (const run of runs) decisions.push(run);
      index = end;
    } else {
      const next = groups[nth + 1]?.[0];
      const left = leftOf(runs, next, index, { entries, context });
      if (left === undefined) break;
      if (left.entryCount > 0) decisions.push(left);
      index += left.entryCount;
      moved += index - end;
    }
    nth += 1;
  }
  const isWhole = nth === groups.length;
  const settled = Math.min(Math.max(0, plan.settledUntil + moved), index);
  return {
    plan,
    entries,
    decisions,
    planned: index,
    same: index,
    isWhole,
    isReopened: groups.slice(nth).some(([first]) => isGone(first)),
    repairedFrom: Math.max(0, Math.min(plan.repairedFrom, plan.repairedFrom + moved, index)),
    settledUntil: isWhole && moved === 0 ? settled : settledAt(entries, settled),
  };
}

type Runs = readonly [Decision, ...Decision[]];

/** Groups adjacent runs that were dropped. */
function groupRuns(decisions: readonly Decision[]): readonly Runs[] {
  const groups: [Decision, ...Decision[]][] = [];
  for (const decision of decisions) {
    const last = groups.at(-1);
    if (last !== undefined && isGone(last[0]) && isGone(decision)) last.push(decision);
    else groups.push([decision]);
  }
  return groups;
}

/** Returns whether dropped runs still begin and end with the same entries. */
function standsAt(entries: readonly HistoryEntry[], index: number, runs: Runs): boolean {
  let at = index;
  return runs.every(({ from, to, entryCount }) => {
    const isSame = entries[at]?.id === from && entries[at + entryCount - 1]?.id === to;
    at += entryCount;
    return isSame;
  });
}

/** Returns the index of the action that begins the exchange just before `index`, or `index` if there is none. Everything before it is settled. */
function settledAt(entries: readonly HistoryEntry[], index: number): number {
  let at = index;
  for (let entry = entries[at - 1]; entry && isTrace(entry); entry = entries[at - 1]) {
    at -= 1;
    const isCalled = callsOf(entry).some(({ callerId }) => callerId !== undefined);
    if (entry.type === "action" && !isCalled) break;
  }
  return at;
}

/** Returns the index where the turn of an entry begins, or `index` if it is past the end. */
function turnStart(entries: readonly HistoryEntry[], index: number, { options }: Context): number {
  const beginsTurn = turnTest(entries, options.viewer);
  let start = index;
  while (start > 0 && start < entries.length && !beginsTurn(start)) start -= 1;
  return start;
}

/** Finds the rest of dropped runs from which whole turns were removed. */
function leftOf(
  runs: Runs,
  next: Decision | undefined,
  index: number,
  { entries, context }: { readonly entries: readonly HistoryEntry[]; readonly context: Context },
): Decision | undefined {
  const end = entries.findIndex(({ id }, at) => at >= index && id === next?.from);
  const left = entries.slice(index, Math.max(index, end));
  const beginsTurn = turnTest(entries, context.options.viewer);
  const isPlain =
    runs.every(({ action }) => action.kind === "drop") &&
    left.every((entry) => entry.turnId === undefined && fixedAs(entry) === undefined);
  const isWhole = (index === 0 || beginsTurn(index)) && beginsTurn(end);
  const count = runs.reduce((sum, { entryCount }) => sum + entryCount, 0);
  // What was added before or after them was not dropped.
  const isMore = left[0]?.id !== runs[0].from || left.at(-1)?.id !== runs.at(-1)?.to;
  if (end < 0 || !isPlain || !isWhole || (isMore && left.length > count)) return undefined;
  const tokens = runs.reduce((sum, { tokensBefore }) => sum + tokensBefore, 0);
  return {
    ...runs[0],
    from: left[0]?.id ?? "",
    to: left.at(-1)?.id ?? "",
    entryCount: left.length,
    tokensBefore: Math.round((tokens / Math.max(1, count)) * left.length),
    estimated: true,
  };
}

function callsOf(entry: HistoryEntry): readonly ToolCall[] {
  return entry.type === "action" ? entry.toolCalls : [];
}

/** Returns whether calls and results after the settled part do not pair, or a settled call made one of the new calls. */
function isBroken({ entries, settledUntil, planned, decisions }: Held): boolean {
  const open = entries.slice(settledUntil);
  if (!open.some(isTrace)) return false;
  const callers = new Set(
    open.flatMap((entry) => callsOf(entry).flatMap(({ callerId }) => callerId ?? [])),
  );
  for (const entry of open) for (const { id } of callsOf(entry)) callers.delete(id);
  const isCaller = ({ id, callerId }: ToolCall): boolean =>
    callers.has(id) || (callerId !== undefined && callers.has(callerId));
  if (callers.size > 0 && planned < entries.length) {
    const settled = keptEntries(entries.slice(0, settledUntil), decisions, "keep", "edit");
    if (settled.some((entry) => callsOf(entry).some(isCaller))) return true;
  }
  return repairHistory(open).repairs.length > 0;
}

/** Returns whether a new entry has the id of a kept one or of another new one. */
function hasDoubledId({ entries, planned, decisions }: Held, isWholeLog: boolean): boolean {
  if (planned >= entries.length) return false;
  if (isWholeLog && new Set(entries.map(({ id }) => id)).size < entries.length) return true;
  const added = entries.slice(planned);
  const kept = keptEntries(entries, decisions, "keep", "edit");
  const ids = new Set(added.map(({ id }) => id));
  return ids.size < added.length || kept.some(({ id }) => ids.has(id));
}
