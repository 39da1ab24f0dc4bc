import type { HistoryEntry } from "@agent-history/core";

import { isInstruction } from "./entry-role.ts";
import { judgeRecalls, recallsIn } from "./judge-recalls.ts";
import { judgeTurns } from "./judge-turns.ts";
import { readHistory } from "./read-history.ts";
import type { HistoryReading } from "./read-history.ts";
import { sameJson } from "./same-json.ts";
import type { Breach, JudgedFit, Trial } from "./trial.ts";

/** Finds every law of one fit that was broken, without a function of the packages that are judged. */
export function judgeFit(fit: JudgedFit): readonly Breach[] {
  const { given, viewerId, plan } = fit;
  const blocks = new Set(recallsIn(plan).map(({ id }) => id));
  const fitted = blocks.size === 0 ? fit.fitted : fit.fitted.filter(({ id }) => !blocks.has(id));
  const before = readHistory(given, viewerId);
  const keptIds = new Set(fitted.map(({ id }) => id));
  const repaired = new Set(plan.repairs.map(({ entryId }) => entryId));
  const trial: Trial = {
    ...fit,
    fitted,
    before,
    after: readHistory(fitted, viewerId),
    keptIds,
    // What a repair left out is no cut.
    isCut: before.sound.some(({ id }) => !keptIds.has(id) && !repaired.has(id)),
    ...turnRoom(fit, before),
  };
  return [
    ...judgePairs(trial),
    ...judgeOrder(trial),
    ...judgeKept(trial),
    ...judgeTurns(trial),
    ...judgeAccount({ ...trial, fitted: fit.fitted }),
    ...judgeRecalls(fit),
  ];
}

function turnRoom(
  { window, countEntry, requestTokens, hasOwnSteps }: JudgedFit,
  before: HistoryReading,
): Pick<Trial, "turnStart" | "hasRoomForTurn"> {
  const { sound, turns, pinned } = before;
  const [first] = turns.at(-1)?.entries ?? [];
  const turnStart = first === undefined ? 0 : (before.indexOf.get(first.id) ?? 0);
  const kept = sound.filter((entry, index) => {
    return index >= turnStart || isInstruction(entry) || pinned.has(entry);
  });
  const lead = leadOf(kept, before);
  const tokens = [...kept, ...lead].reduce((sum, entry) => sum + countEntry(entry), requestTokens);
  const { contextTokens, outputReserveTokens = 0, marginTokens = 0 } = window;
  const hasRoom = tokens <= contextTokens - outputReserveTokens - marginTokens;
  return { turnStart, hasRoomForTurn: hasRoom && hasOwnSteps !== true };
}

/** What must stand before an answer with which the prompt would begin otherwise. */
function leadOf(
  kept: readonly HistoryEntry[],
  { sound, roleOf }: HistoryReading,
): readonly HistoryEntry[] {
  const first = kept.find((entry) => roleOf(entry) !== "system");
  if (first === undefined || roleOf(first) === "user") return [];
  const lead = sound.slice(0, sound.indexOf(first)).findLast((entry) => roleOf(entry) === "user");
  return lead === undefined ? [] : [lead];
}

/** L1: each id once, each result directly after its action, each call answered unless its agent still works. */
function judgePairs({ fitted, after }: Trial): readonly Breach[] {
  const { actionOf, resultsOf, open, running } = after.pairs;
  const breaches: Breach[] = [];
  const found = (rule: string, at: string): void => {
    breaches.push({ law: "L1", rule, at });
  };
  const seen = new Set<string>();
  for (const [index, entry] of fitted.entries()) {
    const { id, type } = entry;
    if (seen.has(id)) found("id twice", id);
    seen.add(id);
    if (type === "observation" && !actionOf.has(entry)) found("orphan result", id);
    if (type !== "action") continue;
    if (open.has(entry) && !running.has(entry)) found("unanswered call", id);
    const results = resultsOf.get(entry) ?? [];
    const isTogether = results.every((result, nth) => fitted[index + 1 + nth] === result);
    if (!isTogether) found("scattered results", id);
  }
  return breaches;
}

/** L2: everything in its order, instructions and pins there and unchanged. */
function judgeOrder({ fitted, before, keptIds, droppedBefore }: Trial): readonly Breach[] {
  const breaches: Breach[] = [];
  let last = -1;
  for (const { id } of fitted) {
    const index = before.indexOf.get(id) ?? last;
    if (index < last) breaches.push({ law: "L2", rule: "order changed", at: id });
    last = Math.max(last, index);
  }
  const byId = new Map(fitted.map((entry) => [entry.id, entry]));
  for (const entry of before.sound) {
    const { id } = entry;
    if (isInstruction(entry) && !sameJson(byId.get(id), entry)) {
      const rule = keptIds.has(id) ? "instruction changed" : "instruction lost";
      breaches.push({ law: "L2", rule, at: id });
    }
    if (before.pinned.has(entry) && !keptIds.has(id) && droppedBefore?.has(id) !== true) {
      breaches.push({ law: "L2", rule: "pin lost", at: id });
    }
  }
  return breaches;
}

/** L3 and L16: the question word for word, the running exchange, the newest entry, and never nothing. */
function judgeKept(trial: Trial): readonly Breach[] {
  const { fitted, before } = trial;
  const byId = new Map(fitted.map((entry) => [entry.id, entry]));
  const breaches: Breach[] = [];
  const { question, newest } = before;
  if (question !== undefined && !isShown(question.id, trial.given, byId)) {
    const rule = byId.has(question.id) ? "question changed" : "question lost";
    breaches.push({ law: "L3", rule, at: question.id });
  }
  breaches.push(...runningBreaches(trial, byId));
  if (newest !== undefined) {
    const kept = byId.get(newest.id);
    const last = trial.given.at(-1)?.id ?? "";
    const isLost = kept === undefined && !isShown(last, trial.given.slice(-1), byId);
    if (isLost) breaches.push({ law: "L16", rule: "newest lost", at: newest.id });
    else if (kept !== undefined && !MAY_SHRINK.has(newest.type) && !sameJson(kept, newest)) {
      breaches.push({ law: "L16", rule: "newest changed", at: newest.id });
    }
    if (fitted.length === 0) breaches.push({ law: "L16", rule: "empty prompt" });
  }
  return breaches;
}

/** Returns whether an entry of this id is shown word for word. Several may bear it, where one stands further back than a fit looks. */
function isShown(
  id: string,
  given: readonly HistoryEntry[],
  shown: ReadonlyMap<string, HistoryEntry>,
): boolean {
  return given.some((entry) => entry.id === id && sameJson(shown.get(id), entry));
}

const MAY_SHRINK = new Set<HistoryEntry["type"]>([
  "observation",
  "final",
  "synthesis",
  "attachment",
  "assistant_message",
]);

function runningBreaches(
  { before: { pairs }, plan, viewerId }: Trial,
  byId: ReadonlyMap<string, HistoryEntry>,
): readonly Breach[] {
  const far = plan.decisions.findLast(({ step }) => step === "horizon");
  return [...pairs.running].flatMap((action): readonly Breach[] => {
    // How far back another agent waits for something is looked for as far as anything is.
    const isOthers = viewerId !== undefined && action.agent?.id !== viewerId;
    if (isOthers && far !== undefined && !byId.has(action.id)) return [];
    const kept = byId.get(action.id);
    const hasCalls =
      kept?.type === "action" &&
      action.type === "action" &&
      sameJson(kept.toolCalls, action.toolCalls);
    const results = pairs.resultsOf.get(action) ?? [];
    if (hasCalls && results.every(({ id }) => byId.has(id))) return [];
    return [{ law: "L3", rule: "running exchange cut", at: action.id }];
  });
}

/** L4 and L9: the request is within the window by a count of its own, and the plan's figures add up to it. */
function judgeAccount(trial: Trial): readonly Breach[] {
  const { fitted, plan, window, requestTokens, countEntry, given } = trial;
  // Media of unknown size count no more than a share of the window.
  const total =
    plan.estimatedMedia === undefined
      ? fitted.reduce((sum, entry) => sum + countEntry(entry), requestTokens)
      : plan.totalTokens;
  const breaches: Breach[] = [];
  const { contextTokens, outputReserveTokens = 0, marginTokens = 0 } = window;
  if (total > contextTokens - outputReserveTokens - marginTokens) {
    breaches.push({ law: "L4", rule: "over the window" });
  }
  const found = (rule: string): void => {
    breaches.push({ law: "L9", rule });
  };
  if (plan.totalTokens !== total) found("total is not what was sent");
  const after = plan.decisions.reduce((sum, { tokensAfter }) => sum + tokensAfter, 0);
  const quoted = recallsIn(plan).reduce((sum, { tokens }) => sum + tokens, 0);
  if (after + quoted + plan.requestTokens !== plan.totalTokens) found("decisions do not add up");
  const covered = plan.decisions.reduce((sum, { entryCount }) => sum + entryCount, 0);
  const added = plan.repairs.filter(({ kind }) => kind === "added-result").length;
  const dropped = plan.repairs.filter(({ kind }) => kind.startsWith("dropped")).length;
  if (covered !== given.length + added - dropped) found("entries without one decision");
  return breaches;
}
