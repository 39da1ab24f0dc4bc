import type { HistoryEntry, ReductionPlan, Viewer } from "@agent-history/core";
import { checkHistory } from "@agent-history/core/check";
import type { Violation } from "@agent-history/core/check";
import { plainPromptProblems } from "@agent-history/sdk-tests";

import { isAside, readTurns } from "./read-turns.ts";
import type { HistoryReading, ReadTurn } from "./read-turns.ts";

/** A law that a fit broke. */
export interface Breach {
  /** The law of the design, or a provider's rule. */
  readonly law: string;
  readonly rule: string;
  /** The entry at which it shows. */
  readonly at?: string;
}

/** What went into a fit, and what came out. */
export interface JudgedFit {
  readonly given: readonly HistoryEntry[];
  readonly fitted: readonly HistoryEntry[];
  readonly plan: ReductionPlan;
  readonly viewer: Viewer;
  /** The tokens that the whole request may have. */
  readonly budget: number;
  readonly countEntry: (entry: HistoryEntry) => number;
  /** Neither scorer nor steps of the caller's own: older turns never outlive newer ones. */
  readonly isInOrder: boolean;
  /** The first request stays with its answer. */
  readonly keepsFirst: boolean;
  /** What the call before left out, where its plan was handed in. */
  readonly dropped: ReadonlySet<string>;
}

/** A fit, what it was made of, and what it shows of that. */
interface Trial extends JudgedFit {
  readonly before: HistoryReading;
  /** By its place in what was given, copies left out. */
  readonly newest: HistoryEntry | undefined;
  /** Without blocks that quote. */
  readonly shown: readonly HistoryEntry[];
  readonly shownIds: ReadonlySet<string>;
}

/** Judges a fit: by core's check, by the providers' rules, and by what neither knows: its plan and how much room there was. */
export function judgeFit(fit: JudgedFit): readonly Breach[] {
  const blocks = new Set(blocksOf(fit.plan).map(({ id }) => id));
  const shown = fit.fitted.filter(({ id }) => !blocks.has(id));
  const before = readTurns(fit.given, fit.viewer);
  const newest = fit.given.findLast(
    (entry, index) => before.sound.includes(entry) && fit.given.indexOf(entry) === index,
  );
  const shownIds = new Set(shown.map(({ id }) => id));
  const trial: Trial = { ...fit, before, newest, shown, shownIds };
  return [
    ...checkBreaches(trial),
    ...providerBreaches(trial),
    ...turnBreaches(trial),
    ...holeBreaches(trial),
    ...accountBreaches(trial),
    ...blockBreaches(trial),
  ];
}

function blocksOf({ head, recalls = [] }: ReductionPlan) {
  return head === undefined ? recalls : [head, ...recalls];
}

/** L1, L2, L3, L15, L16, against the history as it is once it is repaired. */
function checkBreaches(trial: Trial): readonly Breach[] {
  const { before, shown, shownIds, viewer, newest } = trial;
  const breaches = checkHistory(shown, { before: before.sound, viewer })
    .filter((violation) => isJudged(violation, trial))
    .map(({ law, rule, entryId: at }): Breach => ({ law, rule, at }));
  // By its place in what was given: a repair may have moved it.
  if (newest !== undefined && !shownIds.has(newest.id))
    breaches.push({ law: "L16", rule: "newest-lost", at: newest.id });
  return breaches;
}

function isJudged({ law, rule, entryId }: Violation, { before, shownIds, plan, viewer }: Trial) {
  if (rule === "newest-lost" || (law === "L15" && !before.isClear)) return false;
  // What a repair moves stays with its request.
  const ofMoved = rule === "request-without-answer" || rule === "begins-with-answer";
  if (ofMoved && plan.repairs.length > 0) return false;
  // Another agent's exchange is looked for as far back as anything is.
  const action = before.sound[before.indexOf.get(entryId) ?? -1];
  const isOthers = viewer.agentId !== undefined && action?.agent?.id !== viewer.agentId;
  const isFar = isOthers && plan.decisions.some(({ step }) => step === "horizon");
  return rule !== "running-exchange-lost" || !isFar || shownIds.has(entryId);
}

/** What a strict server refuses of the prompt, and not of the whole history; none knows what to do with empty texts. */
function providerBreaches({ given, before: { sound, running }, shown, viewer }: Trial) {
  if (sound !== given || given.some(isEmpty)) return [];
  const known = new Set(plainPromptProblems(given, viewer));
  // Another agent's result may seem to answer what still runs, under the same call id.
  const isOfRunning = (rule: string): boolean =>
    running.size > 0 && /: (unanswered-call|duplicate-call-id)$/.test(rule);
  // Mistral's roles are those of a chat of two.
  return plainPromptProblems(shown, viewer)
    .filter((rule) => !known.has(rule) && !rule.startsWith("mistral") && !isOfRunning(rule))
    .map((rule): Breach => ({ law: "provider", rule }));
}

function isEmpty({ content, type }: HistoryEntry): boolean {
  const isTrace = type === "observation" || type === "action";
  return !isTrace && typeof content === "string" && content.trim() === "";
}

/** L2 and L15: pins stay, a finished turn's request and answer stay together where there is room, and nothing stays of a turn without its request. */
function turnBreaches(trial: Trial): readonly Breach[] {
  const { before, shownIds, dropped } = trial;
  const isLost = ({ id }: HistoryEntry): boolean => !shownIds.has(id);
  const isLostNow = (entry: HistoryEntry): boolean => isLost(entry) && !dropped.has(entry.id);
  const left = trial.budget - trial.plan.requestTokens - tokensOf(trial.fitted, trial);
  const breaches = [...before.pinned]
    .filter(isLostNow)
    .map(({ id }): Breach => ({ law: "L2", rule: "pin lost", at: id }));
  for (const { pair, requests, entries } of before.isClear ? before.turns : []) {
    const isOpen = entries.some((one) => one === before.question || before.running.has(one));
    const missing = pair.filter(isLost);
    const [first] = missing;
    if (first === undefined || pair.some((one) => before.pinned.has(one))) continue;
    // A request may stay without its answer, and a task without the one before it, where they lead to a pin and there is no room.
    const isSplit = first.type !== "task" && requests.includes(first) && !requests.every(isLost);
    const hasRoom = missing.every(isLostNow) && tokensOf(missing, trial) <= left;
    if (missing.length < pair.length && (isOpen ? isSplit && hasRoom : isSplit || hasRoom))
      breaches.push({ law: "L15", rule: "part of a turn lost", at: first.id });
    const rest = entries.find((one) => !isLost(one) && !isFixed(one, trial) && !isAside(one));
    if (requests.length > 0 && requests.every(isLost) && rest !== undefined)
      breaches.push({ law: "L15", rule: "trace without question", at: rest.id });
  }
  return breaches;
}

/** What is pinned or runs, the newest entry with its exchange, and an agent's own task stay by themselves. */
function isFixed(entry: HistoryEntry, { before, viewer, newest }: Trial): boolean {
  return (
    before.pinned.has(entry) ||
    before.running.has(entry) ||
    (before.membersOf.get(entry) ?? [entry]).some(({ id }) => id === newest?.id) ||
    (entry.type === "task" && entry.agent.id === viewer.agentId)
  );
}

function tokensOf(entries: readonly HistoryEntry[], { countEntry }: JudgedFit): number {
  return entries.reduce((sum, entry) => sum + countEntry(entry), 0);
}

/** L15: what is kept is the newest turns without a hole; the opening may stand before them. */
function holeBreaches(trial: Trial): readonly Breach[] {
  const { before, shownIds, dropped } = trial;
  if (!trial.isInOrder || !before.isClear) return [];
  const asked = before.turns.filter(({ requests }) => requests.length > 0);
  // A request that no answer parts from the turn before stays with it.
  const isFixedTurn = (nth: number): boolean => {
    if (asked[nth]?.entries.some((one) => isFixed(one, trial)) === true) return true;
    const said = asked[nth - 1]?.entries.findLast((one) => before.roleOf(one) !== "system");
    return said !== undefined && before.roleOf(said) === "user" && isFixedTurn(nth - 1);
  };
  const isKept = ({ requests }: ReadTurn): boolean => requests.some(({ id }) => shownIds.has(id));
  const wasDropped = ({ requests }: ReadTurn): boolean =>
    requests.every(({ id }) => dropped.has(id));
  const opening = trial.keepsFirst
    ? asked.findIndex(({ entries }) => entries.some((one) => before.roleOf(one) === "assistant"))
    : -1;
  return asked.flatMap((turn, nth): readonly Breach[] => {
    const next = asked[nth + 1];
    if (nth <= opening || next === undefined || isKept(next) || !isKept(turn)) return [];
    // What was sent before the hole for such a reason stays when the reason is gone.
    if (isFixedTurn(nth) || (wasDropped(next) && !wasDropped(turn))) return [];
    return [{ law: "L15", rule: "hole between turns", at: next.requests[0]?.id ?? "" }];
  });
}

/** L4 and L9: the request is within the window by a sum of its own, and the plan's figures add up to it. */
function accountBreaches(trial: Trial): readonly Breach[] {
  const { fitted, plan, budget, given } = trial;
  const { decisions, repairs, requestTokens, totalTokens } = plan;
  // Media of unknown size count no more than a share of the window.
  const total = plan.estimatedMedia ? totalTokens : requestTokens + tokensOf(fitted, trial);
  const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
  const decided = sum(decisions.map(({ tokensAfter }) => tokensAfter));
  const quoted = sum(blocksOf(plan).map(({ tokens }) => tokens));
  const repaired = repairs.map(({ kind }) =>
    kind === "added-result" ? 1 : kind.startsWith("dropped") ? -1 : 0,
  );
  const isDecided =
    sum(decisions.map(({ entryCount }) => entryCount)) === given.length + sum(repaired);
  return [
    ...(total > budget ? [{ law: "L4", rule: "over the window" }] : []),
    ...(totalTokens === total ? [] : [{ law: "L9", rule: "total is not what was sent" }]),
    ...(decided + quoted + requestTokens === totalTokens
      ? []
      : [{ law: "L9", rule: "decisions do not add up" }]),
    ...(isDecided ? [] : [{ law: "L9", rule: "entries without one decision" }]),
  ];
}

/** L9 and L14: a block that quotes stands directly before its request, and holds words that were said, each once. */
function blockBreaches({ given, fitted, plan }: Trial): readonly Breach[] {
  const blocks = blocksOf(plan);
  const quotedOnce = new Set<string>();
  return blocks.flatMap(({ id, before, quotes }): readonly Breach[] => {
    const index = fitted.findIndex((entry) => entry.id === id);
    const next = fitted
      .slice(index + 1)
      .find((entry) => blocks.every((one) => one.id !== entry.id));
    if (index < 0 || next?.id !== before || !["user_message", "task"].includes(next.type))
      return [{ law: "L9", rule: "a block stands elsewhere", at: id }];
    const words = fitted[index]?.content ?? "";
    const isWrong = quotes.some((quote) => {
      const copies = given.filter((entry) => entry.id === quote);
      const isTwice = quotedOnce.has(quote);
      quotedOnce.add(quote);
      return isTwice || (copies.length > 0 && !copies.some((entry) => isIn(words, entry)));
    });
    return isWrong ? [{ law: "L9", rule: "a block quotes otherwise", at: id }] : [];
  });
}

/** Whether a block holds the words of an entry that may be quoted; what would read as a tag or a voice is written otherwise. */
function isIn(words: HistoryEntry["content"], entry: HistoryEntry): boolean {
  if (!QUOTABLE.has(entry.type)) return false;
  const said = entry.type === "user_message" ? (entry.rendered ?? entry.content) : entry.content;
  if (typeof words !== "string" || typeof said !== "string" || /[<\n]/u.test(said)) return true;
  return words.includes(said);
}

const QUOTABLE = new Set(["user_message", "assistant_message", "task", "final", "synthesis"]);
