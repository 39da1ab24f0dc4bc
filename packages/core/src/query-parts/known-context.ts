import { growingContext } from "../clause-context.ts";
import type { ClauseContext, ClausePlaces, GrowingContext } from "../clause-context.ts";
import type { HistoryEntry } from "../history-entry.ts";
import { isUserMessage } from "../split-turns.ts";
import { finish } from "../steps.ts";

/** Of this many histories that begin with the same entry the facts are kept. */
const MOST_HISTORIES = 4;

const histories = new WeakMap<HistoryEntry, readonly KnownHistory[]>();

/**
 * Returns the facts of a history, with the places of what clauses ask for. A history that grew is read from where it ended: what is known
 * of it is kept as long as its first entry. A call compares the identity of each entry with what is known, and reads those that are new.
 * Linear the first time, and after an entry that changes what is known of those before it. Throws where an entry cannot be read: run it by `overReadable`.
 */
export function knownContext(entries: readonly HistoryEntry[]): ClauseContext {
  const [first, second] = entries;
  // One by itself costs nothing, and is how entries that cannot be read are found.
  if (first === undefined || second === undefined) return read(entries).context;
  const known = histories.get(first) ?? [];
  const begun = known.find((one) => begins(one.entries, entries));
  const others = known.filter((one) => one !== begun).slice(0, MOST_HISTORIES - 1);
  // What cannot be read leaves nothing behind that is half known.
  histories.set(first, others);
  const history = begun === undefined ? read(entries) : readOn(begun, entries);
  histories.set(first, [history, ...others]);
  return history.context;
}

interface KnownHistory {
  /** What was read. It only grows. */
  readonly entries: HistoryEntry[];
  readonly growing: GrowingContext;
  readonly context: ClauseContext;
  readonly hasUserMessages: boolean;
  readonly places: GrowingPlaces;
}

interface GrowingPlaces extends ClausePlaces {
  readonly firstOfTurn: number[];
  readonly firstOfTask: Map<string | undefined, number>;
  readonly lastTaskOf: Map<string | undefined, number>;
  lastTask: number | undefined;
}

function begins(known: readonly HistoryEntry[], entries: readonly HistoryEntry[]): boolean {
  const { length } = known;
  if (length > entries.length || known[length - 1] !== entries[length - 1]) return false;
  // `Object.is` compares two that are the same without a look at either.
  for (let index = 0; index < length; index++) {
    if (!Object.is(known[index], entries[index])) return false;
  }
  return true;
}

function read(given: readonly HistoryEntry[]): KnownHistory {
  const entries = given.slice();
  const hasUserMessages = entries.some(isUserMessage);
  const growing = growingContext(entries, hasUserMessages);
  const places: GrowingPlaces = {
    numbers: growing.numbers,
    firstOfTurn: [],
    firstOfTask: new Map(),
    lastTaskOf: new Map(),
    lastTask: undefined,
  };
  finish(growing.readOn());
  addPlaces(places, growing.context, 0);
  const context = Object.assign(growing.context, { places });
  return { entries, growing, context, hasUserMessages, places };
}

function readOn(history: KnownHistory, given: readonly HistoryEntry[]): KnownHistory {
  const { entries, growing, context, hasUserMessages, places } = history;
  const from = entries.length;
  const added = given.slice(from);
  const changesTheRest = ({ type, id }: HistoryEntry): boolean =>
    type === "task" && places.firstOfTask.has(id);
  const isOther = !hasUserMessages && added.some(isUserMessage);
  if (isOther || added.some(changesTheRest)) return read(given);
  for (const entry of added) entries.push(entry);
  finish(growing.readOn());
  addPlaces(places, context, from);
  return history;
}

function addPlaces(places: GrowingPlaces, { entries, turns }: ClauseContext, from: number): void {
  const { firstOfTurn, firstOfTask, lastTaskOf } = places;
  for (let index = from; index < entries.length; index++) {
    const entry = entries[index];
    if (entry === undefined) continue;
    firstOfTurn[turns[index] ?? 0] ??= index;
    const isTask = entry.type === "task";
    const task = isTask ? entry.id : entry.taskId;
    if (task !== undefined && !firstOfTask.has(task)) firstOfTask.set(task, index);
    if (!isTask) continue;
    if (entry.taskId !== undefined && !firstOfTask.has(entry.taskId)) {
      firstOfTask.set(entry.taskId, index);
    }
    lastTaskOf.set(entry.agent?.id, index);
    places.lastTask = index;
  }
}
