import { userMessage } from "@agent-history/core";
import type { EntrySources, HistoryEntry, JsonObject } from "@agent-history/core";

type Unstamped<Entry> = Entry extends HistoryEntry
  ? Omit<Entry, "id" | "createdAtMs" | "origin">
  : never;

/** What a message says, before it has ids, times and an origin. */
export interface EntryDraft {
  readonly says: Unstamped<HistoryEntry>;
  /** What only its own format understands of it; becomes `origin.extra`. */
  readonly extra?: JsonObject;
}

/** Turns the drafts of one message into entries. The id of the first names the message. */
export function stampMessage(
  format: string,
  drafts: readonly EntryDraft[],
  sources: EntrySources,
): readonly HistoryEntry[] {
  const stamps = drafts.map(() => newStamp(sources));
  const message = stamps[0]?.id ?? "";
  return drafts.map(({ says, extra }, index): HistoryEntry => {
    const origin = { format, message, index, ...(extra !== undefined && { extra }) };
    return { ...says, ...(stamps[index] ?? newStamp(sources)), origin };
  });
}

function newStamp(sources: EntrySources): Pick<HistoryEntry, "id" | "createdAtMs"> {
  const { id, createdAtMs } = userMessage({ content: "" }, sources);
  return { id, createdAtMs };
}
