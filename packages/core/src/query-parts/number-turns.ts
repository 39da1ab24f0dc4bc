import type { HistoryEntry } from "../history-entry.ts";
import type { Viewer } from "../message-role.ts";
import { overReadable } from "../over-readable.ts";
import { numberTurns as numberReadable } from "../split-turns.ts";
import { STAND_IN } from "./stand-in.ts";

/** Returns the number of each entry's turn, from 0. An entry that cannot be read is taken for an `error`. Linear. */
export function numberTurns(
  entries: readonly HistoryEntry[],
  viewer: Viewer = {},
): readonly number[] {
  return overReadable(entries, (readable) => numberReadable(readable, viewer), STAND_IN);
}
