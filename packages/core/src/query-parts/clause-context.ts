import { clauseContext as factsOfReadable } from "../clause-context.ts";
import type { ClauseContext } from "../clause-context.ts";
import type { HistoryEntry } from "../history-entry.ts";
import { overReadable } from "../over-readable.ts";
import { STAND_IN } from "./stand-in.ts";

/** Works out the facts of a history. An entry that cannot be read is taken for an `error`. Linear. */
export function clauseContext(entries: readonly HistoryEntry[]): ClauseContext {
  return overReadable(entries, factsOfReadable, STAND_IN);
}
