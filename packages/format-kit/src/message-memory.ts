import { sameJson } from "@agent-history/core";
import type { Agent, HistoryEntry } from "@agent-history/core";

import { CONVERSATION_ROOM, contentMemory, contentName } from "./content-memory.ts";
import type { ContentName } from "./content-memory.ts";
import { isProven, proveMessage, sameProof } from "./message-proof.ts";
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

/** What reading a message gave. */
export interface ReadResult {
  readonly entries: readonly HistoryEntry[];
  readonly noted: NotedCalls;
}

/** What a conversation is read with. */
export interface MemoryContext {
  /** The calls of the messages before. */
  readonly waiting: WaitingCalls;
  readonly now: () => number;
}

/** Reads a message of a conversation, or gives what it became when it was read before. */
export type RememberingReader = (
  message: object,
  place: MessagePlace,
  read: () => ReadResult,
) => readonly HistoryEntry[];

/** Remembers which entries messages became: by message object, weakly, and by what a message says, up to a size. */
export interface MessageMemory {
  /**
   * Begins a conversation. A message object that says the same as then at the same place, and that the messages before give the same calls, which then count as
   * asked for, gives the same entry objects: that costs a walk over its leaves. Another one that says the same gives the same entries with the time of
   * now.
   */
  readonly open: (context: MemoryContext) => RememberingReader;
}

/** A message object may stand in several places, and be read for several agents. */
const MOST_PLACES = 8;

interface Known extends ReadResult {
  readonly place: MessagePlace;
  readonly proof: MessageProof | undefined;
}

const NONE: readonly Known[] = [];

/** Makes an empty memory: one for each format. */
export function messageMemory(): MessageMemory {
  const knownOf = new WeakMap<object, readonly Known[]>();
  const contents = contentMemory<Known>();
  const knownAt = (message: object, place: MessagePlace): Known | undefined => {
    for (const known of knownOf.get(message) ?? NONE) if (isAt(known.place, place)) return known;
    return undefined;
  };
  const remember = (message: object, known: Known, before: Known | undefined): void => {
    const others = knownOf.get(message) ?? NONE;
    const kept = others.length === 0 ? others : others.filter((one) => one !== before);
    knownOf.set(message, [known, ...kept.slice(0, MOST_PLACES - 1)]);
  };
  const recallContent = (
    name: ContentName | undefined,
    { place, proof }: Pick<Known, "place" | "proof">,
    { waiting, now }: MemoryContext,
  ): ReadResult | undefined => {
    const known = name && contents.find(name);
    if (known === undefined || !isAt(known.place, place) || !saysSame(known, proof))
      return undefined;
    if (!repeatCalls(known.noted, waiting)) return undefined;
    const entries = known.entries.map((entry) => ({ ...entry, createdAtMs: now() }));
    return { entries, noted: known.noted };
  };
  return {
    open: (context) => {
      let room = CONVERSATION_ROOM;
      return (message, place, read) => {
        const before = knownAt(message, place);
        const isKnown = before?.proof !== undefined && isProven(message, before.proof);
        if (isKnown && repeatCalls(before.noted, context.waiting)) return before.entries;
        const proof = proveMessage(message);
        const name = room > 0 ? nameOf(place, proof) : undefined;
        room -= name?.size ?? 0;
        const recalled = recallContent(name, { place, proof }, context);
        const { entries: became, noted } = recalled ?? read();
        const isAsBefore = before !== undefined && sameEntries(before.entries, became);
        const known = { place, proof, noted, entries: isAsBefore ? before.entries : became };
        remember(message, known, before);
        if (name !== undefined && recalled === undefined) contents.keep(name, known);
        return known.entries;
      };
    },
  };
}

function saysSame({ proof: known }: Known, proof: MessageProof | undefined): boolean {
  return known !== undefined && proof !== undefined && sameProof(known, proof);
}

function nameOf(
  { index, firstId, turnId, agent }: MessagePlace,
  proof: MessageProof | undefined,
): ContentName | undefined {
  return proof && contentName(proof, [index, firstId, turnId, agent?.id]);
}

function isAt(known: MessagePlace, place: MessagePlace): boolean {
  const { index, firstId, turnId, agent } = place;
  if (known.index !== index || known.firstId !== firstId || known.turnId !== turnId) return false;
  return known.agent === agent || sameJson(known.agent, agent);
}
