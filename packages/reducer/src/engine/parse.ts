import {
  findQuestion,
  groupExchanges,
  isRendered,
  messageRole,
  splitTurns,
} from "@agent-history/core";
import type { HistoryEntry, MessageRole, Viewer } from "@agent-history/core";

import type { Block, Member, Part, Unit } from "./unit.ts";

/** What a history is read as. */
export interface Reading {
  readonly units: readonly Unit[];
  readonly blocks: readonly Block[];
  readonly memberOf: ReadonlyMap<HistoryEntry, Member>;
  readonly question: HistoryEntry | undefined;
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
  const units = readUnits(entries, positions, { ...options, newest, question });
  // What is put into the view may have to lead to what stays, where nobody asks.
  const first = units.findIndex(
    ({ protectedAs, opens }) => protectedAs !== undefined && opens !== "system",
  );
  const before = units.slice(0, Math.max(first, 0)).filter(({ opens }) => opens === "user");
  const lead =
    units[first]?.opens !== "user" && before.every(({ isAside }) => isAside)
      ? before.at(-1)
      : undefined;
  if (lead !== undefined) lead.protectedAs = "leads to what stays";
  const turns = readTurns(entries, viewer);
  const blocks = readBlocks(units, turns, options);
  const asking = units.find(({ entries: own }) => question !== undefined && own.includes(question));
  const open = (asking ?? units.findLast(({ isAside }) => !isAside))?.block;
  for (const block of blocks) {
    block.isOpen = block === open;
    if (!block.isAside) formParts(block, turns, viewer);
  }
  // What stands by itself within the turn being answered is of this turn.
  const from = open?.units[0]?.position ?? Infinity;
  for (const unit of units) {
    unit.isOfThisTurn = unit.block === open || (unit.block.isAside && unit.position > from);
    unit.mayGoFirst = unit.part !== undefined;
  }
  const begins = blocks.find(({ isAside, isPreface }) => !isAside && !isPreface);
  if (begins !== undefined && options.keepsFirst && !begins.isAfterGap && !begins.isHeld) {
    begins.isFirst = begins.core.at(-1)?.closes !== "user";
  }
  const memberOf = new Map<HistoryEntry, Member>();
  for (const unit of units) for (const member of unit.members) memberOf.set(member.entry, member);
  return { units, blocks, memberOf, question };
}

/** Returns whether what is not dropped of a reading is what the laws allow, whichever of its turns is being answered. */
export function isSound({ units, blocks, memberOf, question }: Reading): boolean {
  if (units.some(({ protectedAs, isDropped }) => protectedAs !== undefined && isDropped))
    return false;
  // Another turn that runs into the one being answered stays or goes as one.
  const asked = question && memberOf.get(question)?.unit.named;
  const partly = new Map<number, boolean>();
  for (const { named, isDropped, part, protectedAs, block, isAside } of units) {
    if (!block.isOpen || isAside || part !== undefined || protectedAs !== undefined) continue;
    if (asked === undefined || named === asked) continue;
    if ((partly.get(named) ?? isDropped) !== isDropped) return false;
    partly.set(named, isDropped);
  }
  for (const block of blocks) {
    if (block.isAside || block.isOpen || block.isPreface) continue;
    const core = block.core.filter(({ protectedAs }) => protectedAs === undefined);
    const kept = core.filter(({ isDropped }) => !isDropped);
    // A request leads without its answer to what stays in its turn.
    const isLead =
      block.isHeld &&
      core.every((one) => one.isDropped || one.isRequest) &&
      core.every((one) => !one.isDropped || !one.isRequest);
    if (kept.length > 0 && kept.length < core.length && !isLead) return false;
    const isPartKept = block.units.some((one) => one.part !== undefined && !one.isDropped);
    if (kept.length === 0 && core.length > 0 && isPartKept) return false;
  }
  let last: Unit | undefined;
  let isParted = false;
  for (const unit of units) {
    if (unit.opens === "system") continue;
    const isRow = last?.closes === unit.opens && unit.opens !== "tool";
    if (unit.isDropped) isParted ||= !isRow || unit.closes !== unit.opens;
    else {
      const isFree = [last, unit].some(
        (one) => one?.isAside === true || one?.protectedAs === "pinned",
      );
      if (isRow && isParted && !isFree && last?.block.isOpen !== true) return false;
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
  options: ParseOptions & { readonly question: HistoryEntry | undefined },
): readonly Unit[] {
  const { viewer, sentUntil } = options;
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
      isRequest: false,
      isAside:
        opens === "system" ||
        first.type === "summary" ||
        first.type === "memory" ||
        !isRendered(first),
      isOfThisTurn: false,
      mayGoFirst: true,
      turn: 0,
      named: 0,
      tokens: 0,
      isDropped: false,
      isCounted: false,
      isOut: false,
      part: undefined,
      block: NO_BLOCK,
    };
    for (const entry of members) unit.members.push(newMember(entry, unit));
    return unit;
  });
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

function newBlock(number: number, isAside: boolean): Block {
  return {
    units: [],
    core: [],
    isAside,
    isPreface: false,
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

/** Turns, or several where one stands within another: each block begins with a request. What stands by itself has a block of its own. */
function readBlocks(
  units: readonly Unit[],
  { turnOf, isRequest }: Turns,
  { isGapBefore }: ParseOptions,
): readonly Block[] {
  const turnAt = ({ entries: [first] }: Unit): number => (first && turnOf.get(first)) ?? 0;
  const lastOf = new Map<number, number>();
  for (const [index, unit] of units.entries()) if (!unit.isAside) lastOf.set(turnAt(unit), index);
  const blocks: Block[] = [];
  let block: Block | undefined;
  let before: Block | undefined;
  let reach = -1;
  let isInRow = false;
  let isGap = false;
  const parts = partsAnswers(units);
  for (const [index, unit] of units.entries()) {
    const [first] = unit.entries;
    const asks = first !== undefined && isRequest(first);
    unit.isRequest = asks;
    unit.named = turnAt(unit);
    isGap ||= isGapBefore(unit.position);
    if (isGap) isInRow = false;
    if (unit.isAside) {
      // One that parts two answers goes with them.
      if (block !== undefined && parts.has(unit)) add(unit, block);
      else add(unit, open(unit, true));
      continue;
    }
    if (block === undefined || (asks && !isInRow && reach < index)) {
      before = block;
      block = open(unit, false);
      block.isPreface = !asks;
      block.isAfterGap = isGap;
      if (before !== undefined) [before.next, block.before] = [block, before];
    }
    add(unit, block);
    isGap = false;
    reach = Math.max(reach, lastOf.get(turnAt(unit)) ?? -1);
    isInRow = asks || (isInRow && BESIDE.has(first?.type ?? ""));
  }
  return blocks;

  function open(unit: Unit, isAside: boolean): Block {
    const made = newBlock(blocks.length, isAside);
    blocks.push(made);
    if (isAside) unit.part = { units: [unit], block: made };
    return made;
  }
  function add(unit: Unit, to: Block): void {
    to.units.push(unit);
    unit.block = to;
    unit.turn = to.number;
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
function formParts(block: Block, turns: Turns, viewer: Viewer | undefined): void {
  const core = coreOf(block, turns, viewer);
  const lead = leadOf(block);
  if (lead !== undefined) core.add(lead);
  let left: MessageRole | undefined;
  let middle: Unit[] = [];
  for (const unit of block.units) {
    if (!core.has(unit) && unit.protectedAs === undefined) {
      middle.push(unit);
      continue;
    }
    partMiddle(block, middle, left, unit.opens);
    middle = [];
    left = unit.closes;
  }
  // The next block begins with a user's message. Behind the turn being answered nothing stands.
  partMiddle(block, middle, left, block.isOpen ? undefined : "user");
  block.core = block.units.filter(({ part }) => part === undefined);
  block.isHeld =
    block.isOpen ||
    block.units.some(
      ({ protectedAs, opens }) =>
        protectedAs !== undefined && protectedAs !== "system message" && opens !== "user",
    );
}

/**
 * Parts what stands between two messages that stay: wherever one of the model's begins behind another role a part begins, so that any of them may go.
 * What stands in a row with either message is a part of its own. If the roles on both sides are the same, what keeps them apart stays with them.
 */
function partMiddle(
  block: Block,
  units: readonly Unit[],
  left: MessageRole | undefined,
  right: MessageRole | undefined,
): void {
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
    unit.part = { units: [unit], block };
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
  // What stays belongs to the block itself.
  for (const own of joined) {
    const part: Part = { units: own, block };
    for (const unit of own) unit.part = part;
  }
  for (const unit of stays ?? []) unit.part = undefined;
}

/** What reads as a user's before something that must stay, where no request does. */
function leadOf({ units }: Block): Unit | undefined {
  const first = units.findIndex(
    ({ protectedAs, opens }) => protectedAs !== undefined && opens !== "user",
  );
  const before = units
    .slice(0, Math.max(first, 0))
    .filter(({ isAside, opens }) => !isAside && opens === "user");
  return before.some(({ isRequest }) => isRequest) ? undefined : before.at(-1);
}

/** The requests of a block and the last answer of each of its turns. */
function coreOf(
  { units }: Block,
  { turnOf, isRequest }: Turns,
  viewer: Viewer | undefined,
): Set<Unit> {
  const core = new Set<Unit>();
  const answers = new Map<number | string, Unit>();
  let row = 0;
  let isBegun = false;
  for (const unit of units) {
    const [first] = unit.entries;
    if (first === undefined) continue;
    if (isRequest(first)) {
      core.add(unit);
      if (isBegun) row += 1;
      isBegun = false;
    } else if (!BESIDE.has(first.type)) isBegun = true;
    if (!isAnswer(first, viewer)) continue;
    answers.set(turnOf.get(first) ?? 0, unit);
    answers.set(`row ${row}`, unit);
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
