import type { HistoryEntry } from "@agent-history/core";

import { CONVERSATION_ROOM, contentMemory, contentName, contentSize } from "./content-memory.ts";
import { longConversations } from "./long-conversations.ts";
import { lookupOf } from "./message-lookup.ts";
import type {
  Known,
  Memories,
  MemoryContext,
  MessageLocation,
  ReadResult,
} from "./message-lookup.ts";
import { isProven, proveMessage } from "./message-proof.ts";
import type { MessageProof } from "./message-proof.ts";
import { repeatCalls } from "./noted-calls.ts";
import { sameEntries } from "./same-entries.ts";

/** Remembers which entries messages became: by message object, weakly, and by what a message says, up to a size. */
export interface MessageMemory {
  readonly open: (context: MemoryContext) => ConversationMemory;
}

/** What is remembered of the messages of one conversation, which are asked for in order. */
export interface ConversationMemory {
  /**
   * Returns the entries that this message object became, if it says the same as then at the same place, and the messages before give it
   * the same calls, which then count as asked for. Costs a walk over its leaves, and allocates nothing.
   *
   * @param said - All objects that became these entries together. Default: the message.
   */
  readonly recall: (
    message: object,
    index: number,
    firstId: string | undefined,
    said?: object,
  ) => readonly HistoryEntry[] | undefined;
  /** Returns the entries of another message that said the same, with the time of now, or of this one, which is then read. Remembers them. */
  readonly read: (
    message: object,
    location: MessageLocation,
    read: () => ReadResult,
    said?: object,
  ) => readonly HistoryEntry[];
  /** Returns what this message object said when it was last read at a place, where that can be compared with what it says later. */
  readonly proofOf: (
    message: object,
    index: number,
    firstId: string | undefined,
  ) => MessageProof | undefined;
}

/** How much is remembered of what messages say, in characters. */
export interface MemoryOptions {
  /** What one conversation takes of it at most; of longer ones, the two newest are remembered besides. Default 8,000,000. */
  readonly conversationRoom?: number;
}

/** Makes an empty memory: one for each format. */
export function messageMemory({
  conversationRoom = CONVERSATION_ROOM,
}: MemoryOptions = {}): MessageMemory {
  const knownOf = new WeakMap<object, readonly Known[]>();
  const contents = contentMemory<Known>();
  const long = longConversations<Known>(conversationRoom);
  const memories = { conversationRoom, knownOf, contents, long };
  return { open: (context) => openMemory(memories, context) };
}

function openMemory(memories: Memories, context: MemoryContext): ConversationMemory {
  const { conversationRoom, contents, long } = memories;
  const { waiting, now, turnId, agent, isByContent = true } = context;
  const places = isByContent ? long.open() : undefined;
  let room = isByContent ? conversationRoom : 0;
  const { knownAt, ofPlace, ofContent, enter } = lookupOf(memories, places, context);
  // Each field by its name: a copy by `...` costs as much as all else.
  const ofNow = ({ index, firstId, proof, size, noted, entries }: Known): Known => ({
    index,
    firstId,
    turnId,
    agent,
    proof,
    size,
    noted,
    entries: entries.map((entry) => ({ ...entry, createdAtMs: now() })),
  });
  const readNew = (said: object, location: MessageLocation, read: () => ReadResult): Known => {
    const { index, firstId } = location;
    const proof = proveMessage(said);
    const place = [index, firstId, turnId, agent?.id];
    const name = proof !== undefined && room > 0 ? contentName(proof, place) : undefined;
    const recalled = ofContent(name, location, proof);
    if (recalled !== undefined) return ofNow(recalled);
    const size = name?.size ?? contentSize(proof ?? []);
    const { entries, noted } = read();
    const known = { index, firstId, turnId, agent, proof, size, noted, entries };
    if (name !== undefined) contents.keep(name, known);
    return known;
  };
  return {
    proofOf: (message, index, firstId) => knownAt(message, index, firstId)?.proof,
    recall: (message, index, firstId, said = message) => {
      const known = knownAt(message, index, firstId);
      if (known?.proof === undefined || !isProven(said, known.proof)) return undefined;
      if (!repeatCalls(known.noted, waiting)) return undefined;
      places?.keep(message, index, known, known.size);
      return known.entries;
    },
    read: (message, location, read, said = message) => {
      const { index, firstId } = location;
      const before = knownAt(message, index, firstId);
      const placed = ofPlace(said, location);
      const became = placed === undefined ? readNew(said, location, read) : ofNow(placed);
      const isAsBefore = before !== undefined && sameEntries(before.entries, became.entries);
      const known = isAsBefore ? { ...became, entries: before.entries } : became;
      places?.keep(message, index, known, known.size);
      // Of a long conversation the rest is found by its place: to enter each object takes longer than all else.
      if (placed === undefined || room > 0) enter(message, known, before);
      room -= known.size;
      return known.entries;
    },
  };
}
