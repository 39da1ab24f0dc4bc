import { throwIfAborted } from "@agent-history/core";
import type { EntryRun } from "@agent-history/core";
import { hasMedia } from "@agent-history/core/kit";

import { editEntry } from "../edit-entry.ts";
import { stepFailed } from "../internal/check-options.ts";
import { textOfEntry } from "../internal/text-of-entry.ts";
import { STEP_NAMES } from "../reduction-step.ts";
import type {
  ReductionProposal,
  ReductionStep,
  ReductionUnit,
  StepName,
} from "../reduction-step.ts";
import { isAnswer, LAST, mustStay } from "./blocks.ts";
import { askFailed } from "./context.ts";
import { isDerived } from "./parse.ts";
import { leaveOutReasoning } from "./reasoning.ts";
import {
  capResult,
  CONDENSED,
  drop,
  edit,
  FIRST,
  GIVEN,
  guessOf,
  isGone,
  leave,
  leavePiece,
  shorten,
  setForm,
  takeBack,
  wasCondensed,
  worthOf,
} from "./room.ts";
import type { Change, Room } from "./room.ts";
import { LAST as LAST_RESORT, LAST_RESORTS, STEPS } from "./steps.ts";
import type { Because, Member, Piece, Unit } from "./unit.ts";

const NEWEST = { step: "cap-newest", reason: "exceeds the limit for one entry" };
const EDGE = {
  step: "shorten-edge",
  reason: "the oldest request and answer, shortened to fit",
};

/** Reduces until at most `target` tokens are used, least destructive first, then undoes what turned out to be needless. Does nothing if everything fits. */
export function makeRoom(room: Room, target: number): void {
  const { budget } = room.context;
  if (fitsNow(room) || leaveOutReasoning(room)) return;
  const newest = room.reading.units.findLast(isNewestToShorten);
  const { cap } = room.context;
  if (newest?.isProtected === true && newest.tokens > cap) {
    shorten(room, newest.members, { room: cap, because: NEWEST });
  }
  runSteps(room, target);
  if (room.total > budget) giveAll(room);
  do undoNeedless(room, Math.max(target, 0));
  while (settle(room));
  // A result that lost its sources has a cap.
  for (const { members } of room.reading.units)
    for (const member of members) capResult(room, member);
}

/** Returns whether everything fits unchanged. */
export function fitsNow(room: Room): boolean {
  return room.total <= room.context.cutAbove;
}

const SHORTENED: ReadonlySet<string> = new Set([
  "action",
  "observation",
  "assistant_message",
  "attachment",
  "final",
  "synthesis",
]);

/** Returns whether a unit is the newest entry, of a type that may be shortened. */
function isNewestToShorten({ protectedAs, entries }: Unit): boolean {
  return protectedAs === "newest entry" && entries.every(({ type }) => SHORTENED.has(type));
}

/** Returns whether a last resort may shorten a unit that must stay: the newest entry, or a request that others need. */
function mayShrink(unit: Unit): boolean {
  return isNewestToShorten(unit) || unit.isLead;
}

/** Returns how many tokens a last resort can save in a unit that must stay. */
export function spareOf(room: Room, unit: Unit): number {
  return (mayShrink(unit) ? unit.members : []).reduce((sum, { entry, edited, tokens }) => {
    const change = { ...edited?.edit, text: { head: 0, tail: 0 } };
    return sum + Math.max(0, tokens - room.context.count(editEntry(entry, change)));
  }, 0);
}

/** Steps that edit results. A caller's step that spares units does this itself. */
const OF_RESULTS: ReadonlySet<string> = new Set<StepName>([
  "shrink-old-results",
  "clear-old-results",
  "shrink-this-turn",
]);

/** Runs built-in steps and the caller's, in order, until at most `target` tokens are used; last resorts only until everything fits. */
function runSteps(room: Room, target: number): void {
  const { budget, options } = room.context;
  const { steps = [], without = [] } = options;
  const all = room.reading.units.filter(({ isOut }) => !isOut);
  const spared = new Set<ReductionUnit>(steps.flatMap(({ spare }) => spare?.(all) ?? []));
  // Also spare what can only be dropped with a spared unit.
  const held = new Set(all.flatMap((unit) => (spared.has(unit) ? unit.piece : [])));
  for (const piece of held) for (const one of piece.needs) held.add(one);
  const free = all.filter(({ piece }) => !held.has(piece));
  for (const name of STEP_NAMES) {
    for (const step of steps) {
      if ((step.before ?? STEP_NAMES[0]) === name) runOwn(room, step, target);
    }
    if (spared.size === 0 || !(LAST_RESORTS.has(name) || OF_RESULTS.has(name))) {
      run(name, free, LAST_RESORTS.has(name) ? budget : target);
    }
  }
  if (spared.size > 0) for (const name of STEP_NAMES) run(name, all, budget);

  function run(name: StepName, units: readonly Unit[], goal: number): void {
    if (room.total <= goal || without.includes(name)) return;
    throwIfAborted(options.signal);
    STEPS[name]({ name, room, units, goal });
  }
}

/** Runs a caller's step and applies its proposals. */
function runOwn(room: Room, step: ReductionStep, goal: number): void {
  const { context, reading } = room;
  const { signal } = context.options;
  const { name } = step;
  const units = reading.units.filter(({ isOut }) => !isOut);
  const excess = room.total - goal;
  if (excess <= 0) return;
  const members = units.flatMap((unit) => unit.members);
  const memberOf = new Map(members.map((member) => [member.entry, member]));
  const unitOf = ({ entries: [first] }: ReductionUnit): Unit | undefined =>
    first && memberOf.get(first)?.unit;
  const summaries = [...room.earlier.values()].flatMap(({ action }) =>
    action.kind === "summarize" ? [action.summary] : [],
  );
  const { question } = reading;
  const need = { budget: context.budget, excess, question, summaries, signal };
  try {
    const proposals = context.ask(() => step.propose(units, need));
    if (!isProposals(proposals)) throw stepFailed(name, "proposed no list");
    for (const proposal of proposals) {
      throwIfAborted(signal);
      take(proposal, { step: name, reason: proposal.reason });
      if (room.total <= goal) return;
    }
  } catch (cause) {
    throw askFailed(name, cause, signal);
  }

  /** Ignores an entry or unit that is not in the reading. */
  function take(proposal: ReductionProposal, because: Because): void {
    if (proposal.kind === "skip") room.skipped.push(because);
    else if (proposal.kind === "edit") {
      const member = memberOf.get(proposal.entry);
      if (member !== undefined) edit(room, member, proposal.edit, because);
    } else if (proposal.kind === "drop") {
      const unit = unitOf(proposal.unit);
      if (unit !== undefined) drop(room, unit, because);
    } else {
      const covered = new Set(proposal.units.flatMap((unit) => unitOf(unit) ?? []));
      summarize(room, covered, proposal, because);
    }
  }
}

function isProposals(given: unknown): given is Iterable<ReductionProposal> {
  return typeof given === "object" && given !== null && Symbol.iterator in given;
}

/** Replaces whole pieces, with everything that depends on them, by a summary, and records what it covers. */
function summarize(
  room: Room,
  named: ReadonlySet<Unit>,
  { summary: given, replaces = [] }: Extract<ReductionProposal, { readonly kind: "summarize" }>,
  because: Because,
): void {
  const isCovered = ({ units: own, dependents, last }: Piece): boolean =>
    last === 0 &&
    own.every((unit) => named.has(unit) || unit.isDropped) &&
    dependents.every(isCovered);
  const whole = new Set(room.reading.pieces.filter(isCovered));
  const covered = room.reading.units.filter(
    (unit) => named.has(unit) && !unit.isDropped && whole.has(unit.piece),
  );
  const standing = [...room.earlier].filter(([, { action }]) => {
    return action.kind === "summarize" && replaces.some(({ id }) => id === action.summary.id);
  });
  const replaced = standing.flatMap(([, { action, from, to }]) =>
    action.kind === "summarize" ? (action.summary.covers ?? [{ from, to }]) : [],
  );
  const summary = { ...given, covers: [...replaced, ...runsOf(covered)] };
  const tokensAfter = room.context.count(summary);
  const freed = standing.reduce((sum, [, decision]) => sum + decision.tokensAfter, 0);
  const saved = covered.reduce((sum, { tokens }) => sum + tokens, freed);
  if (covered.length === 0) return;
  if (saved < tokensAfter && covered.length === named.size) {
    throw stepFailed(because.step, `replaced ${saved} tokens by ${tokensAfter}`);
  }
  if (saved < tokensAfter) {
    room.skipped.push({ ...because, reason: "a summary of parts of turns would save nothing" });
    return;
  }
  for (const [at, decision] of standing)
    room.earlier.set(at, { ...decision, ...because, action: { kind: "drop" }, tokensAfter: 0 });
  for (const [nth, unit] of covered.entries()) {
    leave(room, unit, because);
    unit.summary = { action: { kind: "summarize", summary }, tokensAfter, isFirst: nth === 0 };
  }
  room.total += tokensAfter - freed;
}

/** Returns the runs of adjacent entries in units. */
function runsOf(units: readonly Unit[]): readonly EntryRun[] {
  const runs: { from: string; to: string }[] = [];
  let next = -1;
  for (const { entries, position } of units) {
    const [from, to] = [entries[0]?.id ?? "", entries.at(-1)?.id ?? ""];
    const last = runs.at(-1);
    if (last !== undefined && position === next) last.to = to;
    else runs.push({ from, to });
    next = position + entries.length;
  }
  return runs;
}

const LOOSE = { ...GIVEN, reason: "removed before requests and answers" };
/** Texts with at most this many tokens do not become shorter with a marker. */
const LEAST_TOKENS = 8;

/** Pieces that are dropped only if nothing else is left, in the order of dropping. */
function heldPieces({ reading }: Room): readonly Piece[] {
  const held = reading.pieces.filter(({ last }) => last > 0 && last < LAST.never);
  return held.toSorted((one, other) => one.last - other.last);
}

/**
 * Reduces what no step may: shortens the newest entry and what must stay around it together; while that is not enough, drops the least important held piece.
 */
function giveAll(room: Room): void {
  const { budget } = room.context;
  const { units, pieces } = room.reading;
  // The first request goes last, so that it is the first to return.
  const loose = pieces
    .filter(({ last }) => last < 1)
    .toSorted((one, other) => one.last - other.last);
  for (const piece of loose) leavePiece(room, piece, LOOSE);
  if (room.total > budget) for (const unit of units) leaveSummary(room, unit);
  const held = heldPieces(room);
  for (const [nth, piece] of [undefined, ...held].entries()) {
    if (room.total <= budget) return;
    if (piece !== undefined) leavePiece(room, piece, GIVEN);
    // With many messages, try to shorten the rest only after 1, 2, 4, … drops.
    if (nth > 0 && nth < held.length && Math.log2(nth) % 1 !== 0) continue;
    const left = units.filter(
      (unit) => !unit.isDropped && (mayShrink(unit) || unit.piece.last < LAST.never),
    );
    const most = left.reduce((sum, { tokens }) => sum + tokens, budget - room.total);
    const members = left.flatMap((unit) => unit.members);
    const isLong = members.some(({ whole }) => whole > LEAST_TOKENS);
    if (isLong && shorten(room, members, { room: most, because: GIVEN })) return;
  }
  shrinkKept(room);
}

/**
 * Pins and the last drops can separate what belongs together. Drops an answer whose requests were dropped, and one of two adjacent messages of one role that
 * were not adjacent before, for good.
 *
 * @returns Whether one of two adjacent messages was dropped, so that others may now fit.
 */
function settle(room: Room): boolean {
  const { viewer } = room.context.options;
  let hasFreed = false;
  const kept: Unit[] = [];
  let isApart = false;
  for (const unit of room.spoken) {
    const isBereft =
      unit.row.length > 0 &&
      unit.entries.some((entry) => isAnswer(entry, viewer)) &&
      unit.row.every(({ isDropped }) => isDropped);
    if (isBereft) leavePiece(room, unit.piece, GIVEN);
    let before = kept.at(-1);
    if (unit.isDropped) {
      isApart ||= before !== undefined && unit.opens !== before.closes;
      continue;
    }
    const isExempt = [before, unit].some(
      (one) => one?.protectedAs === "pinned" || one?.entries.some(isDerived) === true,
    );
    if (isApart && !isExempt && before?.closes === unit.opens && unit.opens !== "tool") {
      const going = [before, unit].find((one) => !mustStay(one));
      if (going !== undefined) {
        leavePiece(room, going.piece, GIVEN);
        going.isOut = true;
        hasFreed = true;
      }
    }
    while (before?.isDropped === true) {
      kept.pop();
      before = kept.at(-1);
    }
    if (unit.isDropped) continue;
    kept.push(unit);
    isApart = false;
  }
  return hasFreed;
}

/** Removes the summary that replaced a unit. */
function leaveSummary(room: Room, unit: Unit): void {
  if (unit.summary === undefined) return;
  if (unit.summary.isFirst) room.total -= unit.summary.tokensAfter;
  delete unit.summary;
  unit.because = GIVEN;
}

/** Shortens what stays only in part, the newest entry and requests that others need, to the room that everything else leaves. */
export function shrinkKept(room: Room): void {
  const kept = room.reading.units.filter((unit) => !unit.isDropped && mayShrink(unit));
  // Estimates for media were lowered: such an entry cannot be counted again.
  const members = kept.flatMap((unit) => unit.members.filter(({ current }) => !hasMedia(current)));
  const tokens = members.reduce((sum, member) => sum + member.tokens, 0);
  const most = tokens + room.context.budget - room.total;
  if (most < tokens) shorten(room, members, { room: most, because: GIVEN });
}

/**
 * Undoes what turned out to be needless, last change first, while it fits. Without scores, no turn before the first one that stays dropped returns, so that
 * there are no gaps; that one returns shortened if a third of it fits.
 */
function undoNeedless(room: Room, target: number): void {
  const { budget, options } = room.context;
  const isScored = options.scorer !== undefined;
  const kept: Change[] = [];
  let [hasGap, isLate] = [false, false];
  for (const change of room.changes.toReversed()) {
    // Nothing older returns while a running result is shortened for it.
    const isUndone = !isLate && ("piece" in change ? undoDrop(change.piece) : undoEdit(change));
    if (isUndone) continue;
    kept.push(change);
    isLate ||=
      "member" in change &&
      change.member.unit.isProtected &&
      change.after?.because.reason === LAST_RESORT;
  }
  room.changes = kept.toReversed();
  if (!isLate) growFirst(room, target);

  function undoDrop({ units, needs, last, isCore }: Piece): boolean {
    const isTurn = isCore && last === 0;
    const isHeld = (one: Piece): boolean =>
      isGone(one) || (one.last === CONDENSED && (hasGap || isShort(one)));
    if (!units.every(isFree) || needs.some(isHeld) || (isTurn && hasGap)) return false;
    const most = (last < 1 ? target : budget) - room.total;
    const tokens = units.reduce((sum, unit) => sum + (unit.isDropped ? unit.tokens : 0), 0);
    if (tokens > most) {
      if (!isTurn) return false;
      hasGap = !isScored;
      const least = isScored
        ? { leastCharacters: 120 }
        : { leastShare: 1 / 3, leastCharacters: 40 };
      const members = units.flatMap((unit) => unit.members);
      if (most <= 0 || !shorten(room, members, { room: most, ...least, because: EDGE }))
        return false;
    }
    for (const unit of units) takeBack(room, unit);
    return true;
  }

  function undoEdit(change: Extract<Change, { readonly member: Member }>): boolean {
    const { member, before, after } = change;
    if (member.unit.isDropped || member.edited !== after) return false;
    const most = (isLast(change) ? budget : target) - room.total + member.tokens;
    if (change.tokens > most) return false;
    if (before === undefined && member.isGuessed) {
      const whole = room.context.count(member.entry);
      if (whole > most) return false;
      member.isGuessed = false;
      member.whole = whole;
      setForm(room, member, undefined, whole);
    } else setForm(room, member, before, change.tokens);
    return true;
  }
}

/** Returns whether a unit may be restored if it was dropped. */
function isFree({ summary, isDropped, isOut }: Unit): boolean {
  return summary === undefined && !(isDropped && isOut);
}

/** Gives the first request the room that nothing else can use. If its share had no room, it returns shorter; above the target only if no other turn is left. */
function growFirst(room: Room, target: number): void {
  const { first, pieces } = room.reading;
  const { budget, firstRequestShare } = room.context;
  if (first?.last !== CONDENSED) return;
  const isLost = isGone(first);
  if (first.units.some((unit) => (isLost ? !isFree(unit) : wasCondensed(unit)))) return;
  const isAlone = isLost && !pieces.some((one) => one.isCore && one.last === 0 && !isGone(one));
  const members = first.units.filter((unit) => !mustStay(unit)).flatMap((unit) => unit.members);
  const used = isLost ? 0 : members.reduce((sum, { tokens }) => sum + tokens, 0);
  const most = used + (isAlone ? budget : target) - room.total;
  if (most <= used) return;
  const limits = { leastCharacters: 40, because: FIRST };
  let goal = isLost ? Math.max(target - room.total, budget * firstRequestShare) : most;
  while (!shorten(room, members, { ...limits, room: Math.min(goal, most) })) {
    if (goal >= most) return;
    goal *= 2;
  }
  for (const unit of first.units) takeBack(room, unit);
}

/** Returns whether an edit was made only because nothing older could be reduced. */
function isLast({ after }: Extract<Change, { readonly member: Member }>): boolean {
  return after?.because.reason === LAST_RESORT || after?.because === GIVEN;
}

/** Returns whether a piece is the first request and shortened to its share. */
function isShort({ units }: Piece): boolean {
  return units.some(({ members }) =>
    members.some(({ edited }) => edited?.because.step === FIRST.step),
  );
}

/** Share of the budget for the newest earlier turns before anything is ranked, and the maximum that they may reach with the last of them. */
const NEWEST_SHARE = 0.1;
const NEWEST_MOST = 0.45;

/** Finds the newest earlier turns, which are kept before anything is ranked. */
function newestTurns({ context, reading }: Pick<Room, "context" | "reading">): ReadonlySet<Unit> {
  const held = new Set<Unit>();
  const { budget } = context;
  let used = 0;
  for (const { isOpen, isAside, units } of reading.blocks.toReversed()) {
    if (isOpen || isAside) continue;
    for (const entry of units.flatMap(({ entries }) => entries))
      used += guessOf(entry, context)?.tokens ?? context.count(entry);
    if (used > budget * NEWEST_MOST) break;
    for (const unit of units) held.add(unit);
    if (used > budget * NEWEST_SHARE) break;
  }
  return held;
}

function guessedTokens({ entries }: Unit): number {
  return entries.reduce((sum, entry) => sum + textOfEntry(entry).length / 4, 0);
}

/** Asks the scorer for the worth of each old unit that may be dropped: the score of its best entry for its length, with estimated tokens. The newest turns rank above all. */
export function scoreUnits({ context, reading }: Pick<Room, "context" | "reading">): void {
  if (context.options.scorer === undefined) return;
  const held = newestTurns({ context, reading });
  const scored = reading.units.filter(
    ({ isProtected, isOfThisTurn }) => !isProtected && !isOfThisTurn,
  );
  const { question } = reading;
  const asked = question === undefined ? "" : textOfEntry(question);
  const scores = context.score(
    asked,
    scored.flatMap((unit) => unit.entries),
  );
  let next = 0;
  for (const unit of scored) {
    const own = scores.slice(next, (next += unit.entries.length));
    if (held.has(unit)) continue;
    unit.score = own.reduce((best, score) => Math.max(best, score), -Infinity);
    unit.worth = worthOf(unit, guessedTokens(unit));
  }
}
