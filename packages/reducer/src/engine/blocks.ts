import { messageRole } from "@agent-history/core";
import type { HistoryEntry, MessageRole, Viewer } from "@agent-history/core";

import type { Block, Piece, Unit } from "./unit.ts";

/** Entry types that may occur between the messages of one request. */
const BESIDE: ReadonlySet<string> = new Set(["attachment", "memory", "summary", "system_message"]);

/**
 * Groups units into blocks: a turn, or several if one is inside another or has no answer. Each block begins with a request, and contains more than requests. Each
 * aside unit has a block of its own.
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
  let row: Unit[] = [];
  let isGap = false;
  const isSaid = units.some(({ entries: [first] }) => first && isUsers(first));
  for (const [index, unit] of units.entries()) {
    const { isRequest } = unit;
    isGap ||= isGapBefore(unit.position);
    if (unit.isAside) {
      add(unit, open(true));
      continue;
    }
    // Without turn ids, turns are recognized by position, which a gap hides. An agent's own task is part of what a user asked.
    const isParted = isGap && namedReach < index && (!isSaid || unit.entries.some(isUsers));
    if (block === undefined || (isRequest && (isParted || (isAnswered && reach < index)))) {
      block = open(false);
      isAnswered = !isRequest;
      isBegun = true;
    }
    if (isRequest && isBegun) row = [];
    if (isRequest) row.push(unit);
    isBegun = !isRequest && (isBegun || !unit.entries.some(({ type }) => BESIDE.has(type)));
    unit.row = row;
    add(unit, block);
    isGap = false;
    reach = Math.max(reach, lastOf.get(unit.named) ?? -1);
    if (isNamed(unit)) namedReach = reach;
    isAnswered = !isRequest && (isAnswered || unit.closes !== "user");
  }
  return blocks;

  function open(isAside: boolean): Block {
    const made: Block = { units: [], number: blocks.length, isAside, isOpen: false };
    blocks.push(made);
    return made;
  }
  function add(unit: Unit, to: Block): void {
    to.units.push(unit);
    unit.block = to;
    unit.turn = to.number;
  }
}

/** Order in which held requests and answers are dropped: those of finished turns, of other turns that overlap the one being answered, then of that one. */
export const LAST = {
  turn: 1,
  answer: 2,
  request: 3,
  other: 4,
  answerNow: 5,
  requestNow: 6,
  never: 7,
};

/**
 * Determines what is kept or dropped together: the requests of a block with the last answers of its turns, and the parts between them, which may be dropped before. In the
 * turn being answered, and in blocks with something that must stay, requests and answers are held, and dropped one by one.
 */
export function formPieces(
  units: readonly Unit[],
  blocks: readonly Block[],
  asked: number | undefined,
  viewer: Viewer | undefined,
): readonly Piece[] {
  for (const block of blocks) {
    if (block.isAside) {
      for (const unit of block.units)
        newPiece([unit], [], { last: mustStay(unit) ? LAST.never : 0 });
    } else formBlock(block, asked, viewer);
  }
  return [...new Set(units.map(({ piece }) => piece))];
}

function newPiece(
  units: Unit[],
  needs: readonly (Unit | undefined)[],
  { isCore = false, last = 0 } = {},
): Piece {
  const piece: Piece = { units, needs: [], dependents: [], isCore, last };
  for (const unit of units) unit.piece = piece;
  need(piece, needs);
  return piece;
}

function need(piece: Piece, units: readonly (Unit | undefined)[]): void {
  for (const one of new Set(units.flatMap((unit) => unit?.piece ?? []))) {
    if (one === piece || piece.needs.includes(one)) continue;
    piece.needs.push(one);
    one.dependents.push(piece);
  }
}

function formBlock(block: Block, asked: number | undefined, viewer: Viewer | undefined): void {
  const { units } = block;
  const core = coreOf(block, viewer);
  const placeOf = placesIn(block, asked);
  const pieces = new Map<string, Piece>();
  for (const unit of units) {
    if (!core.has(unit) && !mustStay(unit)) continue;
    const [last, key] = mustStay(unit) ? [LAST.never, unit.position] : placeOf(unit);
    const piece = pieces.get(`${last} ${key}`) ?? newPiece([], [], { isCore: true, last });
    pieces.set(`${last} ${key}`, piece);
    addTo(piece, unit);
    if (!unit.isRequest) need(piece, [unit.row.at(-1), requestOf(block, unit)]);
  }
  let left: Unit | undefined;
  let middle: Unit[] = [];
  for (const unit of units) {
    if (unit.piece !== NO_PIECE) {
      partMiddle(middle, [left, unit], { block, placeOf });
      middle = [];
      left = unit;
    } else middle.push(unit);
  }
  partMiddle(middle, [left], { block, placeOf });
}

/** Returns when each request and answer of a block is dropped (`LAST`), and a key shared by those that are dropped together. */
function placesIn(
  block: Block,
  asked: number | undefined,
): (unit: Unit) => readonly [last: number, key: number] {
  const { units, isOpen } = block;
  if (isOpen) {
    const running = units.find(({ isRunning }) => isRunning);
    return ({ named, isRequest, position }) => {
      if (asked !== undefined && named !== asked) return [LAST.other, named];
      if (isRequest) return [LAST.requestNow, position];
      // What is said before the running exchange of its turn is not the answer yet.
      const isNote = running?.named === named && position < running.position;
      return [isNote ? 0 : LAST.answerNow, position];
    };
  }
  if (!units.some(isFixed)) return () => [0, 0];
  // Requests in a row are one, whatever turns they name.
  const turnOf = (unit: Unit): number =>
    (requestOf(block, unit) ?? unit).row[0]?.named ?? unit.named;
  const fixed = new Set(units.filter(isFixed).map(turnOf));
  return (unit) => {
    const turn = turnOf(unit);
    if (!fixed.has(turn)) return [LAST.turn, turn];
    return unit.isRequest ? [LAST.request, turn] : [LAST.answer, unit.position];
  };
}

/**
 * Divides the units between two messages that stay into parts. A part begins at each model message that follows another role, so that any part may be dropped.
 * Units in a row with either message are parts of their own. If both sides have the same role, the part that separates them stays with them.
 */
function partMiddle(
  units: readonly Unit[],
  [before, behind]: readonly [Unit | undefined, Unit?],
  { block, placeOf }: { readonly block: Block; readonly placeOf: ReturnType<typeof placesIn> },
): void {
  // A pinned entry may be next to one of the same role.
  const left = before?.protectedAs === "pinned" ? undefined : before?.closes;
  // The next block begins with a user message. Nothing follows the turn being answered.
  const ends = block.isOpen ? undefined : "user";
  const right = behind?.protectedAs === "pinned" ? undefined : (behind?.opens ?? ends);
  const isRow = (unit: Unit, role: MessageRole | undefined): boolean =>
    unit.opens === role && unit.closes === role && role !== "tool";
  const from = units.findIndex((unit) => !isRow(unit, left));
  const end =
    right === "user" ? units.length : units.findLastIndex((unit) => !isRow(unit, right)) + 1;
  const parts: Unit[][] = [];
  let role = left;
  // If the next request may follow any part, no part ends with a user message.
  const isFree = right === "user" && left !== "user";
  for (const [nth, unit] of units.entries()) {
    const isAlone = from < 0 || nth < from || nth >= end;
    const opens = isFree && role !== "assistant" ? role === "tool" : role !== "assistant";
    const begins = opens && (unit.opens === "assistant" || (isFree && unit.opens === "user"));
    const last = parts.at(-1);
    if (last === undefined || isAlone || nth === from || begins) parts.push([unit]);
    else last.push(unit);
    role = isAlone ? left : unit.closes;
  }
  const isApart = left !== undefined && left === right && from >= 0 && from < end;
  // Only what follows a model's message may stand between it and another one.
  const opening = left === "assistant" && from >= 0 ? parts[from] : undefined;
  const later = parts.slice(from + 1);
  const at = opening === undefined ? parts.length - 1 - (units.length - end) : from;
  const stays = isApart ? parts.splice(at, 1)[0] : undefined;
  for (const part of parts) {
    const [unit] = part;
    // An upload that follows its request needs nothing of what follows.
    const follows = unit !== undefined && (from < 0 || units.indexOf(unit) < from);
    const isUpload = follows && unit.entries[0]?.type === "attachment";
    const beside = isUpload ? [before] : [before, behind];
    newPiece(part, [...beside, unit?.row.at(-1), unit && requestOf(block, unit)]);
  }
  keepApart();
  if (opening !== undefined)
    for (const [unit] of later) if (unit !== undefined) need(unit.piece, opening.slice(0, 1));

  function keepApart(): void {
    const [first] = stays ?? [];
    if (first === undefined || stays === undefined) return;
    // It belongs to a message that it separates, but not to a request that may be dropped alone.
    const isOwn = (one?: Unit): boolean =>
      one !== undefined && !mustStay(one) && (!one.isRequest || one.piece.last === 0);
    const own = [before, behind].find(isOwn);
    const [last] = placeOf(first);
    if (own === undefined) newPiece(stays, first.row.slice(-1), { isCore: true, last });
    else for (const unit of stays) addTo(own.piece, unit);
  }
}

/** Returns the first request of a unit's turn within its block. */
function requestOf({ units }: Block, { named }: Unit): Unit | undefined {
  return units.find((unit) => unit.isRequest && unit.named === named);
}

function addTo(piece: Piece, unit: Unit): void {
  piece.units.push(unit);
  unit.piece = piece;
}

/** Returns the requests of a block and the last answer of each of its turns. */
function coreOf({ units }: Block, viewer: Viewer | undefined): ReadonlySet<Unit> {
  const core = new Set<Unit>();
  const answers = new Map<number | readonly Unit[], Unit>();
  let end: number | undefined;
  let isGap = false;
  // What precedes the first request answers nothing.
  const begin = Math.max(
    0,
    units.findIndex(({ isRequest }) => isRequest),
  );
  for (const unit of units.slice(begin)) {
    const [first] = unit.entries;
    if (unit.isRequest) core.add(unit);
    isGap ||= end !== undefined && unit.position > end;
    end = unit.position + unit.entries.length;
    if (first === undefined || !isAnswer(first, viewer)) continue;
    // The request of a pinned answer may have been dropped, so the answer before it is one, too.
    if (isGap && unit.protectedAs === "pinned") continue;
    isGap = false;
    answers.set(unit.named, unit);
    answers.set(unit.row, unit);
  }
  for (const unit of answers.values()) core.add(unit);
  return core;
}

/** Returns whether an entry is an answer with which a viewer ends its work. */
export function isAnswer(entry: HistoryEntry, viewer: Viewer | undefined): boolean {
  const { type } = entry;
  if (type === "assistant_message") return true;
  return (type === "final" || type === "synthesis") && messageRole(entry, viewer) === "assistant";
}

export function isUsers({ type }: HistoryEntry): boolean {
  return type === "user_message";
}

/** Returns whether a unit is never dropped. */
export function mustStay({ protectedAs, isLead }: Unit): boolean {
  return protectedAs !== undefined || isLead;
}

/** Placeholders until units are parsed. */
export const NO_BLOCK: Block = { units: [], number: -1, isAside: true, isOpen: false };
export const NO_PIECE: Piece = { units: [], needs: [], dependents: [], isCore: false, last: 0 };

/** Returns whether a unit must stay and needs the request that it follows. */
function isFixed({ protectedAs, isLead, opens }: Unit): boolean {
  return isLead || (protectedAs !== undefined && opens !== "system" && opens !== "user");
}
