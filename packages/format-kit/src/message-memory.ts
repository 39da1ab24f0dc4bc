import { sameJson } from "@agent-history/core";
import type { Agent, HistoryEntry } from "@agent-history/core";

import { CONVERSATION_ROOM, contentMemory, contentName, contentSize } from "./content-memory.ts";
import type { ContentMemory, ContentName } from "./content-memory.ts";
import { longConversations } from "./long-conversations.ts";
import type { LongConversations } from "./long-conversations.ts";
import { isProven, proveMessage, sameProof } from "./message-proof.ts";
import type { MessageProof } from "./message-proof.ts";
import { repeatCalls } from "./noted-calls.ts";
import type { NotedCalls } from "./noted-calls.ts";
import { sameEntries } from "./same-entries.ts";
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

/** A message object may stand in several places, and be read for several agents. */
const MOST_MATCHES = 8;

interface Known extends ReadResult, MessageLocation {
  readonly turnId: string | undefined;
  readonly agent: Agent | undefined;
  readonly proof: MessageProof | undefined;
  readonly size: number;
}

const NONE: readonly Known[] = [];

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

interface Memories extends Required<MemoryOptions> {
  readonly knownOf: WeakMap<object, readonly Known[]>;
  readonly contents: ContentMemory<Known>;
  readonly long: LongConversations<Known>;
}

function openMemory(
  { conversationRoom, knownOf, contents, long }: Memories,
  { waiting, now, turnId, agent, isByContent = true }: MemoryContext,
): ConversationMemory {
  const places = isByContent ? long.open() : undefined;
  let room = isByContent ? conversationRoom : 0;
  const isAt = (known: Known, index: number, firstId: string | undefined): boolean =>
    known.index === index &&
    known.firstId === firstId &&
    known.turnId === turnId &&
    (known.agent === agent || sameJson(known.agent, agent));
  const knownAt = (
    message: object,
    index: number,
    firstId: string | undefined,
  ): Known | undefined => {
    for (const known of knownOf.get(message) ?? NONE) if (isAt(known, index, firstId)) return known;
    const known = places?.ofObject(message, index);
    return known !== undefined && isAt(known, index, firstId) ? known : undefined;
  };
  const ofNow = ({ entries, noted }: ReadResult): ReadResult => ({
    entries: entries.map((entry) => ({ ...entry, createdAtMs: now() })),
    noted,
  });
  /** What stood at this place of a long conversation, and said the same. */
  const recallPlace = (said: object, { index, firstId }: MessageLocation): Known | undefined => {
    const known = places?.find(
      index,
      (one) => isAt(one, index, firstId) && one.proof !== undefined && isProven(said, one.proof),
    );
    return known !== undefined && repeatCalls(known.noted, waiting) ? known : undefined;
  };
  const recallContent = (
    name: ContentName | undefined,
    { index, firstId }: MessageLocation,
    proof: MessageProof | undefined,
  ): Known | undefined => {
    const known = name && contents.find(name);
    if (known === undefined || !isAt(known, index, firstId)) return undefined;
    return saysSame(known, proof) && repeatCalls(known.noted, waiting) ? known : undefined;
  };
  const readNew = (said: object, location: MessageLocation, read: () => ReadResult): Known => {
    const { index, firstId } = location;
    const proof = proveMessage(said);
    const place = [index, firstId, turnId, agent?.id];
    const name = proof !== undefined && room > 0 ? contentName(proof, place) : undefined;
    const size = name?.size ?? contentSize(proof ?? []);
    const recalled = recallContent(name, location, proof);
    const { entries, noted } = recalled === undefined ? read() : ofNow(recalled);
    const known = { index, firstId, turnId, agent, proof, size, noted, entries };
    if (name !== undefined && recalled === undefined) contents.keep(name, known);
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
      const placed = recallPlace(said, location);
      const became =
        placed === undefined
          ? readNew(said, location, read)
          : { ...placed, entries: ofNow(placed).entries };
      const isAsBefore = before !== undefined && sameEntries(before.entries, became.entries);
      const known = isAsBefore ? { ...became, entries: before.entries } : became;
      places?.keep(message, index, known, known.size);
      // Of a long conversation the rest is found by its place: to enter each object takes longer than all else.
      if (placed === undefined || room > 0) {
        const others = (knownOf.get(message) ?? NONE).filter((one) => one !== before);
        knownOf.set(message, [known, ...others.slice(0, MOST_MATCHES - 1)]);
      }
      room -= known.size;
      return known.entries;
    },
  };
}

function saysSame({ proof: known }: Known, proof: MessageProof | undefined): boolean {
  return known !== undefined && proof !== undefined && sameProof(known, proof);
}
