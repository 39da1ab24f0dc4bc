import { messageRole, splitTurns } from "@agent-history/core";
import type { HistoryEntry, Viewer } from "@agent-history/core";

import type { DraftItem, Unit } from "./draft.ts";
import { clash, readRoles } from "./roles.ts";

/**
 * Forms units of items, so that any of them may go and roles still alternate: each begins with a request and holds whole turns. What
 * cannot be told apart from the turn of the question is split into its turns. Summaries, memories and system messages stand alone. Linear.
 */
export function formUnits(
  items: readonly DraftItem[],
  viewer: Viewer | undefined,
  question: HistoryEntry | undefined,
): readonly Unit[] {
  readRoles(items, viewer);
  const { turnOf, requests } = readTurns(items, viewer);
  const turn = ({ entries: [first] }: DraftItem): number => (first && turnOf.get(first)) ?? -1;
  const lastOf = new Map<number, number>();
  for (const [index, item] of items.entries()) if (isTold(item)) lastOf.set(turn(item), index);
  const newest = items.at(-1);
  const asked = (question && turnOf.get(question)) ?? (newest && turn(newest));
  const units: Unit[] = [];
  let unit: Unit | undefined;
  let reach = -1;
  let role: string | undefined;
  for (const [index, item] of items.entries()) {
    const isAside = item.opens === undefined;
    item.isRequest = item.entries.some((entry) => requests.has(entry));
    // Where roles do not alternate between two turns, or one stands within the other, they are one unit.
    const begins = item.isRequest && role !== "user" && reach < index;
    const joined = isAside || begins ? undefined : unit;
    item.unit = joined ?? { items: [], isAside, isLoose: false, holdsQuestion: false };
    if (joined === undefined) units.push(item.unit);
    item.unit.items.push(item);
    if (question !== undefined && item.entries.includes(question)) item.unit.holdsQuestion = true;
    if (!isAside) unit = item.unit;
    if (item.closes !== "user" || isTold(item)) role = item.closes ?? role;
    if (!isTold(item)) continue;
    if (turn(item) !== asked) reach = Math.max(reach, lastOf.get(turn(item)) ?? -1);
  }
  const whole = units.flatMap((each) =>
    each.holdsQuestion ? splitUnit(each, turn, asked) : [each],
  );
  for (const [number, each] of whole.entries()) {
    for (const item of each.items) item.turn = number;
    markCore(each, turn);
  }
  return whole;
}

/** Gives each turn of the unit that holds the question a unit of its own: not all of them may have room. */
function splitUnit(
  { items }: Unit,
  turn: (item: DraftItem) => number,
  asked: number | undefined,
): readonly Unit[] {
  const units = new Map<number, Unit>();
  for (const item of items) {
    const holdsQuestion = turn(item) === asked;
    const unit = units.get(turn(item)) ?? {
      items: [],
      isAside: false,
      isLoose: true,
      holdsQuestion,
    };
    units.set(turn(item), unit);
    unit.items.push(item);
    item.unit = unit;
  }
  return [...units.values()];
}

/** Which turn each entry is of, and what asks: the user; else of each turn its task; else whatever reads as a user's. */
function readTurns(
  items: readonly DraftItem[],
  viewer: Viewer | undefined,
): {
  readonly turnOf: ReadonlyMap<HistoryEntry, number>;
  readonly requests: ReadonlySet<HistoryEntry>;
} {
  const entries = items.flatMap((item) => item.entries);
  const turnOf = new Map<HistoryEntry, number>();
  const tasks = new Set<HistoryEntry>();
  const isMine = (entry: HistoryEntry): boolean => isTaskFor(entry, viewer);
  for (const [number, turn] of splitTurns(entries, viewer && { viewer }).entries()) {
    for (const entry of turn.entries) turnOf.set(entry, number);
    const task = turn.entries.find(isMine);
    if (task !== undefined) tasks.add(task);
  }
  const said = entries.filter(({ type }) => type === "user_message");
  const isRead = (entry: HistoryEntry): boolean => messageRole(entry, viewer) === "user";
  if (said.length === 0) {
    return { turnOf, requests: tasks.size > 0 ? tasks : new Set(entries.filter(isRead)) };
  }
  // In a log of many an agent's own task asks it too.
  const own = viewer?.agentId === undefined ? undefined : entries.findLast(isMine);
  return { turnOf, requests: new Set(own === undefined ? said : [...said, own]) };
}

/** Tells whether an entry is a task that reads as the viewer's, and not as an instruction that it gave. */
export function isTaskFor(entry: HistoryEntry, viewer: Viewer | undefined): boolean {
  const isOthers = viewer?.agentId !== undefined && viewer.agentId !== entry.agent?.id;
  return entry.type === "task" && !isOthers && messageRole(entry, viewer) === "user";
}

/** Tells whether an item counts for its turn: what stands for itself does not. */
function isTold({ opens, protectedAs }: DraftItem): boolean {
  return opens !== undefined && protectedAs !== "pinned";
}

/** Marks what goes last of a unit: its requests, the last answer to each, and what keeps their roles apart. */
function markCore({ items }: Unit, turn: (item: DraftItem) => number): void {
  const told = items.filter(isTold);
  const asking = new Set(items.filter(({ isRequest: asks }) => asks).map(turn));
  const answers = new Map<number, DraftItem>();
  for (const item of told) {
    item.mayGoFirst = !item.isRequest;
    if (item.opens !== "assistant" || !asking.has(turn(item))) continue;
    const known = answers.get(turn(item));
    // An exchange stands for an answer where there is none.
    if (known === undefined || isAnswer(item) || !isAnswer(known)) answers.set(turn(item), item);
  }
  for (const answer of answers.values()) answer.mayGoFirst = false;
  let last: DraftItem | undefined;
  let bridge: DraftItem | undefined;
  for (const item of told) {
    if (!item.mayGoFirst || item.protectedAs !== undefined) {
      if (bridge !== undefined && clash(last, item)) bridge.mayGoFirst = false;
      [last, bridge] = [item, undefined];
    } else if (item.closes !== last?.closes && !clash(last, item)) bridge = item;
  }
}

function isAnswer({ entries: [first] }: DraftItem): boolean {
  return (
    first?.type === "assistant_message" || first?.type === "final" || first?.type === "synthesis"
  );
}
