import type { Decision } from "@agent-history/core";

import { BECAUSE, FOR_QUESTION } from "./drop-held.ts";
import { APART } from "./roles.ts";

/** The steps that drop requests and answers of the turn that is being answered. */
const STEPS: ReadonlySet<string> = new Set([
  BECAUSE.step,
  FOR_QUESTION.step,
  APART.step,
  "drop-this-turn",
]);

/** Returns whether a decision took what had no room while its turn was being answered, or an exchange ran. */
export function givesUp({ action, step }: Decision): boolean {
  return action.kind !== "keep" && STEPS.has(step);
}
