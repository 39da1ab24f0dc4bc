import { sameJson } from "@agent-history/core";
import type { Agent, HistoryEntry } from "@agent-history/core";

import type { ContentMemory, ContentName } from "./content-memory.ts";
import type { LongConversation, LongConversations } from "./long-conversations.ts";
import { isProven, sameProof } from "./message-proof.ts";
import type { MessageProof } from "./message-proof.ts";
import { repeatCalls } from "./noted-calls.ts";
import type { NotedCalls } from "./noted-calls.ts";
import type { WaitingCalls } from "./waiting-calls.ts";

/** Where a message stands. */
export interface MessageLocation {
  /** Its position in the conversation, from 0. */
  readonly index: number;
  /** The id of its first entry, where that does not come from position and text. */
  readonly firstId: string | undefined;
}

/** What reading a message gave. */
export interface ReadResult {
  readonly entries: readonly HistoryEntry[];
  readonly noted: NotedCalls;
}

/** What a conversation is read with: beside what its messages say, all that their entries come from. */
export interface MemoryContext {
  /** The calls of the messages before. */
  readonly waiting: WaitingCalls;
  readonly now: () => number;
  readonly turnId: string | undefined;
  readonly agent: Agent | undefined;
  /** Whether messages are found by what they say, too; their reading then begins with `read`. Default `true`. */
  readonly isByContent?: boolean;
}

/** A message object may stand in several places, and be read for several agents. */
const MOST_MATCHES = 8;

/** What is known of a message at a place. */
export interface Known extends ReadResult, MessageLocation {
  readonly turnId: string | undefined;
  readonly agent: Agent | undefined;
  readonly proof: MessageProof | undefined;
  readonly size: number;
}

const NONE: readonly Known[] = [];

/** What is remembered of the messages of a format. */
export interface Memories {
  readonly conversationRoom: number;
  readonly knownOf: WeakMap<object, readonly Known[]>;
  readonly contents: ContentMemory<Known>;
  readonly long: LongConversations<Known>;
}

/** Finds what is known of messages, read with the same turn and agent. */
export interface MessageLookup {
  readonly knownAt: (
    message: object,
    index: number,
    firstId: string | undefined,
  ) => Known | undefined;
  /** Returns what stood at this place of a long conversation, if it said the same. */
  readonly ofPlace: (said: object, location: MessageLocation) => Known | undefined;
  /** Returns what is known by this name, if it said the same at the same place. */
  readonly ofContent: (
    name: ContentName | undefined,
    location: MessageLocation,
    proof: MessageProof | undefined,
  ) => Known | undefined;
  /** Enters what is known of a message object, instead of what was. */
  readonly enter: (message: object, known: Known, before: Known | undefined) => void;
}

/** Looks up the messages of one conversation. */
export function lookupOf(
  { knownOf, contents }: Memories,
  places: LongConversation<Known> | undefined,
  { waiting, turnId, agent }: MemoryContext,
): MessageLookup {
  const isAt = (known: Known, index: number, firstId: string | undefined): boolean =>
    known.index === index &&
    known.firstId === firstId &&
    known.turnId === turnId &&
    (known.agent === agent || sameJson(known.agent, agent));
  const repeated = (known: Known): Known | undefined =>
    repeatCalls(known.noted, waiting) ? known : undefined;
  return {
    knownAt: (message, index, firstId) => {
      for (const known of knownOf.get(message) ?? NONE) {
        if (isAt(known, index, firstId)) return known;
      }
      const known = places?.ofObject(message, index);
      return known !== undefined && isAt(known, index, firstId) ? known : undefined;
    },
    ofPlace: (said, { index, firstId }) => {
      const known = places?.find(
        index,
        (one) => isAt(one, index, firstId) && one.proof !== undefined && isProven(said, one.proof),
      );
      return known && repeated(known);
    },
    ofContent: (name, { index, firstId }, proof) => {
      const known = name && contents.find(name);
      if (known === undefined || !isAt(known, index, firstId)) return undefined;
      return saysSame(known, proof) ? repeated(known) : undefined;
    },
    enter: (message, known, before) => {
      const others = (knownOf.get(message) ?? NONE).filter((one) => one !== before);
      knownOf.set(message, [known, ...others.slice(0, MOST_MATCHES - 1)]);
    },
  };
}

function saysSame({ proof: known }: Known, proof: MessageProof | undefined): boolean {
  return known !== undefined && proof !== undefined && sameProof(known, proof);
}
