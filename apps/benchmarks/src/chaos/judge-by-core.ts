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
  return violations.flatMap(({ law, rule, entryId }) => {
    return law === "L6" ? [] : [{ law, rule: `checkHistory finds ${rule}`, at: entryId }];
  });
}
