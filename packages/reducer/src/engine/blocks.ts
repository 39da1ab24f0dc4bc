import { messageRole } from "@agent-history/core";
import type { HistoryEntry, MessageRole, Viewer } from "@agent-history/core";

import type { Block, Group, Part, Row, Unit } from "./unit.ts";

/** What may stand between the messages of one request. */
export const BESIDE: ReadonlySet<string> = new Set([
  "attachment",
  "memory",
  "summary",
  "system_message",
]);

/**
 * Turns, or several where one stands within another, or has no answer: each block begins with a request, and more than requests is in it. What stands
 * by itself has a block of its own.
 */
export function readBlocks(
  units: readonly Unit[],
  isGapBefore: (position: number) => boolean,
): readonly Block[] {
  const lastOf = new Map<number, number>();
  for (const [index, { isAside, named }] of units.entries()) if (!isAside) lastOf.set(named, index);
  const blocks: Block[] = [];
  let block: Block | undefined;
  const isNamed = ({ entries: [first] }: Unit): boolean => first?.turnId !== undefined;
  let [reach, namedReach] = [-1, -1];
  let isAnswered = true;
  let isBegun = false;
  let row: Row = { requests: [], units: [] };
  let isGap = false;
  const isSaid = units.some(({ entries: [first] }) => first && isUsers(first));
  for (const [index, unit] of units.entries()) {
    const { isRequest } = unit;
    isGap ||= isGapBefore(unit.position);
    if (unit.isAside) {
      add(unit, open(true));
      continue;
    }
    // Without names turns are told by their places, which a gap hides; an agent's own task is a part of what a user asked.
    const isParted = isGap && namedReach < index && (!isSaid || unit.entries.some(isUsers));
    if (block === undefined || (isRequest && (isParted || (isAnswered && reach < index)))) {
      const before: Block | undefined = block;
      block = open(false);
      block.isAfterGap = isGap;
      if (before !== undefined) before.next = block;
      isAnswered = !isRequest;
      isBegun = true;
    }
    if (isRequest && isBegun) row = { requests: [], units: [] };
    if (isRequest) row.requests.push(unit);
    isBegun = !isRequest && (isBegun || !unit.entries.some(({ type }) => BESIDE.has(type)));
    unit.row = row;
    row.units.push(unit);
    add(unit, block);
    isGap = false;
    reach = Math.max(reach, lastOf.get(unit.named) ?? -1);
    if (isNamed(unit)) namedReach = reach;
    isAnswered = !isRequest && (isAnswered || unit.closes !== "user");
  }
  return blocks;

  function open(isAside: boolean): Block {
    const made = newBlock(blocks.length, isAside);
    blocks.push(made);
    return made;
  }
  function add(unit: Unit, to: Block): void {
    to.units.push(unit);
    unit.block = to;
    unit.turn = to.number;
    if (to.isAside) unit.part = { units: [unit], blocks: [to] };
  }
}

/** Tells what of a block goes together with its requests, and what may go before them, in which parts. */
export function formParts(block: Block, viewer: Viewer | undefined): void {
  const { next, units } = block;
  const core = coreOf(block, viewer);
  const stays = (unit: Unit): boolean => core.has(unit) || mustStay(unit);
  // What ends it as a user's stands before the next block's request.
  const end =
    next === undefined
      ? units.length
      : units.findLastIndex((unit) => stays(unit) || unit.closes !== "user") + 1;
  if (end < units.length && next !== undefined) {
    next.lent = { units: units.slice(end), blocks: [block, next] };
    for (const unit of next.lent.units) unit.part = next.lent;
  }
  let left: Unit | undefined;
  let middle: Unit[] = [];
  for (const unit of units.slice(0, end)) {
    if (!stays(unit)) {
      middle.push(unit);
      continue;
    }
    partMiddle(block, middle, [left, unit]);
    middle = [];
    left = unit;
  }
  partMiddle(block, middle, [left]);
  block.core = units.filter(({ part }) => part === undefined);
  block.isHeld = block.isOpen || units.some(isFixed);
}

/**
 * Parts what stands between two messages that stay: wherever one of the model's begins behind another role a part begins, so that any of them may go.
 * What stands in a row with either message is a part of its own. If the roles on both sides are the same, what keeps them apart stays with them.
 */
function partMiddle(
  block: Block,
  units: readonly Unit[],
  [before, behind]: readonly [Unit | undefined, Unit?],
): void {
  // What is pinned may stand beside its like.
  const left = before?.protectedAs === "pinned" ? undefined : before?.closes;
  // The next block begins with a user's message. Behind the turn being answered nothing stands.
  const ends = block.isOpen ? undefined : "user";
  const right = behind?.protectedAs === "pinned" ? undefined : (behind?.opens ?? ends);
  const isRow = (unit: Unit, role: MessageRole | undefined): boolean =>
    unit.opens === role && unit.closes === role && role !== "tool";
  let from = 0;
  let end = units.length;
  for (let unit = units[from]; unit && isRow(unit, left); unit = units[from]) from += 1;
  if (right !== "user") {
    for (let unit = units[end - 1]; unit && end > from && isRow(unit, right); unit = units[end - 1])
      end -= 1;
  }
  for (const unit of [...units.slice(0, from), ...units.slice(end)]) {
    unit.part = { units: [unit], blocks: [block] };
  }
  const middle = units.slice(from, end);
  if (middle.length === 0) return;
  const parts: Unit[][] = [];
  let role = left;
  // Where the next request may follow any of them, none ends as a user's.
  const isFree = right === "user" && left !== "user";
  for (const unit of middle) {
    const opens = isFree && role !== "assistant" ? role === "tool" : role !== "assistant";
    const begins =
      left !== "assistant" &&
      opens &&
      (unit.opens === "assistant" || (isFree && unit.opens === "user"));
    const last = parts.at(-1);
    if (last === undefined || begins) parts.push([unit]);
    else last.push(unit);
    role = unit.closes;
  }
  const isApart =
    left !== undefined &&
    left === right &&
    middle.some(({ opens, closes }) => opens !== left || closes !== left);
  const stays = isApart ? parts.pop() : undefined;
  // What stays belongs to the block itself, and to what it keeps apart.
  const apart = [before, behind].find((one) => one && !one.isRequest && !mustStay(one));
  for (const unit of stays ?? []) unit.anchor = apart?.anchor ?? unit.anchor;
  for (const own of parts) {
    const part: Part = { units: own, blocks: [block] };
    for (const unit of own) unit.part = part;
  }
  for (const unit of stays ?? []) unit.part = undefined;
}

/** The requests of a block and the last answer of each of its turns. */
function coreOf({ units }: Block, viewer: Viewer | undefined): ReadonlySet<Unit> {
  const core = new Set<Unit>();
  const answers = new Map<number | Row, Unit>();
  for (const unit of units) {
    const [first] = unit.entries;
    if (unit.isRequest) core.add(unit);
    if (first === undefined || !isAnswer(first, viewer)) continue;
    answers.set(unit.named, unit);
    answers.set(unit.row, unit);
  }
  for (const unit of answers.values()) core.add(unit);
  return core;
}

/** Returns whether an entry is what a viewer says at the end of its work. */
export function isAnswer(entry: HistoryEntry, viewer: Viewer | undefined): boolean {
  const { type } = entry;
  if (type === "assistant_message") return true;
  return (type === "final" || type === "synthesis") && messageRole(entry, viewer) === "assistant";
}

export function isUsers({ type }: HistoryEntry): boolean {
  return type === "user_message";
}

export const NO_BLOCK: Block = newBlock(-1, true);
export const NO_ROW: Row = { requests: [], units: [] };

function newBlock(number: number, isAside: boolean): Block {
  return {
    units: [],
    core: [],
    isAside,
    isOpen: false,
    isHeld: false,
    isGone: false,
    isCondensed: false,
    isAfterGap: false,
    number,
  };
}

/** Units, and the one that asks. */
interface Asked {
  readonly units: readonly Unit[];
  readonly asking: Unit | undefined;
}

/**
 * What stays or goes together of requests and answers, in the order in which it goes: turns that are over; of those in which something must stay the
 * answers, then the requests; other turns that run through the one being answered; of that one the answers, then the requests, one by one.
 */
export function groupsOf({ units, asking }: Asked): readonly Group[] {
  const asked = asking?.named;
  // Requests in a row are one, whatever their names, once they are over.
  const keys = new Map<string, string>();
  const keyOf = ({ block, named }: Unit): string => {
    const key = `${block.number} ${named}`;
    return keys.get(key) ?? key;
  };
  for (const { isRequest, block, row, named } of units) {
    const [first] = row.requests;
    if (isRequest && !block.isOpen && first) keys.set(`${block.number} ${named}`, keyOf(first));
  }
  const fixed = new Set(units.filter(isFixed).map(keyOf));
  const groups = new Map<string, Group>();
  for (const unit of units) {
    const { block, named, isRequest, isAside, part, anchor } = unit;
    if (isAside || part !== undefined || mustStay(unit)) continue;
    const isOther = asked !== undefined && named !== asked;
    let [rank, key] = [0, block.isHeld ? keyOf(unit) : `${block.number}`];
    if (block.isOpen && isOther) rank = 3;
    else if (block.isOpen) [rank, key] = [isRequest ? 5 : 4, `${anchor}`];
    else if (fixed.has(key)) [rank, key] = isRequest ? [2, key] : [1, `${anchor}`];
    const known = groups.get(`${rank} ${key}`);
    if (known === undefined) groups.set(`${rank} ${key}`, { rank, units: [unit] });
    else known.units.push(unit);
  }
  return [...groups.values()].toSorted((one, other) => one.rank - other.rank);
}

/** Returns whether a request that a unit stands behind is in the prompt. */
export function hasRequest({ row: { requests } }: Unit): boolean {
  return requests.length === 0 || requests.findLastIndex(({ isDropped }) => !isDropped) >= 0;
}

/** Returns whether a request of a unit's turn stands before it in the prompt. */
export function isLed({ block, named, position }: Unit): boolean {
  const leads = (one: Unit): boolean =>
    one.isRequest && !one.isDropped && one.named === named && one.position < position;
  return block.units.some(leads);
}

/** Returns whether a unit is never dropped. */
export function mustStay({ protectedAs, isLead }: Unit): boolean {
  return protectedAs !== undefined || isLead;
}

/** Must stay, and needs the request that it stands behind. */
function isFixed({ protectedAs, isLead, opens }: Unit): boolean {
  return isLead || (protectedAs !== undefined && opens !== "system" && opens !== "user");
}
