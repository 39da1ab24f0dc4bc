import {
  findQuestion,
  groupExchanges,
  isRendered,
  messageRole,
  splitTurns,
} from "@agent-history/core";
import type { HistoryEntry, MessageRole, Viewer } from "@agent-history/core";

import type { Block, Group, Member, Part, Row, Unit } from "./unit.ts";

/** What a history is read as. */
export interface Reading {
  readonly units: readonly Unit[];
  readonly blocks: readonly Block[];
  readonly question: HistoryEntry | undefined;
  /** The unit of the question. */
  readonly asking: Unit | undefined;
  /** What stands before the first request: it goes with the first that goes. */
  readonly preface: readonly Unit[];
}

export interface ParseOptions {
  readonly viewer: Viewer | undefined;
  /** The newest entry of the given history: it stays. */
  readonly newest: HistoryEntry | undefined;
  /** Before this position everything was sent with the call before. */
  readonly sentUntil: number;
  /** Something was dropped just before a position. */
  readonly isGapBefore: (position: number) => boolean;
  /** The first request stays when its turn goes. */
  readonly keepsFirst: boolean;
}

/**
 * Reads entries once. Any block may go without the others, and any part without its block, and what stays is still valid: calls have their results,
 * requests their answers, a user's message comes first, and no role stands twice in a row that did not before.
 */
export function parse(
  entries: readonly HistoryEntry[],
  positions: readonly number[],
  options: ParseOptions,
): Reading {
  const { viewer } = options;
  const question = findQuestion(entries, viewer);
  // Behind what was said last instructions may stand.
  const isSaid = (entry: HistoryEntry): boolean =>
    isRendered(entry) && messageRole(entry, viewer) !== "system";
  const newest =
    options.newest !== undefined && isSaid(options.newest)
      ? options.newest
      : entries.findLast(isSaid);
  const turns = readTurns(entries, viewer);
  const units = readUnits(entries, positions, { ...options, turns, newest, question });
  const blocks = readBlocks(units, options);
  const asking = units.find(({ entries: own }) => question !== undefined && own.includes(question));
  const open = (asking ?? units.findLast(({ isAside }) => !isAside))?.block;
  if (open !== undefined) open.isOpen = true;
  markLead(units);
  for (const block of blocks) if (!block.isAside) formParts(block, viewer);
  // What stands by itself within the turn being answered is of this turn.
  const from = open?.units[0]?.position ?? Infinity;
  for (const unit of units) {
    unit.isOfThisTurn = unit.block === open || (unit.block.isAside && unit.position > from);
    unit.mayGoFirst = unit.part !== undefined;
  }
  const request = units.findIndex(({ isRequest, isAside }) => isRequest && !isAside);
  const begins = units[request]?.block;
  if (begins !== undefined && options.keepsFirst && !begins.isAfterGap && !begins.isHeld) {
    begins.isFirst = begins.core.at(-1)?.closes !== "user";
  }
  const preface = units.slice(0, Math.max(request, 0)).filter(({ isAside }) => !isAside);
  return { units, blocks, question, asking, preface };
}

/**
 * What stays or goes together of requests and answers, in the order in which it goes: turns that are over; of those in which something must stay the
 * answers, then the requests; other turns that run through the one being answered; of that one the answers, then the requests, one by one.
 */
export function groupsOf({ units, asking }: Reading): readonly Group[] {
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

/** Returns whether of what is over requests and answers are kept or dropped together, and parts only with them. */
export function keepsWhole(reading: Reading): boolean {
  const { units } = reading;
  if (units.some((unit) => mustStay(unit) && unit.isDropped)) return false;
  const gone = new Set<Block>();
  for (const { rank, units: own } of groupsOf(reading)) {
    const [first] = own;
    if (first === undefined || rank >= 4) continue;
    const { isDropped, block } = first;
    if (own.some((one) => one.isDropped !== isDropped)) return false;
    if (rank === 1 && !isDropped && !isLed(first)) return false;
    if (isDropped && !block.isHeld) gone.add(block);
  }
  let last: Unit | undefined;
  let isParted = false;
  for (const unit of units.filter(({ opens }) => opens !== "system")) {
    const isRow = last?.closes === unit.opens && unit.opens !== "tool";
    if (unit.isDropped) isParted ||= !isRow || unit.closes !== unit.opens;
    else {
      if (unit.part?.blocks.some((block) => gone.has(block)) === true) return false;
      // What stands in a row stood so before, but for the turn being answered.
      const isFree = [last, unit].some((one) => one?.isAside || one?.protectedAs === "pinned");
      if (isRow && isParted && !isFree && last?.block.isOpen === false) return false;
      last = unit;
      isParted = false;
    }
  }
  return true;
}

/** Why an entry stays wherever it stands. */
export function fixedAs(entry: HistoryEntry | undefined): string | undefined {
  if (entry?.pinned === true) return "pinned";
  if (entry?.type === "system_message") return "system message";
  return entry?.type === "summary" && entry.view === undefined
    ? "provider's compaction"
    : undefined;
}

/** Returns whether an entry is a part of an exchange. */
export function isTrace({ type }: HistoryEntry): boolean {
  return type === "action" || type === "observation";
}

function readUnits(
  entries: readonly HistoryEntry[],
  positions: readonly number[],
  options: ParseOptions & { readonly question: HistoryEntry | undefined; readonly turns: Turns },
): readonly Unit[] {
  const { viewer, sentUntil, turns } = options;
  // Where nobody speaks as a user, what is put into the view does.
  const isUsed = entries.some(
    (entry) => !isDerived(entry) && isRendered(entry) && messageRole(entry, viewer) === "user",
  );
  let next = 0;
  const groups = entries.some(isTrace)
    ? groupExchanges(entries)
    : entries.map((entry) => ({ kind: "single", entry }) as const);
  return groups.flatMap((group): Unit | [] => {
    const members = group.kind === "single" ? [group.entry] : group.entries;
    const position = positions[next] ?? 0;
    next += members.length;
    const [first] = members;
    const last = members.at(-1);
    if (first === undefined || last === undefined) return [];
    const isRunning = group.kind === "exchange" && group.running;
    const protectedAs = whyProtected(members, isRunning, options);
    const opens = messageRole(first, viewer);
    const unit: Unit = {
      entries: members,
      members: [],
      position,
      wasSent: position < sentUntil,
      isRunning,
      protectedAs,
      // An upload has a share of its own, even the newest.
      isProtected:
        protectedAs !== undefined &&
        (protectedAs !== "newest entry" || first.type !== "attachment"),
      opens,
      closes: last === first ? opens : messageRole(last, viewer),
      isLead: false,
      isRequest: turns.isRequest(first),
      isAside: opens === "system" || (isUsed && isDerived(first)) || !isRendered(first),
      isOfThisTurn: false,
      mayGoFirst: true,
      turn: 0,
      named: turns.turnOf.get(first) ?? 0,
      row: NO_ROW,
      anchor: position,
      tokens: 0,
      worth: Infinity,
      isDropped: false,
      isOut: false,
      part: undefined,
      block: NO_BLOCK,
    };
    for (const entry of members) unit.members.push(newMember(entry, unit));
    return unit;
  });
}

function isDerived({ type }: HistoryEntry): boolean {
  return type === "summary" || type === "memory";
}

/**
 * Finds what must stand first where what must stay does not begin with a user's message: what was put into the view, or the last request before it; all of
 * that request if its turn is over.
 */
function markLead(units: readonly Unit[]): void {
  const first = units.findIndex(
    ({ protectedAs, opens }) => protectedAs !== undefined && opens !== "system",
  );
  if (units[first]?.opens === "user") return;
  const before = units
    .slice(0, Math.max(first, 0))
    .filter(({ opens, entries: [entry] }) => opens === "user" && entry && isRendered(entry));
  const lead = before.findLast(({ isAside, isRequest }) => isAside || isRequest) ?? before.at(-1);
  for (const unit of before) {
    const isOne = unit.isRequest && unit.block === lead?.block && unit.row === lead.row;
    unit.isLead = unit === lead || (isOne && !unit.block.isOpen);
  }
}

function whyProtected(
  entries: readonly HistoryEntry[],
  isRunning: boolean,
  {
    question,
    newest,
  }: Pick<ParseOptions, "newest"> & { readonly question: HistoryEntry | undefined },
): string | undefined {
  const fixed = entries.map(fixedAs).find((reason) => reason !== undefined);
  if (fixed !== undefined) return fixed;
  if (isRunning) return "running exchange";
  if (question !== undefined && entries.includes(question)) return "question";
  return newest !== undefined && entries.includes(newest) ? "newest entry" : undefined;
}

function newMember(entry: HistoryEntry, unit: Unit): Member {
  return {
    entry,
    unit,
    current: entry,
    tokens: 0,
    whole: 0,
    edited: undefined,
    wasEdited: undefined,
    isGuessed: false,
  };
}

const NO_BLOCK: Block = newBlock(-1, true);
const NO_ROW: Row = { requests: [], units: [] };

function newBlock(number: number, isAside: boolean): Block {
  return {
    units: [],
    core: [],
    isAside,
    isOpen: false,
    isHeld: false,
    isGone: false,
    isFirst: false,
    isCondensed: false,
    isAfterGap: false,
    number,
  };
}

/** Which turn each entry is of, and what asks in it. */
interface Turns {
  readonly turnOf: ReadonlyMap<HistoryEntry, number>;
  readonly isRequest: (entry: HistoryEntry) => boolean;
}

function readTurns(entries: readonly HistoryEntry[], viewer: Viewer | undefined): Turns {
  const turnOf = new Map<HistoryEntry, number>();
  const tasks = new Set<HistoryEntry>();
  const isMine = (entry: HistoryEntry): boolean => isTaskFor(entry, viewer);
  for (const [number, turn] of splitTurns(entries, viewer && { viewer }).entries()) {
    let isAsked = false;
    for (const entry of turn.entries) {
      turnOf.set(entry, number);
      // Agents side by side share a turn.
      if (!isMine(entry) || (isAsked && viewer?.agentId === undefined)) continue;
      isAsked = true;
      tasks.add(entry);
    }
  }
  if (entries.some(isUsers)) {
    // In a log of many an agent's own task asks it too.
    const own = viewer?.agentId === undefined ? undefined : entries.findLast(isMine);
    return { turnOf, isRequest: (entry) => isUsers(entry) || entry === own };
  }
  if (tasks.size > 0) return { turnOf, isRequest: (entry) => tasks.has(entry) };
  return { turnOf, isRequest: (entry) => messageRole(entry, viewer) === "user" };
}

export function isUsers({ type }: HistoryEntry): boolean {
  return type === "user_message";
}

/** Returns whether an entry is a task that reads as the viewer's, and not as an instruction that it gave. */
export function isTaskFor(entry: HistoryEntry, viewer: Viewer | undefined): boolean {
  const isOthers = viewer?.agentId !== undefined && viewer.agentId !== entry.agent?.id;
  return entry.type === "task" && !isOthers && messageRole(entry, viewer) === "user";
}

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
function readBlocks(units: readonly Unit[], { isGapBefore }: ParseOptions): readonly Block[] {
  const lastOf = new Map<number, number>();
  const isNamed = ({ entries: [first] }: Unit): boolean => first?.turnId !== undefined;
  for (const [index, { isAside, named }] of units.entries()) if (!isAside) lastOf.set(named, index);
  const blocks: Block[] = [];
  let block: Block | undefined;
  let [reach, namedReach] = [-1, -1];
  let isAnswered = true;
  let isBegun = false;
  let row: Row = { requests: [], units: [] };
  let isGap = false;
  const parts = partsAnswers(units);
  const isSaid = units.some(({ entries: [first] }) => first && isUsers(first));
  for (const [index, unit] of units.entries()) {
    const { isRequest } = unit;
    isGap ||= isGapBefore(unit.position);
    if (unit.isAside) {
      // One that parts two answers goes with them.
      add(unit, block !== undefined && parts.has(unit) ? block : open(true));
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

/** Finds what stands by itself between two messages of the model. */
function partsAnswers(units: readonly Unit[]): ReadonlySet<Unit> {
  const parting = new Set<Unit>();
  let role: MessageRole | undefined;
  let between: Unit[] = [];
  for (const unit of units) {
    if (unit.opens === "system") continue;
    if (unit.isAside) {
      between.push(unit);
      continue;
    }
    if (role === "assistant" && unit.opens === "assistant") {
      for (const one of between) parting.add(one);
    }
    role = unit.closes;
    between = [];
  }
  return parting;
}

/** Tells what of a block goes together with its requests, and what may go before them, in which parts. */
function formParts(block: Block, viewer: Viewer | undefined): void {
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
  for (const unit of middle) {
    const begins = unit.opens === "assistant" && role !== "assistant" && left !== "assistant";
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
  // Before a user's message no part stays last that ends with one: it goes with the next.
  const isJoined = right === "user" && left !== "user";
  const joined: Unit[][] = [];
  for (const own of parts) {
    const last = isJoined ? joined.at(-1) : undefined;
    if (last?.at(-1)?.closes === "user") for (const unit of own) last.push(unit);
    else joined.push(own);
  }
  // What stays belongs to the block itself, and to what it keeps apart.
  const apart = [before, behind].find((one) => one && !one.isRequest && !mustStay(one));
  for (const unit of stays ?? []) unit.anchor = apart?.anchor ?? unit.anchor;
  for (const own of joined) {
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
