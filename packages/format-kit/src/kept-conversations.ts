import { sameJson } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

import { endOfProof } from "./message-proof.ts";
import type { MessageProof } from "./message-proof.ts";
import type { ReadOptions } from "./stamp-drafts.ts";

/** A conversation that is read from its beginning, message by message, and may be read on at a later call. */
export interface ReadConversation {
  readonly turnId: ReadOptions["turnId"];
  readonly agent: ReadOptions["agent"];
  /** Reads the message behind those before. */
  readonly read: (message: unknown) => readonly HistoryEntry[];
  /** Returns what a message at a place said when it was read, where that can be compared with what it says later. */
  readonly proofOf: (message: object, index: number) => MessageProof | undefined;
  readonly messages: object[];
  /** Their proofs, one after the other: what is walked at each call stands side by side. */
  readonly leaves: unknown[];
  readonly entries: HistoryEntry[];
  /** The clock of the newest call. */
  now: () => number;
}

/** Remembers conversations by their newest message object, weakly: nothing is looked up for each message. */
export interface KeptConversations {
  /** Takes out the conversation that these messages begin with, where all of its messages are the same objects and say the same. Costs a walk over their leaves. */
  readonly take: (
    messages: readonly unknown[],
    options: ReadOptions,
  ) => ReadConversation | undefined;
  /** Remembers a conversation as it is now. Until it is taken, nobody may read it on. */
  readonly keep: (conversation: ReadConversation) => void;
}

/** How many messages may be new since a conversation was kept; behind more, each is looked up by itself. */
const MOST_NEW = 64;

/** Makes an empty memory: one for each format. */
export function keptConversations(said: (message: object) => object): KeptConversations {
  const byNewest = new WeakMap<object, ReadConversation>();
  return {
    take: (messages, { turnId, agent }) => {
      for (let at = messages.length - 1; at >= Math.max(0, messages.length - MOST_NEW); at -= 1) {
        const newest = messages[at];
        const known = isKey(newest) ? byNewest.get(newest) : undefined;
        if (known === undefined || known.messages.length !== at + 1) continue;
        if (known.turnId !== turnId || !sameJson(known.agent, agent)) continue;
        if (!saysSame(messages, known, said)) return undefined;
        byNewest.delete(known.messages[at] ?? known);
        return known;
      }
      return undefined;
    },
    keep: (conversation) => {
      const newest = conversation.messages.at(-1);
      if (newest !== undefined) byNewest.set(newest, conversation);
    },
  };
}

function saysSame(
  messages: readonly unknown[],
  { messages: known, leaves }: ReadConversation,
  said: (message: object) => object,
): boolean {
  let end = 0;
  for (let at = 0; at < known.length; at += 1) {
    const message = known[at];
    if (message === undefined || message !== messages[at]) return false;
    end = endOfProof(said(message), leaves, end);
    if (end === -1) return false;
  }
  return end === leaves.length;
}

function isKey(message: unknown): message is object {
  return typeof message === "object" && message !== null;
}
