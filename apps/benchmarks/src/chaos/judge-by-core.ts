import { checkHistory } from "@agent-history/core";
import type { HistoryEntry, Viewer } from "@agent-history/core";

import type { Breach } from "../oracle/judge-fit.ts";

/** What the packages' own check says of a fit of a sound history: it must not find what the oracle does not. */
export function judgeByCore(
  given: readonly HistoryEntry[],
  fitted: readonly HistoryEntry[],
  viewer: Viewer | undefined,
): readonly Breach[] {
  const violations = checkHistory(fitted, { before: given, ...(viewer && { viewer }) });
  return violations
    .filter(({ law }) => law !== "L6")
    .map(({ law, rule, entryId }) => ({
      law: law as Breach["law"],
      rule: `checkHistory finds ${rule}`,
      ...(entryId !== undefined && { at: entryId }),
    }));
}
