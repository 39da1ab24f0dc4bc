import type { FoundThread } from "./look-up-thread.ts";
import { countOf, listOf, textOf } from "./reply.ts";
import { threadCorrupt, threadDeleted } from "./thread-errors.ts";
import type { ThreadPlace } from "./tree-keys.ts";

/** What ends a round: commands that tell whether all of it saw the same thread. */
export interface PresenceLookup {
  readonly commands: readonly (readonly string[])[];
  /** Throws where the thread was deleted. */
  readonly requireLiving: (replies: readonly unknown[]) => void;
  /** Tells whether what a round found was still there at its end. */
  readonly isPresent: (replies: readonly unknown[], found: FoundThread | undefined) => boolean;
}

/** Thrown where a thread went, or began anew, while a call read it: begin the call again. */
export const TORN: Error = new Error("The thread was another in the midst of the call.");

/**
 * Plans the look behind a round of reads. Other commands of the same connection stand before it, so a thread that is there now was there
 * when they were answered.
 *
 * @param before - What an earlier round of the same call found.
 */
export function lookUpPresence(
  place: ThreadPlace,
  before: FoundThread | undefined,
): PresenceLookup {
  const last = before?.exists === true ? before.lastId : "";
  const position = String((before?.version ?? 0) - 1);
  const ids = last === "" ? [] : [["HGET", place.ids, last]];
  return {
    commands: [["HLEN", place.ids], ...ids, ["HMGET", place.meta, "d", "v"]],
    requireLiving: (replies) => {
      if (textOf(listOf(replies.at(-1))[0]) !== undefined) throw threadDeleted();
    },
    isPresent: (replies, found) => {
      if (found?.exists !== true) return true;
      const version = textOf(listOf(replies.at(-1))[1]);
      if (version === undefined || Number(version) < found.version) return false;
      if (ids.length > 0 && textOf(replies[1]) !== position) return false;
      requirePlausible(found.version, countOf(replies[0]) ?? 0);
      return true;
    },
  };
}

/** A version that no number of ids stands for would have a read go through positions for ever. */
function requirePlausible(version: number, ids: number): void {
  if (version > 2 * ids + MOST_MISSING) throw threadCorrupt("ids");
}

/** So many rows and ids may be missing that are then reported one by one. */
const MOST_MISSING = 1000;
