import type { HistoryEntry } from "@agent-history/core";

import type { HistoryScript } from "./history-script.ts";
import { interleave } from "./interleave.ts";
import type { Located, Unit } from "./interleave.ts";
import { layOutAsides } from "./lay-out-opening.ts";
import { layOutTurn } from "./lay-out-turn.ts";
import { leastEntries } from "./least-entries.ts";
import { newScribe } from "./scribe.ts";

/** Writes a script down as a log of at most `maxEntries` entries; each turn gets its share of them. */
export function layOutHistory(script: HistoryScript, maxEntries: number): readonly HistoryEntry[] {
  const { turns, running, marks } = script;
  const scribe = newScribe(script);
  scribe.allow(maxEntries - leastEntries(turns.length, running !== undefined));
  const log = [...interleave([layOutAsides(script.opening, scribe, {})], [])];
  for (const [index, turn] of turns.entries()) {
    const later = turns.length - index - 1;
    const left = maxEntries - scribe.written();
    if (later > 0) {
      const spare = left - leastEntries(later + 1, running !== undefined);
      scribe.allow(2 + Math.floor(spare / (later + 1)));
      // Without ids only what stands between tells two turns apart.
      log.push(...layOutTurn(turn, scribe, { mustBeAnswered: marks.turnId.includes(false) }));
    } else {
      scribe.allow(left);
      const pending = running?.exchange;
      const written = layOutTurn(turn, scribe, pending === undefined ? {} : { pending });
      log.push(...(running === undefined ? written : cutWhereOpen(written, running.cut)));
    }
  }
  return log.map(({ entry }) => entry);
}

/** Ends a log that ends with an open call at one of the places where a call is open. */
function cutWhereOpen(log: readonly Located[], cut: number): readonly Located[] {
  const open = new Set<Unit>();
  const lengths: number[] = [];
  for (const [index, { entry, unit }] of log.entries()) {
    if (entry.type === "action") open.add(unit);
    else if (entry === unit.at(-1)) open.delete(unit);
    if (open.size > 0) lengths.push(index + 1);
  }
  return log.slice(0, lengths[cut % lengths.length]);
}
