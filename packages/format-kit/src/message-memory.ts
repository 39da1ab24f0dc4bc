import { sameJson } from "@agent-history/core";
import type { Agent, HistoryEntry } from "@agent-history/core";

import { isProven, proveMessage } from "./message-proof.ts";
import type { MessageProof } from "./message-proof.ts";
import { repeatCalls } from "./noted-calls.ts";
import type { NotedCalls } from "./noted-calls.ts";
import { sameEntries } from "./same-entries.ts";
import type { WaitingCalls } from "./waiting-calls.ts";

/** Where a message stands, and what its entries bear: beside what it says, all that they come from. */
export interface MessagePlace {
  /** Its position in the conversation, from 0. */
  readonly index: number;
  /** The id of its first entry, where that does not come from position and text. */
  readonly firstId: string | undefined;
  readonly turnId: string | undefined;
  readonly agent: Agent | undefined;
}

/** What a message became. */
export interface ReadResult {
  readonly entries: readonly HistoryEntry[];
  readonly noted: NotedCalls;
}

/** Remembers by message object which entries a message became. Holds messages weakly. */
export interface MessageMemory {
  /**
   * Gives the entries that this message object became, if it says the same as then at the same place, and the messages before give it
   * the same calls, which then count as asked for. Costs a walk over its leaves.
   */
  readonly recall: (
    message: object,
    place: MessagePlace,
    waiting: WaitingCalls,
  ) => readonly HistoryEntry[] | undefined;
  /** Remembers what a message became. Gives the entries; where they were the same before, those of then: what a counter knows by object holds. */
  readonly remember: (
    message: object,
    place: MessagePlace,
    read: ReadResult,
  ) => readonly HistoryEntry[];
}

/** A message object may stand in several places, and be read for several agents. */
const MOST_PLACES = 8;

/** Makes an empty memory: one for each format. */
export function messageMemory(): MessageMemory {
  const knownOf = new WeakMap<object, readonly Known[]>();
  const knownAt = (message: object, place: MessagePlace): Known | undefined =>
    knownOf.get(message)?.find((known) => isAt(known, place));
  return {
    recall: (message, place, waiting) => {
      const known = knownAt(message, place);
      if (known?.proof === undefined || !isProven(message, known.proof)) return undefined;
      return repeatCalls(known.noted, waiting) ? known.entries : undefined;
    },
    remember: (message, place, { entries: read, noted }) => {
      const before = knownAt(message, place);
      const entries =
        before !== undefined && sameEntries(before.entries, read) ? before.entries : read;
      const others = (knownOf.get(message) ?? []).filter((known) => known !== before);
      const known = { ...place, proof: proveMessage(message), noted, entries };
      knownOf.set(message, [known, ...others].slice(0, MOST_PLACES));
      return entries;
    },
  };
}

interface Known extends MessagePlace, ReadResult {
  readonly proof: MessageProof | undefined;
}

function isAt(known: MessagePlace, place: MessagePlace): boolean {
  const { index, firstId, turnId, agent } = place;
  if (known.index !== index || known.firstId !== firstId || known.turnId !== turnId) return false;
  return known.agent === agent || sameJson(known.agent, agent);
}
