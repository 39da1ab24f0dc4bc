import { recallsIn } from "./judge-recalls.ts";
import type { Breach, Trial } from "./trial.ts";

/** L4 and L9: the request is within the window by a count of its own, and the plan's figures add up to it. */
export function judgeAccount(trial: Trial): readonly Breach[] {
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
