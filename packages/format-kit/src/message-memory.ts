import { sameJson } from "@agent-history/core";
import type { Agent, HistoryEntry } from "@agent-history/core";

import { CONVERSATION_ROOM, contentMemory, contentName } from "./content-memory.ts";
import type { ContentMemory, ContentName } from "./content-memory.ts";
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
}

const NONE: readonly Known[] = [];

/** Makes an empty memory: one for each format. */
export function messageMemory(): MessageMemory {
  const knownOf = new WeakMap<object, readonly Known[]>();
  const contents = contentMemory<Known>();
  return { open: (context) => openMemory(knownOf, contents, context) };
}

function openMemory(
  knownOf: WeakMap<object, readonly Known[]>,
  contents: ContentMemory<Known>,
  { waiting, now, turnId, agent, isByContent = true }: MemoryContext,
): ConversationMemory {
  let room = isByContent ? CONVERSATION_ROOM : 0;
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
    return undefined;
  };
  const recallContent = (
    name: ContentName | undefined,
    { index, firstId }: MessageLocation,
    proof: MessageProof | undefined,
  ): ReadResult | undefined => {
    const known = name && contents.find(name);
    if (known === undefined || !isAt(known, index, firstId)) return undefined;
    if (!saysSame(known, proof) || !repeatCalls(known.noted, waiting)) return undefined;
    const entries = known.entries.map((entry) => ({ ...entry, createdAtMs: now() }));
    return { entries, noted: known.noted };
  };
  return {
    proofOf: (message, index, firstId) => knownAt(message, index, firstId)?.proof,
    recall: (message, index, firstId, said = message) => {
      const known = knownAt(message, index, firstId);
      if (known?.proof === undefined || !isProven(said, known.proof)) return undefined;
      return repeatCalls(known.noted, waiting) ? known.entries : undefined;
    },
    read: (message, location, read, said = message) => {
      const { index, firstId } = location;
      const before = knownAt(message, index, firstId);
      const proof = proveMessage(said);
      const name =
        proof !== undefined && room > 0
          ? contentName(proof, [index, firstId, turnId, agent?.id])
          : undefined;
      room -= name?.size ?? 0;
      const recalled = recallContent(name, location, proof);
      const { entries: became, noted } = recalled ?? read();
      const isAsBefore = before !== undefined && sameEntries(before.entries, became);
      const entries = isAsBefore ? before.entries : became;
      const known = { index, firstId, turnId, agent, proof, noted, entries };
      const others = (knownOf.get(message) ?? NONE).filter((one) => one !== before);
      knownOf.set(message, [known, ...others.slice(0, MOST_MATCHES - 1)]);
      if (name !== undefined && recalled === undefined) contents.keep(name, known);
      return entries;
    },
  };
}

function saysSame({ proof: known }: Known, proof: MessageProof | undefined): boolean {
  return known !== undefined && proof !== undefined && sameProof(known, proof);
}
