import type { HistoryEntry } from "@agent-history/core";

import { sameJson } from "../oracle/same-json.ts";

/** The call before: what it was given, by id and in order, and what it left out. */
export interface CallBefore {
  readonly known: ReadonlyMap<string, HistoryEntry>;
  readonly dropped: ReadonlySet<string>;
}

/** Tells whether something has changed in the middle of what the call before left out, came in there, or moved in or out. */
export function standsAmongDropped(
  given: readonly HistoryEntry[],
  { known, dropped }: CallBefore,
): boolean {
  const now = standingsOf(given, { known, dropped });
  const before = standingsOf([...known.values()], { known, dropped });
  const gone = given.filter(({ id }) => dropped.has(id)).map(({ id }) => id);
  const wasGone = [...known.keys()].filter((id) => dropped.has(id) && now.has(id));
  if (!sameJson(gone, wasGone)) return true;
  return given.some((entry) => {
    const was = known.get(entry.id);
    if (was === undefined) return now.get(entry.id)?.isAmongDropped === true;
    if (!dropped.has(entry.id)) return false;
    return !sameJson(was, entry) || now.get(entry.id)?.kept !== before.get(entry.id)?.kept;
  });
}

interface Standing {
  /** The last entry before it that was kept. */
  readonly kept: string | undefined;
  readonly isAmongDropped: boolean;
}

function standingsOf(
  entries: readonly HistoryEntry[],
  { known, dropped }: CallBefore,
): ReadonlyMap<string, Standing> {
  const old = entries.filter(({ id }) => known.has(id));
  const standings = new Map<string, Standing>();
  let kept: string | undefined;
  let passed = 0;
  for (const { id } of entries) {
    const beside = [old[passed - 1], old[passed]];
    const isAmongDropped = beside.every((one) => one !== undefined && dropped.has(one.id));
    standings.set(id, { kept, isAmongDropped });
    if (known.has(id)) passed += 1;
    if (known.has(id) && !dropped.has(id)) kept = id;
  }
  return standings;
}
