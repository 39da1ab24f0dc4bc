import type { FitOptions } from "../fit-options.ts";
import type { Recall } from "../recall.ts";

/** What quotes old entries in a fit, or how it does without. */
export function recallOf({
  scorer,
  recall = "block",
}: Pick<FitOptions, "scorer" | "recall">): Recall | "on-cut" | "every-turn" | "off" {
  if (scorer === undefined) return "off";
  return recall === "block" ? (scorer.recall ?? "on-cut") : recall;
}
