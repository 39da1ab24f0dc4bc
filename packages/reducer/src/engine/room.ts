import type { Decision, EntryEdit, HistoryEntry } from "@agent-history/core";

import { editEntry } from "../edit-entry.ts";
import { textOfEntry } from "../internal/text-of-entry.ts";
import { mustStay } from "./blocks.ts";
import type { Context } from "./context.ts";
import type { Reading } from "./parse.ts";
import type { Because, Member, Piece, Unit } from "./unit.ts";

/** Working state of a fit: what is kept, in which form, and its tokens. */
export interface Room {
  readonly context: Context;
  reading: Reading;
  /** All units of turns, also those that are not counted. */
  readonly spoken: readonly Unit[];
  total: number;
  hasPreface: boolean;
  readonly skipped: Because[];
  /** What steps and last resorts changed, oldest first: `undoNeedless` undoes what turns out to be needless. */
  changes: Change[];
  /** Earlier decisions, by the index where their run begins. */
  readonly earlier: Map<number, Decision>;
}

/** A piece that was dropped, or an entry that was edited. */
export type Change =
  | { readonly piece: Piece }
  | {
      readonly member: Member;
      readonly before: Member["edited"];
      readonly after: Member["edited"];
      readonly tokens: number;
    };

export const FAR = { step: "horizon", reason: "older than the part of the history that is read" };
const FULL = { step: "shrink-old-results" as const, reason: "a long result in a full window" };
/** Why an entry is dropped that the scorer ranks low. */
export const LESS = {
  step: "drop-old-messages",
  reason: "an earlier turn, with less relevance for its length",
};
/** Why an entry is dropped or shortened that is kept as long as there is room. */
export const GIVEN = { step: "fit", reason: "nothing else could be reduced" };
const CAP = { step: "cap-results", reason: "exceeds the limit for one result" };
export const FIRST = {
  step: "keep-first-request",
  reason: "the messages after the first request were dropped",
};

/** Counts units, newest or highest worth first, until `reach` tokens are read. Uncounted units are too far back, and removed from the reading. */
export function openRoom(
  context: Context,
  reading: Reading,
  { reach, earlier }: { readonly reach: number; readonly earlier: Map<number, Decision> },
): Room {
  const counted = new Set<Piece>();
  const isCounted = ({ piece }: Unit): boolean => counted.has(piece);
  const spoken = reading.units.filter(({ isAside }) => !isAside);
  const room: Room = {
    context,
    reading,
    spoken,
    total: 0,
    hasPreface: true,
    skipped: [],
    changes: [],
    earlier,
  };
  const { steps = [], without = [] } = context.options;
  const mayShrink =
    reach < Infinity && !without.includes(FULL.step) && !steps.some(({ spare }) => spare);
  let left = reach;
  for (const { piece, entries, isOfThisTurn } of byWorth(reading.units)) {
    const isUpload = isOfThisTurn && entries[0]?.type === "attachment";
    if (left <= 0 && piece.last === 0 && piece !== reading.first && !isUpload) continue;
    // Count everything that is kept or dropped together, with what it needs.
    for (const one of [piece, ...piece.needs]) {
      if (counted.has(one)) continue;
      counted.add(one);
      for (const unit of one.units) left -= countUnit(room, unit, mayShrink);
    }
  }
  // The newest result returns first.
  room.changes.reverse();
  for (const unit of reading.units) {
    if (isCounted(unit)) continue;
    leave(room, unit, FAR);
    unit.isOut = true;
  }
  room.reading = {
    ...reading,
    units: reading.units.filter(isCounted),
    pieces: reading.pieces.filter((piece) => counted.has(piece)),
  };
  return room;
}

/** Counts a unit. Returns the tokens read; 0 for a unit that can never fit, which must not hide the units before it. */
function countUnit(room: Room, unit: Unit, mayShrink: boolean): number {
  let looked = 0;
  for (const member of unit.members) looked += countMember(room, member, mayShrink);
  unit.worth = worthOf(unit, unit.tokens);
  return looked <= room.context.budget ? looked : 0;
}

/** Sorts by worth, best first; ties and items without a score newest first. */
export function byWorth<Item extends { readonly worth: number }>(
  items: readonly Item[],
): readonly Item[] {
  // The difference of two infinite values is `NaN`.
  return items.toReversed().toSorted((one, other) => other.worth - one.worth || 0);
}

/** Units with fewer tokens than this are rated as if they had this many. */
const LEAST_TOKENS = 128;

/** Returns the worth of a unit for its length; infinite without a score. */
export function worthOf({ score = Infinity }: Unit, tokens: number): number {
  return score > 0 ? score / Math.max(LEAST_TOKENS, tokens) : score;
}

/**
 * Counts an entry. A long text is counted in full only if it may be kept in full: while there is room, first counts a part that is over the limit if the text is far over it; once
 * the window is full, shortens an old result immediately.
 */
function countMember(room: Room, member: Member, mayShrink: boolean): number {
  const { context } = room;
  const { entry, edited, unit } = member;
  const isResult = entry.type === "observation";
  const guess = mayEdit(member) ? guessOf(entry, context) : undefined;
  if (guess !== undefined && edited === undefined) {
    const most = isResult ? context.cap : context.budget;
    const isFull = mayShrink && room.total > context.budget;
    const isOld = isFull && isResult && !unit.isProtected && !isCitable(member);
    if (isOld) member.edited = { edit: headAndTail(ENDS), because: FULL };
    member.isGuessed =
      isOld || (isFull ? guess.tokens > most : hasMore(entry, guess, most, context));
  } else member.isGuessed = guess !== undefined;
  member.whole = member.isGuessed && guess ? guess.tokens : context.count(entry);
  if (member.edited !== undefined) member.current = editEntry(entry, member.edited.edit);
  setTokens(room, member, member.edited ? context.count(member.current) : member.whole);
  capResult(room, member);
  if (member.edited?.because === FULL) {
    const { whole, edited: after } = member;
    room.changes.push({ member, before: undefined, after, tokens: whole });
  }
  if (isResult && member.isGuessed && member.edited === undefined) {
    member.isGuessed = false;
    member.whole = context.count(entry);
    setTokens(room, member, member.whole);
  }
  if (guess === undefined) return member.tokens;
  // Long texts are shortened before anything is dropped, so more of them fit than their full size allows.
  const isShort = isResult || member.isGuessed;
  return isShort ? Math.min(guess.least, member.tokens) : member.tokens / 3;
}

/** Returns whether a text certainly has more than `most` tokens, by counting only a part of it. */
function hasMore(entry: HistoryEntry, guess: Guess, most: number, { count }: Context): boolean {
  const share = (most / guess.tokens) * 1.1;
  if (share >= 1) return false;
  const characters = Math.floor(textOfEntry(entry).length * share);
  return count(editEntry(entry, headAndTail(characters))) > most;
}

/** Texts longer than `LONG` are counted by their ends first; both in characters. */
const LONG = 2000;
const ENDS = 1000;

/** Tokens of a long text, estimated from its ends, and the tokens of the ends alone. */
export interface Guess {
  readonly tokens: number;
  readonly least: number;
}

/** Estimates the tokens of a text from its ends, if it is much longer than what a prompt shows of it. */
export function guessOf(entry: HistoryEntry, context: Context): Guess | undefined {
  if (entry.pinned === true || entry.type === "action" || entry.type === "system_message") {
    return undefined;
  }
  const { content } = entry;
  const isResult = entry.type === "observation";
  if (typeof content === "string" && content.length <= LONG && !isResult) return undefined;
  const { length } = textOfEntry(entry);
  if (length <= Math.max(LONG, isResult ? 0 : context.budget)) return undefined;
  const ends = editEntry(entry, headAndTail(ENDS));
  if (ends === entry) return undefined;
  const least = context.count(ends);
  return { tokens: Math.ceil((least * length) / textOfEntry(ends).length), least };
}

/** Returns whether an answer may cite sources of a result: which of them stay is not decided by their rank. */
function isCitable({ current, unit }: Member): boolean {
  const sources = current.type === "observation" ? (current.sources ?? []) : [];
  return sources.length > 0 && !unit.isOfThisTurn;
}

/** Shortens a result that exceeds the cap for one result. */
export function capResult(room: Room, member: Member): void {
  const { cap } = room.context;
  const { entry, tokens, unit } = member;
  if (entry.type !== "observation" || tokens <= cap || unit.isDropped || !mayEdit(member)) return;
  if (isCitable(member)) return;
  shorten(room, [member], { room: cap, because: CAP });
}

/** Protected entries stay word for word, except results that are not pinned themselves. */
function mayEdit({ unit, entry }: Member): boolean {
  return !unit.isProtected || (entry.type === "observation" && entry.pinned !== true);
}

/** Returns the edit that keeps the head and the tail of a text. */
export function headAndTail(characters: number): EntryEdit {
  return { text: { head: Math.ceil(characters * 0.7), tail: Math.floor(characters * 0.3) } };
}

export function setTokens(room: Room, member: Member, tokens: number): void {
  const more = tokens - member.tokens;
  member.tokens = tokens;
  member.unit.tokens += more;
  if (!member.unit.isDropped) room.total += more;
}

export function setForm(
  room: Room,
  member: Member,
  edited: Member["edited"],
  tokens: number,
): void {
  member.edited = edited;
  member.current = edited === undefined ? member.entry : editEntry(member.entry, edited.edit);
  setTokens(room, member, tokens);
}

/**
 * Applies an edit that saves tokens, on top of earlier ones; returns whether it was applied.
 *
 * @param isNeeded - Whether the request cannot be sent without it: then it is applied even if it saves nothing.
 */
export function edit(
  room: Room,
  member: Member,
  change: EntryEdit,
  because: Because,
  isNeeded = false,
): boolean {
  if (member.unit.isDropped || !mayEdit(member)) return false;
  const made = member.edited?.edit;
  if (made?.clear !== undefined && change.clear !== undefined) return false;
  const merged = { ...made, ...change };
  const after = editEntry(member.entry, merged);
  if (after === member.current) return false;
  const tokens = room.context.count(after);
  if (!isNeeded && tokens >= member.tokens) return false;
  const edited = { edit: merged, because };
  if (isNeeded) setForm(room, member, edited, tokens);
  else changeForm(room, member, edited, tokens);
  return true;
}

/** Edits an entry, and remembers it. */
function changeForm(room: Room, member: Member, after: Member["edited"], tokens: number): void {
  room.changes.push({ member, before: member.edited, after, tokens: member.tokens });
  setForm(room, member, after, tokens);
}

/** Returns the position from which this call changes the prompt that was sent; `Infinity` if it does not. */
export function changedFrom({ reading: { units } }: Pick<Room, "reading">): number {
  const isChanged = ({ wasSent, isDropped, members }: Unit): boolean =>
    wasSent && (isDropped || members.some(({ edited, wasEdited }) => edited !== wasEdited));
  return units.find(isChanged)?.position ?? Infinity;
}

/** Drops a unit with everything that depends on it. The request and answer of the first turn are kept, shortened to their share or as they were sent. */
export function drop(room: Room, { piece }: Unit, because: Because): void {
  if (piece.last > 0) return;
  if (piece === room.reading.first) condense(room, piece, because);
  else leavePiece(room, piece, because);
}

/** Drops a piece with all pieces that need it. */
export function leavePiece(room: Room, piece: Piece, because: Because): void {
  for (const one of piece.dependents) if (!isGone(one)) leavePiece(room, one, because);
  if (!isGone(piece)) room.changes.push({ piece });
  for (const unit of piece.units) leave(room, unit, because);
}

export function isGone({ units }: Piece): boolean {
  return units.some(({ isDropped }) => isDropped);
}

/** `Piece.last` of the first request: it is dropped before all other held pieces. */
export const CONDENSED = 0.5;
/** The part of the first request's share that its answer may use. */
const ANSWER_SHARE = 0.25;

function condense(room: Room, piece: Piece, because: Because): void {
  const { budget, firstRequestShare } = room.context;
  piece.last = CONDENSED;
  for (const one of piece.dependents) leavePiece(room, one, because);
  if (piece.units.some(wasCondensed)) return;
  const most = Math.floor(budget * firstRequestShare);
  // In a turn without an answer the last exchange takes its place.
  const limits = { leastCharacters: 40, along: { clearArguments: true }, because: FIRST } as const;
  const units = piece.units.filter((unit) => !mustStay(unit));
  let left = most;
  for (const isRequest of [false, true]) {
    const members = membersOf(units.filter((unit) => unit.isRequest === isRequest));
    const share = isRequest ? left : left * ANSWER_SHARE;
    if (tokensOf(members) > share) shorten(room, members, { ...limits, room: share });
    left -= tokensOf(members);
  }
  // A small share has room for the request, but not for the least of an answer: then both are cut to one length.
  if (left < 0 && !shorten(room, membersOf(units), { ...limits, room: most }))
    leavePiece(room, piece, because);
}

function membersOf(units: readonly Unit[]): readonly Member[] {
  return units.flatMap(({ members }) => members);
}

function tokensOf(members: readonly { readonly tokens: number }[]): number {
  return members.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** Returns whether an earlier plan shortened a unit as the first request. */
export function wasCondensed({ members }: Unit): boolean {
  return members.some(({ wasEdited }) => wasEdited?.because.step === FIRST.step);
}

/** Drops a unit. Once anything is dropped, the prompt begins with a request: everything before the first one is dropped, too. */
export function leave(room: Room, unit: Unit, because: Because): void {
  if (unit.isDropped || mustStay(unit)) return;
  unit.isDropped = true;
  unit.because = because;
  room.total -= unit.tokens;
  if (!room.hasPreface) return;
  room.hasPreface = false;
  for (const one of room.reading.preface) {
    leave(room, one, because);
    one.isOut = one.isDropped;
  }
}

export function takeBack(room: Room, unit: Unit): void {
  if (!unit.isDropped || unit.summary !== undefined) return;
  unit.isDropped = false;
  room.total += unit.tokens;
}

interface Limits {
  /** Maximum tokens of all entries together. */
  readonly room: number;
  readonly leastShare?: number;
  readonly leastCharacters?: number;
  /** Merged into each edit. */
  readonly along?: EntryEdit | undefined;
  readonly because: Because;
}

const TRIES = 6;
/** Shortening may leave this share of the room. */
const LEFT_SHARE = 0.1;

/** Steps whose edits are never undone: they apply a limit, or undo a drop in part. */
const FINAL: ReadonlySet<string> = new Set(["cap-results", "cap-newest", "shorten-edge"]);

/**
 * Resizes entries to the available room, never beyond their original length: the longest are shortened first, to head and tail.
 *
 * @returns Whether they fit; otherwise they are unchanged.
 */
export function shorten(
  room: Room,
  members: readonly Member[],
  { room: most, leastShare = 0, leastCharacters = 0, along, because }: Limits,
): boolean {
  const lengths = members.map(({ entry }) => textOfEntry(entry).length);
  const length = lengths.reduce((sum, one) => sum + one, 0);
  const whole = members.reduce((sum, member) => sum + member.whole, 0);
  let share = Math.min(1, most / whole);
  for (let tries = 1; tries <= TRIES && share >= leastShare; tries++) {
    if (tries === TRIES) share = 0;
    const characters = share === 1 ? Infinity : levelOf(lengths, length * share);
    if (characters < leastCharacters) return false;
    const forms = members.map((member) => formAt(room, member, { characters, along, because }));
    const total = forms.reduce((sum, { tokens }) => sum + tokens, 0);
    if (total > most) {
      share *= Math.min(0.95, (most / total) * 0.97);
      continue;
    }
    if (total < whole * leastShare) return false;
    growForms(room, members, forms, { most, characters, along, because });
    for (const [nth, { edited, tokens }] of forms.entries()) {
      const member = members[nth];
      if (member === undefined) continue;
      if (edited === undefined) {
        member.isGuessed = false;
        member.whole = tokens;
      }
      if (FINAL.has(because.step)) setForm(room, member, edited, tokens);
      else changeForm(room, member, edited, tokens);
    }
    return true;
  }
  return false;
}

interface FormLimits extends Pick<Limits, "along" | "because"> {
  readonly characters: number;
}

interface Form {
  readonly edited: Member["edited"];
  readonly tokens: number;
}

/** Texts of one length can leave much of the room, for example JSON with few elements: gives it to those that lost most. */
function growForms(
  room: Room,
  members: readonly Member[],
  forms: Form[],
  { most, characters, ...limits }: FormLimits & { readonly most: number },
): void {
  let left = most - tokensOf(forms);
  const lost = (nth: number): number => (members[nth]?.whole ?? 0) - (forms[nth]?.tokens ?? 0);
  for (const nth of [...forms.keys()].toSorted((one, other) => lost(other) - lost(one))) {
    const [member, form] = [members[nth], forms[nth]];
    if (left < most * LEFT_SHARE || !member || !form || member.whole <= form.tokens) return;
    const perToken = textOfEntry(member.entry).length / member.whole;
    const longer = characters + Math.floor(left * perToken * 0.9);
    const grown = formAt(room, member, { ...limits, characters: longer });
    const more = grown.tokens - form.tokens;
    if (more <= 0 || more > left) continue;
    forms[nth] = grown;
    left -= more;
  }
}

/** Returns the form of an entry with at most `characters` characters, and its tokens; never more than the original has. */
function formAt(
  { context }: Room,
  member: Member,
  { characters, along, because }: FormLimits,
): Form {
  const { entry, edited: before, isGuessed } = member;
  const { text, ...others } = before?.edit ?? {};
  const change =
    characters === Infinity ? others : { ...others, ...along, ...headAndTail(characters) };
  const form = editEntry(entry, change);
  if (form === entry) return { edited: undefined, tokens: context.count(entry) };
  const tokens = context.count(form);
  if (!isGuessed && tokens >= member.whole) return { edited: undefined, tokens: member.whole };
  return { edited: { edit: change, because }, tokens };
}

/** Returns the length to which the longest texts are cut, so that the total is `together`. */
function levelOf(lengths: readonly number[], together: number): number {
  let left = together;
  const ascending = lengths.toSorted((one, other) => one - other);
  for (const [index, length] of ascending.entries()) {
    const level = left / (ascending.length - index);
    if (length >= level) return Math.max(0, Math.floor(level));
    left -= length;
  }
  return Infinity;
}
