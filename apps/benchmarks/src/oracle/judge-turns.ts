import type { HistoryEntry } from "@agent-history/core";

import { isDerived, isInstruction } from "./entry-role.ts";
import type { Breach, Trial } from "./judge-fit.ts";
import type { Turn } from "./read-history.ts";

/** L15: once anything was cut, turns stay whole, a user's message comes first, and no role stands twice in a row that did not before. */
export function judgeTurns(trial: Trial): readonly Breach[] {
  if (!trial.isCut) return [];
  return [
    ...turnBreaches(trial),
    ...holeBreaches(trial),
    ...firstBreaches(trial),
    ...rowBreaches(trial),
  ];
}

function turnBreaches(trial: Trial): readonly Breach[] {
  return trial.before.turns.flatMap((turn): readonly Breach[] => {
    const { requests, lastAnswer } = turn;
    const [first] = requests;
    // A pinned part stands for itself, and says nothing of the others.
    const standsAlone = [...requests, lastAnswer].some((entry) => entry && isExempt(entry, trial));
    if (first === undefined || standsAlone) return [];
    const breaches: Breach[] = [];
    const found = (rule: string, at = first.id): void => {
      breaches.push({ law: "L15", rule, at });
    };
    const kept = requests.filter(({ id }) => trial.keptIds.has(id));
    if (kept.length > 0 && kept.length < requests.length) found("part of a request");
    const hasAnswer = lastAnswer !== undefined && trial.keptIds.has(lastAnswer.id);
    if (kept.length > 0 && lastAnswer !== undefined && !hasAnswer) found("question without answer");
    if (kept.length > 0) return breaches;
    if (hasAnswer) found("answer without question", lastAnswer.id);
    const rest = turn.entries.find((entry) => isPart(entry, trial) && trial.keptIds.has(entry.id));
    if (rest !== undefined && rest !== lastAnswer) found("trace without question", rest.id);
    return breaches;
  });
}

/** Without a scorer and steps of one's own, what is kept is the newest turns without a hole; the opening may stand before them. */
function holeBreaches({ before, keptIds, isInOrder }: Trial): readonly Breach[] {
  if (!isInOrder) return [];
  const asked = before.turns.filter(({ requests }) => requests.length > 0);
  const isKept = (turn: Turn | undefined): boolean =>
    turn?.requests.some((entry) => keptIds.has(entry.id) && !before.pinned.has(entry)) === true;
  // An agent keeps the task that it began with.
  const first = before.sound.some(({ type }) => type === "action" || type === "task") ? 1 : 0;
  const hole = asked.findIndex((turn, nth) => {
    return nth >= first && isKept(turn) && asked[nth + 1] !== undefined && !isWhole(asked[nth + 1]);
  });
  const at = asked[hole]?.requests[0]?.id;
  return at === undefined ? [] : [{ law: "L15", rule: "hole between turns", at }];

  function isWhole(turn: Turn | undefined): boolean {
    return turn?.requests.some((entry) => keptIds.has(entry.id)) === true;
  }
}

function firstBreaches({ before, after, fitted, keptIds }: Trial): readonly Breach[] {
  const hasUser = before.sound.some(
    (entry) => before.roleOf(entry) === "user" && !isDerived(entry),
  );
  const first = fitted.find((entry) => !isInstruction(entry) && after.roleOf(entry) !== "system");
  if (first === undefined || !hasUser || after.roleOf(first) === "user") return [];
  const whole = before.sound.find(
    (entry) => !isInstruction(entry) && before.roleOf(entry) !== "system",
  );
  // What follows a greeting that everybody kept is no fault of the cut, unless the greeting had to go with it.
  const isPinned = before.pinned.has(before.byId.get(first.id) ?? first);
  const isGreeting = whole?.id === first.id && keptIds.has(first.id);
  const rule = isPinned
    ? "begins with a pinned answer"
    : isGreeting
      ? "keeps a greeting"
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
    const [from, to] = [before.placeOf.get(previous.id), before.placeOf.get(entry.id)];
    if (from === undefined || to === undefined) return [];
    const between = before.sound.slice(from + 1, to);
    const isSo = between.every((one) => [role, "system"].includes(before.roleOf(one)));
    return isSo ? [] : [{ law: "L15", rule: `${role} twice in a row`, at: entry.id }];
  });
}

/** What stands for itself and counts for no turn. */
function isExempt(entry: HistoryEntry, { before }: Trial): boolean {
  const own = before.byId.get(entry.id);
  return own === undefined || before.pinned.has(own) || isInstruction(own) || isDerived(own);
}

function isPart(entry: HistoryEntry, trial: Trial): boolean {
  const isRunning = [...trial.before.pairs.running].some((action) => {
    return action === entry || trial.before.pairs.actionOf.get(entry) === action;
  });
  return !isExempt(entry, trial) && !isRunning && entry !== trial.before.newest;
}
