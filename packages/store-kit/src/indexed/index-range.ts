import type { HistoryQuery } from "@agent-history/core";

import type { ReadRange } from "./read-context.ts";
import { isInRun } from "./view-state.ts";
import type { ViewState } from "./view-state.ts";

/** Returns the positions between which a query shows entries; `undefined` where a bound may not be shown. */
export function indexRange(
  { after, before }: HistoryQuery,
  positions: ReadonlyMap<string, number>,
  version: number,
  state: ViewState | undefined,
): ReadRange | undefined {
  const indexOf = (id: string): number | undefined => {
    const position = positions.get(id);
    if (position === undefined) return state?.shown.find((summary) => summary.id === id)?.at;
    const isOutOfSight = state !== undefined && isInRun(state, position);
    return isOutOfSight || position >= version ? undefined : position;
  };
  const start = after === undefined ? -1 : indexOf(after);
  const end = before === undefined ? Infinity : indexOf(before);
  return start === undefined || end === undefined ? undefined : { after: start, before: end };
}
