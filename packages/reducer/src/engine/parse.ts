import {
  findQuestion,
  groupExchanges,
  isRendered,
  messageRole,
  splitTurns,
} from "@agent-history/core";
import type { HistoryEntry, Viewer } from "@agent-history/core";

import { formPieces, isUsers, NO_BLOCK, NO_PIECE, readBlocks } from "./blocks.ts";
import type { Block, Piece, Unit } from "./unit.ts";

/** What a history is read as. */
export interface Reading {
  readonly units: readonly Unit[];
  readonly blocks: readonly Block[];
  /** In the order of their first units. */
  readonly pieces: readonly Piece[];
  /** The first request of the view and its answer, if they stay, shortened to their share, when the rest of their turn goes. */
  readonly first: Piece | undefined;
  readonly question: HistoryEntry | undefined;
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
 * requests their answers, a user's message comes first, and no role appears twice in a row that did not before.
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
  const blocks = readBlocks(units, options.isGapBefore);
  const asking = units.find(({ entries: own }) => question !== undefined && own.includes(question));
  const open = (asking ?? units.findLast(({ isAside }) => !isAside))?.block;
  if (open !== undefined) open.isOpen = true;
  markLead(units);
  const pieces = formPieces(units, blocks, asking?.named, viewer);
  // What stands by itself within the turn being answered is of this turn.
  const from = open?.units[0]?.position ?? Infinity;
  for (const unit of units) {
    unit.isOfThisTurn = unit.block === open || (unit.block.isAside && unit.position > from);
    unit.mayGoFirst = !unit.piece.isCore;
  }
  const request = units.findIndex(({ isRequest, isAside }) => isRequest && !isAside);
  const begins = units[request]?.piece;
  const isWhole = !units
    .slice(0, request + 1)
    .some(({ position }) => options.isGapBefore(position));
  const isFirst = options.keepsFirst && isWhole && begins?.last === 0;
  const first = isFirst && begins.units.at(-1)?.closes !== "user" ? begins : undefined;
  const preface = units.slice(0, Math.max(request, 0)).filter(({ isAside }) => !isAside);
  return { units, blocks, pieces, first, question, preface };
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
  const { viewer, sentUntil, turns, newest, question } = options;
  // Where nobody speaks as a user, what is put into the view does.
  const isUsed = entries.some(
    (entry) => !isDerived(entry) && isRendered(entry) && messageRole(entry, viewer) === "user",
  );
  const shown = new Map([
    [newest, "newest entry"],
    [question, "question"],
  ]);
  let next = 0;
  const groups = entries.some(isTrace)
    ? groupExchanges(entries)
    : entries.map((entry) => ({ kind: "single", entry }) as const);
  const units = groups.flatMap((group): Unit | [] => {
    const members = group.kind === "single" ? [group.entry] : group.entries;
    const position = positions[next] ?? 0;
    next += members.length;
    const [first] = members;
    const last = members.at(-1);
    if (first === undefined || last === undefined) return [];
    const isRunning = group.kind === "exchange" && group.running;
    const protectedAs =
      members.map(fixedAs).find((reason) => reason !== undefined) ??
      (isRunning ? "running exchange" : members.map((one) => shown.get(one)).find(Boolean));
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
      row: [],
      tokens: 0,
      worth: Infinity,
      isDropped: false,
      isOut: false,
      block: NO_BLOCK,
      piece: NO_PIECE,
    };
    for (const entry of members) {
      unit.members.push({
        entry,
        unit,
        current: entry,
        tokens: 0,
        whole: 0,
        edited: undefined,
        wasEdited: undefined,
        isGuessed: false,
      });
    }
    return unit;
  });
  keepApart(units);
  return units;
}

/** What was put between two messages of one role keeps them apart, and goes only with what stands around it. */
function keepApart(units: readonly Unit[]): void {
  let before: Unit | undefined;
  let between: Unit[] = [];
  for (const unit of units) {
    if (!unit.isAside) {
      const role = before?.closes === unit.opens && unit.opens !== "tool" ? unit.opens : undefined;
      for (const one of between) one.isAside = role === undefined || one.opens === role;
      before = unit;
      between = [];
    } else if (unit.opens !== "system" && unit.entries.every(isRendered)) between.push(unit);
  }
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

/** Which turn each entry is of, and what asks in it. */
interface Turns {
  readonly turnOf: ReadonlyMap<HistoryEntry, number>;
  readonly isRequest: (entry: HistoryEntry) => boolean;
}

function readTurns(entries: readonly HistoryEntry[], viewer: Viewer | undefined): Turns {
  const turnOf = new Map<HistoryEntry, number>();
  const tasks: HistoryEntry[] = [];
  for (const [number, turn] of splitTurns(entries, viewer && { viewer }).entries()) {
    for (const entry of turn.entries) turnOf.set(entry, number);
    const own = turn.entries.filter((entry) => isTaskFor(entry, viewer));
    // Agents side by side share a turn.
    tasks.push(...(viewer?.agentId === undefined ? own.slice(0, 1) : own));
  }
  const isSaid = entries.some(isUsers);
  // In a log of many an agent's own task asks it, beside the users.
  const asking = new Set(
    isSaid ? tasks.slice(viewer?.agentId === undefined ? tasks.length : -1) : tasks,
  );
  const isRequest = (entry: HistoryEntry): boolean =>
    asking.has(entry) ||
    (isSaid ? isUsers(entry) : tasks.length === 0 && messageRole(entry, viewer) === "user");
  return { turnOf, isRequest };
}

/** Returns whether an entry is a task that reads as the viewer's, and not as an instruction that it gave. */
export function isTaskFor(entry: HistoryEntry, viewer: Viewer | undefined): boolean {
  const isOthers = viewer?.agentId !== undefined && viewer.agentId !== entry.agent?.id;
  return entry.type === "task" && !isOthers && messageRole(entry, viewer) === "user";
}
