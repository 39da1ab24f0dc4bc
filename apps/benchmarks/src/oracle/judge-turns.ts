import type { HistoryEntry } from "@agent-history/core";

import { isDerived, isInstruction } from "./entry-role.ts";
import { hasClearTurns, sharedTurnTest } from "./has-clear-turns.ts";
import type { HistoryReading, Turn } from "./read-history.ts";
import type { Breach, Trial } from "./trial.ts";

/** L15: once anything was cut, turns stay whole, a user's message comes first, and no role appears twice in a row that did not before. */
export function judgeTurns(trial: Trial): readonly Breach[] {
  if (!trial.isCut) return [];
  return [
    ...turnBreaches(trial),
    ...firstBreaches(trial),
    // Where names and places contradict each other, neither tells for certain which turn an entry is of.
    ...(hasClearTurns(trial.before) ? [...holeBreaches(trial), ...rowBreaches(trial)] : []),
  ];
}

function turnBreaches(trial: Trial): readonly Breach[] {
  const isShared = sharedTurnTest(trial.before);
  return trial.before.turns.flatMap((turn): readonly Breach[] => {
    const { requests, lastAnswer } = turn;
    const [first] = requests;
    // A pinned part stands for itself, and says nothing of the others.
    const standsAlone = [...requests, lastAnswer].some((entry) => entry && isExempt(entry, trial));
    if (first === undefined || standsAlone || isShared(turn)) return [];
    const breaches: Breach[] = [];
    const found = (rule: string, at = first.id): void => {
      breaches.push({ law: "L15", rule, at });
    };
    const kept = requests.filter(({ id }) => trial.keptIds.has(id));
    // The turn being answered is not over: of its words only the newest request has to stay where there is no room.
    const { turns, newest, pairs } = trial.before;
    const isNow = (entry: HistoryEntry): boolean => entry === newest || pairs.running.has(entry);
    const isOver = turn !== turns.at(-1) && !turn.entries.some(isNow);
    const { pinned } = trial.before;
    const leads = turn.entries.some((one) => pinned.has(one) && trial.keptIds.has(one.id));
    // Of tasks in a row that lead to something pinned, the last has to stay where there is no room.
    const mayPart = leads && first.type === "task" && !hasRoomFor(requests, trial);
    const isRequired =
      (isOver && !mayPart) || (trial.hasRoomForTurn && hasRoomFor(requests, trial));
    if (kept.length > 0 && kept.length < requests.length && isRequired) {
      found("part of a request");
    }
    const hasAnswer = lastAnswer !== undefined && trial.keptIds.has(lastAnswer.id);
    // A request leads to what is pinned in its turn, where there is or was no room for its answer.
    const isLead =
      leads &&
      lastAnswer !== undefined &&
      (trial.droppedBefore?.has(lastAnswer.id) === true || !hasRoomFor([lastAnswer], trial));
    if (isOver && kept.length > 0 && lastAnswer !== undefined && !hasAnswer && !isLead) {
      found("question without answer");
    }
    if (kept.length > 0) return breaches;
    if (hasAnswer) found("answer without question", lastAnswer.id);
    const rest = turn.entries.find((entry) => isPart(entry, trial) && trial.keptIds.has(entry.id));
    if (rest !== undefined && rest !== lastAnswer) found("trace without question", rest.id);
    return breaches;
  });
}

/** Tells whether what is missing of some entries fits beside what was kept. */
function hasRoomFor(entries: readonly HistoryEntry[], trial: Trial): boolean {
  const { fitted, keptIds, countEntry, requestTokens, window } = trial;
  const shown = [...fitted, ...entries.filter(({ id }) => !keptIds.has(id))];
  const tokens = shown.reduce((sum, entry) => sum + countEntry(entry), requestTokens);
  return tokens <= window.contextTokens - (window.marginTokens ?? 0);
}

/** Without a scorer and steps of one's own, what is kept is the newest turns without a hole; the opening may stand before them. */
function holeBreaches(trial: Trial): readonly Breach[] {
  const { before, keptIds, isInOrder, droppedBefore, keepsFirst } = trial;
  if (!isInOrder) return [];
  const asked = before.turns.filter(({ requests }) => requests.length > 0);
  // What is pinned brings the request that it stands after, and so does a late result that is the newest entry, or a running exchange.
  const isFixed = (entry: HistoryEntry): boolean =>
    before.pinned.has(entry) ||
    entry === before.newest ||
    before.pairs.running.has(entry) ||
    isOwnTask(entry, before.viewerId);
  // A request that no answer parts from the turn before stays with it.
  const isFixedTurn = (nth: number): boolean => {
    if (asked[nth]?.entries.some(isFixed) === true) return true;
    const said = asked[nth - 1]?.entries.findLast((one) => before.roleOf(one) !== "system");
    return said !== undefined && before.roleOf(said) === "user" && isFixedTurn(nth - 1);
  };
  const isKept = (turn: Turn, nth: number): boolean =>
    turn.requests.some((entry) => keptIds.has(entry.id)) && !isFixedTurn(nth);
  const isSaid = (turn: Turn): boolean =>
    turn.entries.some((entry) => before.roleOf(entry) === "assistant");
  const first = keepsFirst === true ? asked.findIndex(isSaid) + 1 : 0;
  // What was sent before the hole for such a reason, or as the opening, stays when the reason is gone.
  const wasSo = (turn: Turn, next: Turn): boolean =>
    next.requests.every(({ id }) => droppedBefore?.has(id)) &&
    !turn.requests.some(({ id }) => droppedBefore?.has(id));
  const hole = asked.findIndex((turn, nth) => {
    const next = asked[nth + 1];
    return (
      nth >= first &&
      next !== undefined &&
      isKept(turn, nth) &&
      !isWhole(next) &&
      !wasSo(turn, next)
    );
  });
  const at = asked[hole]?.requests[0]?.id;
  return at === undefined ? [] : [{ law: "L15", rule: "hole between turns", at }];

  function isWhole(turn: Turn): boolean {
    return turn.requests.some((entry) => keptIds.has(entry.id));
  }
}

function firstBreaches({ before, after, fitted, droppedBefore }: Trial): readonly Breach[] {
  const isSpoken = (entry: HistoryEntry): boolean => before.roleOf(entry) !== "system";
  const first = fitted.find((entry) => after.roleOf(entry) !== "system");
  if (first === undefined || after.roleOf(first) === "user") return [];
  const index = before.indexOf.get(first.id) ?? 0;
  const users = before.sound.filter(
    (entry) => before.roleOf(entry) === "user" && !isDerived(entry),
  );
  // What the history itself begins with, and must stay, has no user before it.
  const hasUser = users.some(({ id }) => (before.indexOf.get(id) ?? index) < index);
  const own = before.byId.get(first.id) ?? first;
  const newest = newestExchange(before);
  const mustStay = before.pinned.has(own) || before.pairs.running.has(own) || own === newest;
  if (users.length === 0 || (mustStay && !hasUser)) return [];
  const isGreeting =
    before.sound.find((entry) => !isInstruction(entry) && isSpoken(entry))?.id === first.id;
  // What had to stay at an earlier cut stays when the reason is gone.
  const wasCut = droppedBefore !== undefined && droppedBefore.size > 0;
  if (isGreeting && wasCut && !droppedBefore.has(own.id)) return [];
  const rule = isGreeting
    ? "keeps a greeting"
    : before.pinned.has(own)
      ? "begins with a pinned answer"
      : before.question === undefined
        ? "begins with no user, though nobody asks"
        : "begins with no user";
  return [{ law: "L15", rule, at: first.id }];
}

function rowBreaches(trial: Trial): readonly Breach[] {
  const { before, after } = trial;
  const shown = trial.fitted.filter((entry) => after.roleOf(entry) !== "system");
  return shown.flatMap((entry, nth): readonly Breach[] => {
    const previous = shown[nth - 1];
    if (previous === undefined) return [];
    const role = after.roleOf(entry);
    if (role === "tool" || after.roleOf(previous) !== role) return [];
    if ([entry, previous].some((one) => isExempt(one, trial) || isDerived(one))) return [];
    const [from, to] = [before.indexOf.get(previous.id), before.indexOf.get(entry.id)];
    if (from === undefined || to === undefined) return [];
    const isOfTurn = from >= trial.turnStart;
    if (isOfTurn && !trial.hasRoomForTurn) return [];
    const between = before.sound.slice(from + 1, to);
    if ([entry, previous].some((one) => isOwnTask(one, before.viewerId))) return [];
    // What must stay stands beside the turn before, where there is no room for its request.
    const isFixed = before.pairs.running.has(entry) || entry === newestExchange(before);
    const requests = turnOf(before, entry)?.requests ?? [];
    if (isFixed && requests.length > 0 && !hasRoomFor(requests, trial)) return [];
    // What had to stand so at an earlier cut stands so on.
    const { droppedBefore: gone } = trial;
    const wasSo = gone !== undefined && between.every(({ id }) => gone.has(id));
    if (wasSo && ![entry, previous].some(({ id }) => gone.has(id))) return [];
    const isSo = between.every((one) => [role, "system"].includes(before.roleOf(one)));
    return isSo ? [] : [{ law: "L15", rule: `${role} twice in a row`, at: entry.id }];
  });
}

function newestExchange({ newest, pairs }: HistoryReading): HistoryEntry | undefined {
  return newest && (pairs.actionOf.get(newest) ?? newest);
}

function turnOf({ turns }: HistoryReading, entry: HistoryEntry): Turn | undefined {
  return turns.find(({ entries }) => entries.includes(entry));
}

/** What stands for itself and counts for no turn. */
function isExempt(entry: HistoryEntry, { before }: Trial): boolean {
  const own = before.byId.get(entry.id);
  return own === undefined || before.pinned.has(own) || isInstruction(own) || isDerived(own);
}

/** In a log of many an agent's own task stays beside what the user asked. */
function isOwnTask(entry: HistoryEntry, viewerId: string | undefined): boolean {
  return entry.type === "task" && entry.agent.id === viewerId;
}

function isPart(entry: HistoryEntry, trial: Trial): boolean {
  const isRunning = [...trial.before.pairs.running].some((action) => {
    return action === entry || trial.before.pairs.actionOf.get(entry) === action;
  });
  const { newest, viewerId, pairs } = trial.before;
  const exchangeOf = (one: HistoryEntry): HistoryEntry => pairs.actionOf.get(one) ?? one;
  const isNewest = newest !== undefined && exchangeOf(newest) === exchangeOf(entry);
  const isOwn = isOwnTask(entry, viewerId) || isNewest;
  return !isExempt(entry, trial) && !isRunning && !isOwn;
}
