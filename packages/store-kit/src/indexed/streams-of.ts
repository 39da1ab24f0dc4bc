import type { HistoryEntry } from "@agent-history/core";

/** Names of streams of references. */
export const streamName: {
  /** Every entry. */
  readonly all: string;
  /** What the user and the agent said, and uploads. */
  readonly conversation: string;
  /** What nobody wrote and everybody may see at any time. */
  readonly standing: string;
  /** What every agent of a turn may see. */
  readonly global: string;
  /** What an agent wrote, and what was handed up from tasks that it gave. */
  readonly agent: (id: string) => string;
  /** System messages, memories and provider's summaries of one agent. */
  readonly standingOf: (id: string) => string;
} = {
  all: "all",
  conversation: "conversation",
  standing: "standing",
  global: "global",
  agent: (id) => `agent:${id}`,
  standingOf: (id) => `standing:${id}`,
};

/** A stream that an entry stands in. */
export interface StreamMembership {
  readonly stream: string;
  readonly isOwn: boolean;
  readonly isGiven: boolean;
}

/**
 * Returns the streams that an entry stands in, each once.
 *
 * @param giver - Who gave the task that it was written under.
 */
export function streamsOf(
  entry: HistoryEntry,
  giver: string | undefined,
): readonly StreamMembership[] {
  const neither = { isOwn: false, isGiven: false };
  const owner = entry.agent?.id;
  const positions: StreamMembership[] = [{ stream: streamName.all, ...neither }];
  const shared = sharedStream(entry, owner);
  if (shared !== undefined) {
    positions.push({ stream: shared, ...neither, isOwn: shared.startsWith(OWN_STANDING) });
  }
  const isHandedUp = entry.type === "final" && giver !== undefined;
  if (owner !== undefined) {
    const isGiven = isHandedUp && giver === owner;
    positions.push({ stream: streamName.agent(owner), isOwn: true, isGiven });
  }
  if (isHandedUp && giver !== owner) {
    positions.push({ stream: streamName.agent(giver), isOwn: false, isGiven: true });
  }
  return positions;
}

const OWN_STANDING = streamName.standingOf("");

function sharedStream({ type }: HistoryEntry, owner: string | undefined): string | undefined {
  switch (type) {
    case "user_message":
    case "assistant_message":
    case "attachment":
      return streamName.conversation;
    case "system_message":
    case "memory":
    case "summary":
      return owner === undefined ? streamName.standing : streamName.standingOf(owner);
    case "global_observation":
    case "synthesis":
      return streamName.global;
    default:
      return undefined;
  }
}
