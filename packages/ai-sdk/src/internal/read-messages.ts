import type { Agent, EntrySources, HistoryEntry, JsonObject } from "@agent-history/core";
import {
  contradicts,
  entryCache,
  packBinary,
  readContent,
  textHash,
  waitingCalls,
  wireDifference,
} from "@agent-history/format-kit";
import type { EntryDraft, WaitingCalls } from "@agent-history/format-kit";

import { readAssistant } from "./assistant-message.ts";
import { modelParts } from "./model-parts.ts";
import { readToolMessage } from "./tool-message.ts";
import { MODEL_FORMAT, writeRun } from "./write-messages.ts";

const cache = entryCache();

/** What the entries of messages bear beside what they say. */
export interface ReadOptions extends EntrySources {
  readonly turnId?: string;
  readonly agent?: Agent;
  /** How ids begin that come from place and text. Default `message`. */
  readonly idPrefix?: string;
}

/** Turns messages into entries, a list for each. Linear. */
export function readMessages(
  messages: readonly object[],
  options: ReadOptions,
): readonly (readonly HistoryEntry[])[] {
  const read = messageReader(options);
  return messages.map((message) => read(message));
}

/**
 * Reads a conversation message by message.
 *
 * Each message is written back as it is read, and what then differs is carried in `origin.extra` of its first entry:
 * nothing is lost, and nothing stands twice. A message of no known kind goes through whole, as an opaque part of an
 * `assistant_message`: there it begins no turn and has no authority.
 */
export function messageReader(options: ReadOptions): (message: object) => readonly HistoryEntry[] {
  const { newId, idPrefix = "message" } = options;
  const waiting = waitingCalls();
  let index = 0;
  return (message) => {
    const packed = packBinary(message);
    const base = `${idPrefix}-${index}-${textHash(JSON.stringify(packed))}`;
    index += 1;
    const nextId = newId ?? countedFrom(base);
    const entries = readMessage(packed, waiting, (drafts) => stampAll(drafts, nextId, options));
    return newId === undefined ? cache.recall(message, entries) : entries;
  };
}

type Stamp = (drafts: readonly EntryDraft[]) => readonly HistoryEntry[];

function readMessage(
  message: JsonObject,
  waiting: WaitingCalls,
  stamp: Stamp,
): readonly HistoryEntry[] {
  const [first, ...others] = readKnown(message, waiting);
  if (first === undefined) return stamp([wholeMessage(message)]);
  const [one, ...more] = stampForWriting([first, ...others]);
  const usual = one === undefined ? {} : writeRun([one, ...more], {}, new Set());
  const difference = wireDifference(usual, message);
  if (difference === undefined) return stamp([first, ...others]);
  if (contradicts(difference, usual)) return stamp([wholeMessage(message)]);
  return stamp([{ ...first, extra: { ...first.extra, ...difference } }, ...others]);
}

function readKnown(message: JsonObject, waiting: WaitingCalls): readonly EntryDraft[] {
  const { role, content } = message;
  switch (role) {
    case "system":
      return [{ says: { type: "system_message", content: readContent(content, modelParts) } }];
    case "user":
      return [{ says: { type: "user_message", content: readContent(content, modelParts) } }];
    case "assistant":
      return readAssistant(content, waiting);
    case "tool":
      return readToolMessage(content, waiting);
    default:
      return [];
  }
}

function wholeMessage(message: JsonObject): EntryDraft {
  const content = [{ type: "opaque", data: message, extra: { as: "message" } }] as const;
  return { says: { type: "assistant_message", content } };
}

function stampForWriting(drafts: readonly EntryDraft[]): readonly HistoryEntry[] {
  return stampAll(drafts, () => "", { now: () => 0 });
}

function stampAll(
  drafts: readonly EntryDraft[],
  nextId: () => string,
  { now = Date.now, turnId, agent }: ReadOptions,
): readonly HistoryEntry[] {
  const ids = drafts.map(() => nextId());
  const message = ids[0] ?? "";
  const bears = { ...(turnId !== undefined && { turnId }), ...(agent !== undefined && { agent }) };
  return drafts.map(({ says, extra }, index): HistoryEntry => {
    const origin = { format: MODEL_FORMAT, message, index, ...(extra !== undefined && { extra }) };
    return { ...says, id: ids[index] ?? message, createdAtMs: now(), ...bears, origin };
  });
}

/** The first entry of a message bears its name, the others a number behind it. */
function countedFrom(base: string): () => string {
  let count = 0;
  return () => {
    const id = count === 0 ? base : `${base}/${count}`;
    count += 1;
    return id;
  };
}
