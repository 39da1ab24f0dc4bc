import type { HistoryEntry } from "@agent-history/core";

import { sameJson } from "./same-json.ts";
import type { Breach, Trial } from "./trial.ts";

/** L3 and L16: the question word for word, the running exchange, the newest entry, and never nothing. */
export function judgeKept(trial: Trial): readonly Breach[] {
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
