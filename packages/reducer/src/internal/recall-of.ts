import { HistoryError } from "@agent-history/core";

import type { FitOptions } from "../fit-options.ts";
import type { Recall } from "../recall.ts";

/** What quotes old entries in a fit, or how it does without. */
export function recallOf({
  scorer,
  recall,
}: Pick<FitOptions, "scorer" | "recall">): Recall | "on-cut" | "every-turn" | "off" {
  if (scorer === undefined) return "off";
  const brought = "recall" in scorer ? scorer.recall : undefined;
  if (recall !== "block") return recall ?? brought ?? "on-cut";
  if (brought !== undefined) return brought;
  throw new HistoryError(
    `The scorer ${scorer.name} brings no recall blocks. Pass \`recall: recallBlocks()\` of @agent-history/reducer/recall.`,
    { code: "INVALID_OPTION", details: { option: "recall" } },
  );
}
