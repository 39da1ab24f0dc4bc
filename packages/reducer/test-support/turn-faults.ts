import { groupExchanges, messageRole } from "@agent-history/core";
import type { HistoryEntry, Viewer } from "@agent-history/core";

const BESIDE = new Set(["system_message", "summary", "memory"]);

/**
 * Returns how a prompt violates L15 and L16, derived from the design alone. An oracle: it shares no code with the reducer.
 *
 * @param room - `hasRoom`: whether all of the turn being answered fits; if not, entries that separate its roles may be dropped. `fits`: whether
 *   an entry that was dropped fits unchanged beside what was kept.
 */
export function turnFaults(
  before: readonly HistoryEntry[],
  after: readonly HistoryEntry[],
  viewer: Viewer,
  { hasRoom, fits }: Pick<Facts, "hasRoom" | "fits">,
): readonly string[] {
  const kept = new Set(after.map(({ id }) => id));
  const newest = before.at(-1);
  const faults: string[] = [];
  if (newest !== undefined && !kept.has(newest.id)) faults.push(`newest ${newest.id} lost`);
  if (before.every(({ id }) => kept.has(id))) return faults;
  const alone = new Set(
    groupExchanges(before)
      .map((group) => (group.kind === "single" ? [group.entry] : group.entries))
      .filter((members) => members.some(({ type, pinned }) => pinned === true || BESIDE.has(type)))
      .flat(),
  );
  return [
    ...faults,
    ...partFaults(before, { kept, alone, viewer, hasRoom, fits }),
    ...roleFaults(before, after, { alone, viewer, hasRoom }),
  ];
}

interface Facts {
  readonly kept: ReadonlySet<string>;
  /** Entries of pinned exchanges, and of types in `BESIDE`. */
  readonly alone: ReadonlySet<HistoryEntry>;
  readonly viewer: Viewer;
  readonly hasRoom: boolean;
  readonly fits: (entry: HistoryEntry) => boolean;
}

/** All of a request and the last answer of its turn are kept or dropped together, except that a request is kept for a pinned entry of its turn if the answer does not fit. */
function partFaults(
  before: readonly HistoryEntry[],
  { kept, alone, viewer, hasRoom, fits }: Facts,
): readonly string[] {
  const turns = turnsOf(before, viewer);
  return turns.flatMap(({ requests: asked, rest }, nth): readonly string[] => {
    if (!hasRoom && nth === turns.length - 1) return [];
    // Of the request being answered, the newest message is kept word for word; there may be no room for earlier ones.
    const requests = nth === turns.length - 1 ? asked.slice(-1) : asked;
    const answer = rest.findLast(
      (entry) =>
        entry.type === "assistant_message" ||
        ((entry.type === "final" || entry.type === "synthesis") &&
          messageRole(entry, viewer) === "assistant"),
    );
    const parts = answer === undefined ? requests : [...requests, answer];
    // In a log shared by agents, the viewer's own task is a request in the user's turn, and its answers may be dropped with it.
    const hasTask = rest.some((entry) => isOwnTask(entry, viewer));
    if (hasTask || parts.some((part) => alone.has(part))) return [];
    const lost = parts.filter(({ id }) => !kept.has(id));
    if (lost.length === 0 || lost.length === parts.length) return [];
    const isLead = rest.some((entry) => alone.has(entry) && !BESIDE.has(entry.type));
    if (isLead && lost.every((entry) => entry === answer && !fits(entry))) return [];
    return [`${lost.map(({ id }) => id).join(" ")} lost of ${parts.map(({ id }) => id).join(" ")}`];
  });
}

interface ReadTurn {
  readonly requests: HistoryEntry[];
  readonly rest: HistoryEntry[];
}

function turnsOf(before: readonly HistoryEntry[], viewer: Viewer): readonly ReadTurn[] {
  const hasUser = before.some(({ type }) => type === "user_message");
  const turns: ReadTurn[] = [];
  let isInRow = false;
  for (const entry of before) {
    const asks = hasUser ? entry.type === "user_message" : isOwnTask(entry, viewer);
    if (asks && !isInRow) turns.push({ requests: [], rest: [] });
    const turn = turns.at(-1);
    (asks ? turn?.requests : turn?.rest)?.push(entry);
    isInRow = asks || (isInRow && (BESIDE.has(entry.type) || entry.type === "attachment"));
  }
  return turns;
}

function isOwnTask(entry: HistoryEntry, { agentId }: Viewer): boolean {
  return entry.type === "task" && entry.agent.id === agentId && entry.from?.id !== agentId;
}

/** The first message is a user message if the history has one, and a role is repeated only where the history repeats it. */
function roleFaults(
  before: readonly HistoryEntry[],
  after: readonly HistoryEntry[],
  { alone, viewer, hasRoom }: Omit<Facts, "kept" | "fits">,
): readonly string[] {
  const current = turnsOf(before, viewer).at(-1)?.requests[0];
  const roomFrom = hasRoom || current === undefined ? Infinity : before.indexOf(current);
  const own = new Map(before.map((entry, index) => [entry.id, { entry, index }]));
  const role = (entry: HistoryEntry): string => messageRole(entry, viewer);
  const isAlone = ({ id }: HistoryEntry): boolean => {
    const known = own.get(id);
    return known === undefined || alone.has(known.entry);
  };
  const shown = after.filter(({ type }) => type !== "system_message");
  const isBefore = (one: HistoryEntry | undefined, other: HistoryEntry): boolean =>
    one !== undefined && (own.get(one.id)?.index ?? 0) < (own.get(other.id)?.index ?? 0);
  const faults: string[] = [];
  const [first] = shown;
  const hasUser = before.some((entry) => role(entry) === "user" && !isAlone(entry));
  // A call that nobody requested is kept while it runs.
  const [request] = turnsOf(before, viewer)[0]?.requests ?? [];
  const isUnasked =
    groupExchanges(before).some(
      (group) => group.kind === "exchange" && group.running && group.action.id === first?.id,
    ) && !(first !== undefined && isBefore(request, first));
  if (first !== undefined && hasUser && !isUnasked && !isAlone(first) && role(first) !== "user") {
    faults.push(`begins with ${first.id}`);
  }
  for (const [nth, entry] of shown.entries()) {
    const last = shown[nth - 1];
    if (last === undefined || role(last) !== role(entry) || role(entry) === "tool") continue;
    if (isAlone(last) || isAlone(entry)) continue;
    const [from, to] = [own.get(last.id)?.index ?? 0, own.get(entry.id)?.index ?? 0];
    const isSo = before
      .slice(from, to)
      .every((one) => role(one) === role(entry) || one.type === "system_message");
    if (!isSo && from < roomFrom) faults.push(`${last.id} and ${entry.id} are both ${role(entry)}`);
  }
  return faults;
}
