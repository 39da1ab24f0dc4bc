import type { Agent, EntrySources, HistoryEntry } from "@agent-history/core";

import type { ParsedMessage } from "./parsed-message.ts";

/** What the entries of messages carry beside what the messages say. */
export interface ReadOptions extends EntrySources {
  /** The turn that all of them belong to. Default: none, and a user message begins a turn. */
  readonly turnId?: string;
  /** The agent whose messages they are. */
  readonly agent?: Agent;
}

/** Which message the drafts are of. */
export interface MessageStamp extends Omit<ReadOptions, "newId"> {
  /** The format's name, for `origin.format`. */
  readonly format: string;
  /** Returns the id of each entry; that of the first names the message. */
  readonly nextId: () => string;
  /** Whether the ids come from position and text; entries then say so in `origin.derivedId`. Default `false`. */
  readonly isDerived?: boolean;
}

/** Turns the drafts of one message into entries. */
export function stampDrafts(
  drafts: readonly ParsedMessage[],
  { format, nextId, isDerived = false, now = Date.now, turnId, agent }: MessageStamp,
): readonly HistoryEntry[] {
  const ids = drafts.map(() => nextId());
  const message = ids[0] ?? "";
  const stamp = { ...(turnId !== undefined && { turnId }), ...(agent !== undefined && { agent }) };
  return drafts.map(({ says, extra }, index): HistoryEntry => {
    const origin = {
      format,
      message,
      index,
      ...(isDerived && { derivedId: true }),
      ...(extra !== undefined && { extra }),
    };
    return { ...says, id: ids[index] ?? message, createdAtMs: now(), ...stamp, origin };
  });
}
