import {
  findQuestion,
  groupExchanges,
  isRendered,
  messageRole,
  splitTurns,
} from "@agent-history/core";
import type { Exchange, HistoryEntry, SingleEntry, Viewer } from "@agent-history/core";

import { formPieces, isUsers, NO_BLOCK, NO_PIECE, readBlocks } from "./blocks.ts";
import type { Block, Member, Piece, Unit } from "./unit.ts";

/** A parsed history. */
export interface Reading {
  readonly units: readonly Unit[];
  readonly blocks: readonly Block[];
  /** Ordered by their first units. */
  readonly pieces: readonly Piece[];
  /** The first request of the view and its answer, if they are kept, shortened to their share, when the rest of their turn is dropped. */
  readonly first: Piece | undefined;
  readonly question: HistoryEntry | undefined;
  /** Units before the first request. They are dropped as soon as anything is dropped. */
  readonly preface: readonly Unit[];
}

export interface ParseOptions {
  readonly viewer: Viewer | undefined;
  /** The newest entry of the given history, which is always kept. */
  readonly newest: HistoryEntry | undefined;
  /** The previous call sent everything before this position. */
  readonly sentUntil: number;
  /** Whether entries were dropped just before a position. */
  readonly isGapBefore: (position: number) => boolean;
  /** Whether the first request is kept when its turn is dropped. */
  readonly keepsFirst: boolean;
}

/**
 * Parses entries once, so that any block can be dropped without the others, and any part without its block, and the rest is still valid: calls have their results,
 * requests their answers, a user message comes first, and no role appears twice in a row unless it did before.
 */
export function parse(
  entries: readonly HistoryEntry[],
  positions: readonly number[],
  options: ParseOptions,
): Reading {
  const { viewer } = options;
  const question = findQuestion(entries, viewer);
  // System messages may follow the last message.
  const isSaid = (entry: HistoryEntry): boolean =>
    isRendered(entry) && entry.type !== "system_message";
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
  // An aside within the turn being answered belongs to this turn.
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

/** Returns why an entry is kept wherever it is, or `undefined` if it need not be. */
export function fixedAs(entry: HistoryEntry | undefined): string | undefined {
  if (entry?.pinned === true) return "pinned";
  if (entry?.type === "system_message") return "system message";
  if (entry?.type !== "summary" || entry.view !== undefined) return undefined;
  return entry.strategy === "provider" ? "provider's compaction" : "summary";
}

/** Returns whether an entry is part of a tool exchange. */
export function isTrace({ type }: HistoryEntry): boolean {
  return type === "action" || type === "observation";
}

function readUnits(
  entries: readonly HistoryEntry[],
  positions: readonly number[],
  options: ParseOptions & { readonly question: HistoryEntry | undefined; readonly turns: Turns },
): readonly Unit[] {
  const { viewer, sentUntil, turns, newest, question } = options;
  // If there are no user messages, summaries and memories take their place.
  const isUsed = entries.some(
    (entry) => !isDerived(entry) && isRendered(entry) && messageRole(entry, viewer) === "user",
  );
  const shown = new Map([
    [newest, "newest entry"],
    [question, "question"],
  ]);
  let next = 0;
  const units = groupsOf(entries).flatMap((group): Unit | [] => {
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
      // An upload is limited by its own share, even if it is the newest entry.
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
    for (const entry of members) unit.members.push(newMember(entry, unit));
    return unit;
  });
  keepApart(units);
  return units;
}

/** A summary or memory between two messages of one role separates them, so it is dropped only together with its neighbors. */
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

function groupsOf(entries: readonly HistoryEntry[]): readonly (Exchange | SingleEntry)[] {
  return entries.some(isTrace)
    ? groupExchanges(entries)
    : entries.map((entry) => ({ kind: "single", entry }));
}

function newMember(entry: HistoryEntry, unit: Unit): Member {
  const edits = { edited: undefined, wasEdited: undefined, isGuessed: false };
  return { entry, unit, current: entry, tokens: 0, whole: 0, ...edits };
}

/** Returns whether an entry belongs to no turn. */
export function isDerived({ type }: HistoryEntry): boolean {
  return type === "summary" || type === "memory";
}

/**
 * If the first unit that must stay is not a user message, marks what must precede it, so that the prompt begins with a user message: the last summary, memory or request
 * before it; all user messages of that request unless it is being answered.
 */
function markLead(units: readonly Unit[]): void {
  const first = units.findIndex(
    ({ protectedAs, opens }) => protectedAs !== undefined && opens !== "system",
  );
  if (units[first]?.opens === "user") return;
  const before = units
    .slice(0, Math.max(first, 0))
    .filter(({ opens, entries: [entry] }) => opens === "user" && entry && isRendered(entry));
  const lead =
    before.findLast(({ isRequest }) => isRequest) ??
    before.findLast(({ isAside }) => isAside) ??
    before.at(-1);
  for (const unit of before) {
    const isPart = unit.isRequest && unit.row === lead?.row && unit.entries.some(isUsers);
    unit.isLead = unit === lead || (isPart && !unit.block.isOpen);
  }
}

/** The turn of each entry, and which entries are requests. */
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
    // Agents that run in parallel share a turn.
    for (const one of viewer?.agentId === undefined ? own.slice(0, 1) : own) tasks.push(one);
  }
  const isSaid = entries.some(isUsers);
  // In a log shared by agents, the viewer's newest task is a request, in addition to user messages.
  const asking = new Set(
    isSaid ? tasks.slice(viewer?.agentId === undefined ? tasks.length : -1) : tasks,
  );
  const isRequest = (entry: HistoryEntry): boolean =>
    asking.has(entry) ||
    (isSaid ? isUsers(entry) : tasks.length === 0 && messageRole(entry, viewer) === "user");
  return { turnOf, isRequest };
}

/** Returns whether an entry is a task for the viewer, not one that the viewer gave. */
export function isTaskFor(entry: HistoryEntry, viewer: Viewer | undefined): boolean {
  const isOthers = viewer?.agentId !== undefined && viewer.agentId !== entry.agent?.id;
  return entry.type === "task" && !isOthers && messageRole(entry, viewer) === "user";
}
