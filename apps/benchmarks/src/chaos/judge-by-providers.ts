import type { HistoryEntry, ReductionPlan, Viewer } from "@agent-history/core";
import { plainPromptProblems } from "@agent-history/sdk-tests";

import { isDerived } from "../oracle/entry-role.ts";
import { hasClearTurns } from "../oracle/has-clear-turns.ts";
import { readHistory } from "../oracle/read-history.ts";
import type { Breach } from "../oracle/trial.ts";

/** A fit never breaks a rule of a provider that the whole history keeps. */
export function judgeByProviders(
  given: readonly HistoryEntry[],
  fitted: readonly HistoryEntry[],
  { viewer, plan }: { readonly viewer: Viewer | undefined; readonly plan: ReductionPlan },
): readonly Breach[] {
  if (given.some(isBlank)) return [];
  const before = new Set(plainPromptProblems(given, viewer));
  const after = new Set(plainPromptProblems(fitted, viewer));
  // What stands for itself may stand beside its like (a format for strict templates joins them), and in a log of many the roles are not two: a template's turns are told of one agent.
  const reading = readHistory(given, viewer?.agentId);
  const agents = new Set(given.map(({ agent }) => agent?.id));
  // Instructions in the middle stay where they stand, whoever spoke before them.
  const isSystem = ({ type }: HistoryEntry): boolean => type === "system_message";
  const isInMiddle = given.findLastIndex(isSystem) >= given.filter(isSystem).length;
  // Where there is room for the question alone, what stood between it and its uploads may go.
  const isPlain =
    agents.size < 2 &&
    !isInMiddle &&
    !plan.decisions.some(({ step }) => step === "fit") &&
    hasClearTurns(reading) &&
    !given.some((entry) => entry.pinned === true || isNote(entry)) &&
    ![...given, ...fitted].some(isDerived);
  // What Mistral refuses first hides what else it refuses, such as images of results, which read as a user's.
  const isRefused = [...before].some((rule) => rule.startsWith("mistral"));
  return [...after].flatMap((rule) => {
    const isJudged = (isPlain && !isRefused) || !rule.startsWith("mistral");
    // Another agent's result may seem to answer what still runs, under the same call id, and its call may stand beside it.
    const isRunning =
      /: (unanswered-call|duplicate-call-id)$/.test(rule) && reading.pairs.running.size > 0;
    return before.has(rule) || isRunning || !isJudged ? [] : [{ law: "provider", rule }];
  });
}

/** What reads as a user's though nobody asked. */
function isNote({ type }: HistoryEntry): boolean {
  return type === "error" || type === "global_observation";
}

/** What says nothing stands in no message of some providers. */
function isBlank({ type, content }: HistoryEntry): boolean {
  return (
    type !== "observation" &&
    type !== "action" &&
    typeof content === "string" &&
    content.trim() === ""
  );
}
