import { throwIfAborted } from "@agent-history/core";
import type { EntryRun, HistoryEntry, MessageRole } from "@agent-history/core";

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
import { groupsOf, hasRequest, isLed, mustStay } from "./blocks.ts";
import { askFailed } from "./context.ts";
import { leaveOutReasoning } from "./reasoning.ts";
import {
  byWorth,
  capResult,
  condense,
  drop,
  edit,
  FIRST,
  guessOf,
  leave,
  shorten,
  takeBack,
  wasCondensed,
  worthOf,
} from "./room.ts";
import type { Room } from "./room.ts";
import { LAST_RESORTS, STEPS } from "./steps.ts";
import type { Because, Block, Member, Part, Unit } from "./unit.ts";

const NEWEST = { step: "cap-newest", reason: "larger than one entry may be" };
const EDGE = {
  step: "shorten-edge",
  reason: "the oldest request and answer, as far as there is room",
};
const LAST = { step: "fit", reason: "nothing else is left to give" };

/** Reduces until no more is used than `target`, least destructive first, then undoes what turned out to be needless. Does nothing if all fits. */
export function makeRoom(room: Room, target: number): void {
  const { budget } = room.context;
  const { units, first } = room.reading;
  if (first?.next?.isAfterGap === true || first?.next?.isGone === true) {
    if (!condense(room, first, FIRST)) dropFirst(room, first);
  }
  if (fitsNow(room) || leaveOutReasoning(room)) return;
  capNewest(room);
  runSteps(room, target);
  if (room.total > budget) giveAll(room);
  refill(room, Math.max(target, 0));
  // With fewer sources a cut of the text may be enough.
  for (const { members } of units) for (const member of members) capResult(room, member);
}

/** Returns whether all fits as it is. */
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

/** Finds the newest entry if it may be shortened. */
function newestOf({ reading }: Room): Unit | undefined {
  const newest = reading.units.findLast(({ protectedAs }) => protectedAs === "newest entry");
  return newest?.entries.every(({ type }) => SHORTENED.has(type)) === true ? newest : undefined;
}

function capNewest(room: Room): void {
  const newest = newestOf(room);
  const { cap } = room.context;
  if (newest?.isProtected === true && newest.tokens > cap) {
    shorten(room, newest.members, { room: cap, because: NEWEST });
  }
}

/** Finds the newest entry if it may be shortened below its cap: an answer only above it. */
function newestToShorten(room: Room): Unit | undefined {
  const newest = newestOf(room);
  const [member] = newest?.members ?? [];
  if (newest === undefined || member?.entry.type !== "assistant_message") return newest;
  return member.edited === undefined && newest.tokens <= room.context.cap ? undefined : newest;
}

/** Returns how many tokens less the newest entry needs in the smallest window that it fits. */
export function spareOfNewest(room: Room): number {
  const newest = newestToShorten(room);
  if (newest === undefined) return 0;
  const { context } = room;
  const least = newest.members.reduce((sum, { entry, edited }) => {
    const change = { ...edited?.edit, text: { head: 0, tail: 0 } };
    return sum + context.count(editEntry(entry, change));
  }, 0);
  const whole = newest.members.reduce((sum, member) => sum + member.whole, 0);
  const share = context.cap / Math.max(context.budget, 1);
  const isWhole =
    newest.entries[0]?.type === "assistant_message" &&
    whole <= (room.total - newest.tokens + least) * share;
  return newest.tokens - (isWhole ? whole : Math.min(least, newest.tokens));
}

/** Steps that edit results, which a step that spares units does itself. */
const OF_RESULTS: ReadonlySet<string> = new Set<StepName>([
  "shrink-old-results",
  "clear-old-results",
  "shrink-this-turn",
]);

/** Runs the built-in steps and the caller's, in order, until no more is used than `target`; last resorts only until all fits. */
function runSteps(room: Room, target: number): void {
  const { budget, options } = room.context;
  const { steps = [], without = [] } = options;
  const all = room.reading.units.filter(({ isOut }) => !isOut);
  const spared = new Set<ReductionUnit>(steps.flatMap(({ spare }) => spare?.(all) ?? []));
  const turns = new Set([...spared].map(({ turn }) => turn));
  // What goes only with a spared unit is spared, too.
  const free = all.filter(
    (unit) => !spared.has(unit) && (unit.mayGoFirst || !turns.has(unit.turn)),
  );
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
    STEPS[name]({ room, units, goal });
  }
}

/** Takes the proposals of a caller's step. */
function runOwn(room: Room, step: ReductionStep, goal: number): void {
  const { context, reading } = room;
  const { signal } = context.options;
  const { name } = step;
  const units = reading.units.filter(({ isOut }) => !isOut);
  const excess = room.total - goal;
  if (excess <= 0) return;
  const memberOf = new Map(
    units.flatMap(({ members }) => members).map((member) => [member.entry, member]),
  );
  const need = { budget: context.budget, excess, question: reading.question, signal };
  try {
    const proposals = context.ask(() => step.propose(units, need));
    if (!isProposals(proposals)) throw stepFailed(name, "proposed no list");
    for (const proposal of proposals) {
      throwIfAborted(signal);
      take(room, proposal, { step: name, reason: proposal.reason }, memberOf);
      if (room.total <= goal) return;
    }
  } catch (cause) {
    throw askFailed(name, cause, signal);
  }
}

function isProposals(given: unknown): given is Iterable<ReductionProposal> {
  return typeof given === "object" && given !== null && Symbol.iterator in given;
}

type Members = ReadonlyMap<HistoryEntry, Member>;

function take(room: Room, proposal: ReductionProposal, because: Because, memberOf: Members): void {
  if (proposal.kind === "skip") room.skipped.push(because);
  else if (proposal.kind === "summarize") summarize(room, proposal, because, memberOf);
  else if (proposal.kind === "edit") {
    const member = memberOf.get(proposal.entry);
    if (member !== undefined) edit(room, member, proposal.edit, because);
  } else {
    const [first] = proposal.unit.entries;
    const member = first && memberOf.get(first);
    if (member !== undefined) drop(room, member.unit, because);
  }
}

/** Puts a summary in place of whole blocks and parts, and writes what it covers. */
function summarize(
  room: Room,
  { units, summary: given }: Extract<ReductionProposal, { readonly kind: "summarize" }>,
  because: Because,
  memberOf: Members,
): void {
  const named = new Set(
    units.flatMap(({ entries: [first] }) => (first && memberOf.get(first)?.unit) ?? []),
  );
  const isCovered = (unit: Unit): boolean =>
    named.has(unit) || unit.protectedAs !== undefined || unit.isDropped;
  const known = new Map<Part | Block, boolean>();
  const inOrder = [...named].toSorted((one, other) => one.position - other.position);
  const covered = inOrder.filter(({ part, block, protectedAs, isDropped }) => {
    if (protectedAs !== undefined || isDropped) return false;
    const all = part ?? block;
    if (!known.has(all))
      known.set(all, all.units.every(isCovered) && (part !== undefined || !block.isHeld));
    return known.get(all) === true;
  });
  const summary = { ...given, covers: runsOf(covered) };
  const tokensAfter = room.context.count(summary);
  const saved = covered.reduce((sum, { tokens }) => sum + tokens, 0);
  if (saved < tokensAfter) {
    if (covered.length === named.size) {
      throw stepFailed(because.step, `replaced ${saved} tokens by ${tokensAfter}`);
    }
    room.skipped.push({ ...because, reason: "a summary of parts of turns that saves nothing" });
    return;
  }
  for (const [nth, unit] of covered.entries()) {
    leave(room, unit, because);
    if (unit.part === undefined) unit.block.isGone = true;
    unit.summary = { action: { kind: "summarize", summary }, tokensAfter, isFirst: nth === 0 };
  }
  room.total += tokensAfter;
}

/** Names the entries of units, run by run. */
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

/** No text of so few tokens becomes shorter by a marker. */
const LEAST_TOKENS = 8;

/**
 * Gives what no step may: the first request, then the newest entry and what must stay around it are shortened together; if that is not enough, the
 * least of it goes, and so on.
 */
function giveAll(room: Room): void {
  const { budget } = room.context;
  const { units, first } = room.reading;
  if (first?.isCondensed === true) dropFirst(room, first);
  for (const unit of units) if (unit.part !== undefined) leave(room, unit, LAST);
  shrinkNewest(room);
  const newest = newestToShorten(room);
  const isHeld = (unit: Unit): boolean =>
    unit.isLead || (unit.part === undefined && unit.block.isHeld && unit.protectedAs === undefined);
  const groups = groupsOf(room.reading).filter(({ units: [unit] }) => unit?.block.isHeld);
  for (const [nth, group] of [[], ...groups.map(({ units: own }) => own)].entries()) {
    if (room.total <= budget) return;
    for (const unit of group) leave(room, unit, LAST);
    // What stands behind requests goes with the last of them.
    for (const { row } of group.filter((unit) => unit.isRequest && !hasRequest(unit))) {
      for (const unit of row.units) leave(room, unit, LAST);
    }
    // Of many messages not each is followed by a try to shorten the rest.
    if (nth > 0 && nth < groups.length && Math.log2(nth) % 1 !== 0) continue;
    const left = units.filter((unit) => unit === newest || (isHeld(unit) && !unit.isDropped));
    const most = left.reduce((sum, { tokens }) => sum + tokens, budget - room.total);
    const members = left.flatMap((unit) => unit.members);
    const isLong = members.some(({ whole }) => whole > LEAST_TOKENS);
    if (isLong && shorten(room, members, { room: most, because: LAST })) return;
  }
  shrinkNewest(room);
}

function dropFirst(room: Room, first: Block): void {
  first.isGone = true;
  first.isHeld = false;
  for (const unit of first.units) leave(room, unit, LAST);
}

/** Shortens the newest entry to what is left beside all else. */
export function shrinkNewest(room: Room): void {
  const newest = newestToShorten(room);
  const most = (newest?.tokens ?? 0) + room.context.budget - room.total;
  if (newest === undefined || most >= newest.tokens) return;
  shorten(room, newest.members, { room: most, because: { ...NEWEST, reason: LAST.reason } });
}

/**
 * Undoes what fits: the first request; of held turns request and answer, newest first; then turns, newest first or most worthy first; then parts. The
 * first turn that does not fit is shortened if a third of it fits; without scores none before it comes back, so that there are no holes.
 */
function refill(room: Room, target: number): void {
  const { units, blocks, first } = room.reading;
  const { budget } = room.context;
  const isCut = first?.isCondensed === true;
  if (isCut && first.isGone && tryBack(room, first.core, budget)) first.isGone = false;
  for (const { rank, units: back } of groupsOf(room.reading).toReversed()) {
    const isAlone = rank === 1 ? isLed : hasRequest;
    const asks = new Set(back.filter(({ isRequest }) => isRequest));
    const mayComeBack = (unit: Unit): boolean =>
      unit.block.isHeld && (isAlone(unit) || unit.row.requests.some((one) => asks.has(one)));
    if (back.every(mayComeBack)) tryBack(room, back, budget);
  }
  const isScored = units.some(({ score }) => score !== undefined);
  // A turn is worth its best unit.
  const ranked = blocks.map((block) => ({
    block,
    worth: block.units.reduce((best, { worth }) => Math.max(best, worth), 0),
  }));
  for (const { block } of byWorth(ranked)) {
    if (block.isAside || !block.isGone || block.isCondensed) continue;
    if (!refillTurn(room, block, { target, isScored }) && !isScored) break;
  }
  for (const block of blocks.toReversed()) {
    if (block.isGone || block.isCondensed) continue;
    const parts = new Set(
      block.units
        .toReversed()
        .flatMap(({ part, isDropped }) => (part !== undefined && isDropped ? part : [])),
    );
    for (const { units: back, blocks: needed } of parts) {
      if (needed.some(({ isGone }) => isGone)) continue;
      tryBack(room, back, target, () => !block.isHeld || isApart(back, block));
    }
  }
  if (isCut && !first.isGone) growFirst(room, first, target);
}

/** Gives the first request the room that nothing else can use. */
function growFirst(room: Room, { core }: Block, target: number): void {
  const members = core.filter((unit) => !mustStay(unit)).flatMap((unit) => unit.members);
  const used = members.reduce((sum, { tokens }) => sum + tokens, 0);
  const most = used + target - room.total;
  if (most > used && !core.some(wasCondensed))
    shorten(room, members, { room: most, because: FIRST });
}

/** Returns whether a part has its request, and stands beside none of its role from which what is gone parted it. */
function isApart(part: readonly Unit[], { units, isOpen }: Block): boolean {
  const [first, last] = [part[0], part.at(-1)];
  if (first === undefined || last === undefined || !part.every(hasRequest)) return false;
  const spoken = units.filter(({ isAside }) => !isAside);
  const [from, end] = [spoken.indexOf(first), spoken.indexOf(last) + 1];
  const before = spoken.slice(0, Math.max(from, 0)).findLastIndex(({ isDropped }) => !isDropped);
  const behind = spoken.findIndex(({ isDropped }, nth) => nth >= end && !isDropped);
  const isParted = (role: MessageRole, left: number, right: number): boolean =>
    role !== "tool" &&
    spoken.slice(left, right).some(({ opens, closes }) => opens !== role || closes !== role);
  const isPinned = (one?: Unit): boolean => one?.protectedAs === "pinned";
  const [left, right] = [spoken[before], spoken[behind]];
  if (left?.closes === first.opens && !isPinned(left) && isParted(first.opens, before + 1, from))
    return false;
  const next = right?.opens ?? (isOpen ? undefined : "user");
  return (
    last.closes !== next ||
    isPinned(right) ||
    !isParted(last.closes, end, behind < 0 ? Infinity : behind)
  );
}

/** Takes requests and answers of a turn back, shortened if need be; tells whether all of it is back. */
function refillTurn(
  room: Room,
  block: Block,
  { target, isScored }: { readonly target: number; readonly isScored: boolean },
): boolean {
  if (!block.units.every(isFree)) return false;
  const core = block.units.filter(
    ({ part, protectedAs }) => part === undefined && protectedAs === undefined,
  );
  if (core.length === 0) return false;
  const members = core.flatMap((unit) => unit.members);
  const whole = members.reduce((sum, member) => sum + member.whole, 0);
  const used = core.reduce((sum, { isDropped, tokens }) => sum + (isDropped ? 0 : tokens), 0);
  const most = target - room.total + used;
  const least = isScored ? { leastCharacters: 120 } : { leastShare: 1 / 3, leastCharacters: 40 };
  if (most <= 0 || !shorten(room, members, { room: most, ...least, because: EDGE })) return false;
  block.isGone = false;
  for (const unit of core) takeBack(room, unit);
  return whole <= most;
}

/** Returns whether a unit may come back if it was dropped. */
function isFree({ summary, isDropped, isOut }: Unit): boolean {
  return summary === undefined && !(isDropped && isOut);
}

function tryBack(
  room: Room,
  units: readonly Unit[],
  target: number,
  hasPlace = (): boolean => true,
): boolean {
  const needed = units.reduce(
    (sum, { tokens, isDropped }) => sum + (isDropped ? tokens : 0),
    room.total,
  );
  if (needed > target || !units.every(isFree) || !hasPlace()) return false;
  for (const unit of units) takeBack(room, unit);
  return true;
}

/** The share of the window that the newest earlier turns have before anything is ranked, and the most that the last of them may have. */
const NEWEST_SHARE = 0.1;
const NEWEST_MOST = 0.45;

/** Finds the newest earlier turns that stay before anything is ranked. */
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

/** Asks the scorer what each old unit that may be dropped is worth: its best entry, for its length, by a guess of its tokens. The newest turns stay before all. */
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
