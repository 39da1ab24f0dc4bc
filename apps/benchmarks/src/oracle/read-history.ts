import type { HistoryEntry } from "@agent-history/core";

import { isDerived, isInstruction, roleOf } from "./entry-role.ts";
import type { Role } from "./entry-role.ts";
import { readPairs } from "./read-pairs.ts";
import type { Pairs } from "./read-pairs.ts";

/** One request, what was done for it, and what was said last. */
export interface Turn {
  /** The user's messages, or the viewer's task; empty before the first. */
  readonly requests: readonly HistoryEntry[];
  /** Everything of the turn, the requests too. */
  readonly entries: readonly HistoryEntry[];
  readonly lastAnswer: HistoryEntry | undefined;
}

/** A history as a provider would have to be shown it: sound, in turns, with the role of each entry. */
export interface HistoryReading {
  readonly viewerId: string | undefined;
  /** Without copies and orphan results, each exchange drawn together at its action. */
  readonly sound: readonly HistoryEntry[];
  readonly pairs: Pairs;
  readonly turns: readonly Turn[];
  readonly turnOf: ReadonlyMap<HistoryEntry, Turn>;
  readonly indexOf: ReadonlyMap<string, number>;
  readonly byId: ReadonlyMap<string, HistoryEntry>;
  /** Pinned entries, with the whole exchange that one of them belongs to. */
  readonly pinned: ReadonlySet<HistoryEntry>;
  /** The last entry of the given history that answers something or needs no call. */
  readonly newest: HistoryEntry | undefined;
  /** The newest user message; without one, the viewer's newest task. */
  readonly question: HistoryEntry | undefined;
  readonly roleOf: (entry: HistoryEntry) => Role;
}

/** Reads a history anew, without any function of the packages. */
export function readHistory(
  entries: readonly HistoryEntry[],
  viewerId: string | undefined,
): HistoryReading {
  const unique = firstCopies(entries);
  const pairs = readPairs(unique);
  const { actionOf, resultsOf } = pairs;
  const sound = unique.flatMap((entry) =>
    entry.type === "observation" ? [] : [entry, ...(resultsOf.get(entry) ?? [])],
  );
  const remaining = new Set(sound.map(({ id }) => id));
  const isRequest = requestTest(sound, viewerId);
  const turns = readTurns(sound, { pairs, isRequest, viewerId });
  const pinned = new Set(
    sound
      .filter((entry) => entry.pinned === true)
      .flatMap((entry) => {
        const action = actionOf.get(entry) ?? entry;
        return [action, ...(resultsOf.get(action) ?? [])];
      }),
  );
  return {
    viewerId,
    sound,
    pairs,
    turns,
    turnOf: new Map(turns.flatMap((turn) => turn.entries.map((entry) => [entry, turn]))),
    indexOf: new Map(sound.map(({ id }, index) => [id, index])),
    byId: new Map(sound.map((entry) => [entry.id, entry])),
    pinned,
    newest: unique.findLast(({ id }) => remaining.has(id)),
    question: sound.findLast(isRequest),
    roleOf: (entry) => roleOf(entry, viewerId),
  };
}

/** The first copy of each id; of a result the first that stands behind a call. */
function firstCopies(entries: readonly HistoryEntry[]): readonly HistoryEntry[] {
  const { actionOf } = readPairs(entries);
  const answers = (entry: HistoryEntry | undefined): boolean =>
    entry?.type !== "observation" || actionOf.has(entry);
  const indexOf = new Map<string, number>();
  for (const [index, entry] of entries.entries()) {
    const known = indexOf.get(entry.id);
    if (known === undefined || (!answers(entries[known]) && answers(entry))) {
      indexOf.set(entry.id, index);
    }
  }
  return entries.filter((entry, entryIndex) => indexOf.get(entry.id) === entryIndex);
}

function requestTest(
  sound: readonly HistoryEntry[],
  viewerId: string | undefined,
): (entry: HistoryEntry) => boolean {
  const asksUser = sound.some(({ type }) => type === "user_message");
  if (asksUser) return ({ type }) => type === "user_message";
  return (entry) =>
    entry.type === "task" &&
    (viewerId === undefined ? entry.from === undefined : entry.agent.id === viewerId);
}

interface TurnRules {
  readonly pairs: Pairs;
  readonly isRequest: (entry: HistoryEntry) => boolean;
  readonly viewerId: string | undefined;
}

/** A request begins a turn, unless the entry before it (beside what stands between messages) is one too. */
function readTurns(sound: readonly HistoryEntry[], rules: TurnRules): readonly Turn[] {
  const groups: HistoryEntry[][] = [[]];
  let isInRow = false;
  for (const entry of sound) {
    const begins = rules.isRequest(entry) && !isInRow;
    if (begins) groups.push([]);
    groups.at(-1)?.push(entry);
    const isBeside = isDerived(entry) || isInstruction(entry) || entry.type === "attachment";
    isInRow = rules.isRequest(entry) || (isInRow && isBeside);
  }
  return groups.map((entries) => ({
    entries,
    requests: entries.filter(rules.isRequest),
    lastAnswer: entries.findLast((entry) => isAnswer(entry, rules.viewerId)),
  }));
}

/** What an agent says at the end of its work; of several agents, the viewer's own words. */
function isAnswer(entry: HistoryEntry, viewerId: string | undefined): boolean {
  const { type } = entry;
  if (type === "assistant_message") return true;
  const isFinal = type === "final" || type === "synthesis";
  return isFinal && roleOf(entry, viewerId) === "assistant";
}
