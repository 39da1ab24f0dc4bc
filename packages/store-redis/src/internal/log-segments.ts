import type { EntriesFetch } from "@agent-history/store-kit/indexed";

import { logKey } from "./tree-keys.ts";
import type { ThreadLocation } from "./tree-keys.ts";
import type { Ancestor } from "./tree.ts";

/** Neighboring positions of one log. */
export interface LogSegment {
  readonly key: string;
  /** The first position, from 0. */
  readonly from: number;
  /** The first position that is not in it. */
  readonly to: number;
}

/** Tells in which logs the positions `from <= position < to` of a thread lie: a fork's first ones in those of its ancestors. */
export function logSegments(
  location: ThreadLocation,
  ancestry: readonly Ancestor[],
  { from, to }: { readonly from: number; readonly to: number },
): readonly LogSegment[] {
  const segments: LogSegment[] = [];
  let begun = from;
  for (const { branch, upTo } of ancestry) {
    const end = Math.min(to, upTo);
    if (begun < end) {
      segments.push({ key: logKey(location, branch), from: begun, to: end });
      begun = end;
    }
  }
  if (begun < to) segments.push({ key: location.log, from: begun, to });
  return segments;
}

/** Draws rising positions together to runs, up to the ends of the rows they stand in: no row is read twice, and none that has no such position. */
export function runsOfRows({
  positions,
  rowEnds = positions,
}: Pick<EntriesFetch, "positions" | "rowEnds">): readonly Pick<LogSegment, "from" | "to">[] {
  const runs: { from: number; to: number }[] = [];
  for (const [index, position] of positions.entries()) {
    const last = runs.at(-1);
    const to = Math.max(position, rowEnds[index] ?? position) + 1;
    if (last !== undefined && position <= last.to) last.to = Math.max(last.to, to);
    else runs.push({ from: position, to });
  }
  return runs;
}
