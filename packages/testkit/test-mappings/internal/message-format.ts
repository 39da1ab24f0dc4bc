import type { EntrySources, HistoryEntry, JsonObject, Viewer } from "@agent-history/core";

import { contradicts } from "./contradicts.ts";
import { stampMessage } from "./entry-draft.ts";
import type { EntryDraft } from "./entry-draft.ts";
import { isJsonObject } from "./is-json-object.ts";
import { messageRuns } from "./message-runs.ts";
import { patchWire } from "./patch-wire.ts";
import { waitingCalls } from "./waiting-calls.ts";
import type { WaitingCalls } from "./waiting-calls.ts";
import { wireDifference } from "./wire-difference.ts";

/** How one provider's messages read as entries, and back. Neither direction cares for fields that no entry has. */
export interface MessageFormat {
  /** Stands in `origin.format`. */
  readonly name: string;
  /** Gives what a message says; nothing for a message of no known kind. */
  readonly read: (message: JsonObject, context: ReadContext) => readonly EntryDraft[];
  /** Writes the entries of one message. */
  readonly write: (run: readonly [HistoryEntry, ...HistoryEntry[]], viewer: Viewer) => JsonObject;
}

/** What the messages before said. */
export interface ReadContext {
  /** Which message of the conversation, from 0. */
  readonly index: number;
  readonly waiting: WaitingCalls;
}

/**
 * Turns messages into entries. Linear.
 *
 * Each message is written back as it is read, and what then differs is carried in `origin.extra` of its first entry:
 * nothing is lost, and nothing stands twice. A message that the format does not know goes through whole, as an opaque
 * part of an `assistant_message`: there it begins no turn and has no authority.
 */
export function readMessages(
  format: MessageFormat,
  messages: readonly JsonObject[],
  sources: EntrySources,
): readonly HistoryEntry[] {
  const waiting = waitingCalls();
  return messages.flatMap((message, index) => {
    const drafts = format.read(message, { index, waiting });
    const [first, ...others] = stampMessage(format.name, drafts, sources);
    if (first === undefined) return stampMessage(format.name, [wholeMessage(message)], sources);
    const usual = format.write([first, ...others], {});
    const difference = wireDifference(usual, message);
    if (difference === undefined) return [first, ...others];
    if (contradicts(difference, usual)) {
      return stampMessage(format.name, [wholeMessage(message)], sources);
    }
    return [withExtra(first, difference), ...others];
  });
}

/** Turns entries into messages: neighbours of one message into that message, as it came. Linear. */
export function writeMessages(
  format: MessageFormat,
  entries: readonly HistoryEntry[],
  viewer: Viewer,
): readonly JsonObject[] {
  return messageRuns(format.name, entries).map((run) => {
    const [first] = run;
    const isOwn = first.origin?.format === format.name;
    const whole = isOwn ? wholeMessageOf(first) : undefined;
    if (whole !== undefined) return whole;
    return patchWire(format.write(run, viewer), isOwn ? first.origin?.extra : undefined);
  });
}

function withExtra(entry: HistoryEntry, difference: JsonObject): HistoryEntry {
  if (entry.origin === undefined) return entry;
  const extra = { ...entry.origin.extra, ...difference };
  return { ...entry, origin: { ...entry.origin, extra } };
}

function wholeMessage(message: JsonObject): EntryDraft {
  const content = [{ type: "opaque", data: message, extra: { as: "message" } }] as const;
  return { says: { type: "assistant_message", content } };
}

function wholeMessageOf(entry: HistoryEntry): JsonObject | undefined {
  if (entry.type !== "assistant_message" || typeof entry.content === "string") return undefined;
  const [part] = entry.content;
  const isWhole = part?.type === "opaque" && part.extra?.["as"] === "message";
  return isWhole && isJsonObject(part.data) ? part.data : undefined;
}
