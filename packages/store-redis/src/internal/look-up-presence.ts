import type { FoundThread } from "./look-up-thread.ts";
import { countOf, listOf, textOf } from "./reply.ts";
import { positionOf } from "./short-thread.ts";
import { threadCorrupt, threadDeleted } from "./thread-errors.ts";
import type { ThreadLocation } from "./tree-keys.ts";
import { decodeAncestry, encodeAncestry } from "./tree.ts";

/** What ends a round: commands that tell whether all of it saw the same thread. */
export interface PresenceLookup {
  readonly commands: readonly (readonly string[])[];
  /** Throws where the thread was deleted. */
  readonly requireLiving: (replies: readonly unknown[]) => void;
  /** Returns whether what a round found was still there at its end. */
  readonly isPresent: (replies: readonly unknown[], found: FoundThread | undefined) => boolean;
}

/** Thrown where a thread went, or began again, while a call read it: begin the call again. */
export const TORN: Error = new Error("The thread changed during the call.");

/**
 * Plans the look behind a round of reads. Other commands of the same connection stand before it, so a thread that is there now was there
 * when they were answered.
 *
 * @param before - What an earlier round of the same call found.
 */
export function lookUpPresence(
  location: ThreadLocation,
  before: FoundThread | undefined,
): PresenceLookup {
  const last = before?.exists === true ? before.lastId : "";
  const position = (before?.entryCount ?? 0) - 1;
  const maps = [location.ids, location.short];
  const ids = last === "" ? [] : maps.map((key) => ["HGET", key, last]);
  return {
    commands: [
      ...maps.map((key) => ["HLEN", key]),
      ...ids,
      ["HMGET", location.meta, "d", "v", "l", "e", "a"],
    ],
    requireLiving: (replies) => {
      if (textOf(listOf(replies.at(-1))[0]) !== undefined) throw threadDeleted();
    },
    isPresent: (replies, found) => {
      if (found?.exists !== true) return true;
      const [, version, inLog, replaced, ancestry] = listOf(replies.at(-1)).map(textOf);
      if (version === undefined || Number(version) < found.entryCount) return false;
      // Its end was replaced while it was read, or that of a thread whose log it shares.
      if (Number(replaced ?? 0) !== found.replacements) return false;
      if (encodeAncestry(decodeAncestry(ancestry)) !== encodeAncestry(found.ancestry)) return false;
      const indexes = replies.slice(maps.length, -1).map((reply) => positionOf(textOf(reply)));
      if (ids.length > 0 && !indexes.includes(position)) return false;
      // It moved to its log while it was read.
      const entries = found.short?.lines.size ?? found.entryCount;
      if (entries < found.entryCount && inLog !== undefined) return false;
      requirePlausible(found.entryCount, (countOf(replies[0]) ?? 0) + (countOf(replies[1]) ?? 0));
      return true;
    },
  };
}

/** A version that no number of ids stands for would have a read go through positions permanently. */
function requirePlausible(version: number, ids: number): void {
  if (version > 2 * ids + MOST_MISSING) throw threadCorrupt("ids");
}

/** This many rows and ids may be missing that are then reported one by one. */
const MOST_MISSING = 1000;
