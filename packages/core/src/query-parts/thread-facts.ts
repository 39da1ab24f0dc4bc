import type { HistoryEntry } from "../history-entry.ts";
import { overReadable } from "../over-readable.ts";
import { threadFacts as factsOfReadable } from "../thread-facts.ts";
import type { ThreadFacts } from "../thread-facts.ts";
import { STAND_IN } from "./stand-in.ts";

/** Works out the facts of a history. An entry that cannot be read is taken for an `error`. Linear. */
export function threadFacts(entries: readonly HistoryEntry[]): ThreadFacts {
  return overReadable(entries, factsOfReadable, STAND_IN);
}
