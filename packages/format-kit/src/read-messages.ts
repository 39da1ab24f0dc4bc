import type { HistoryEntry, JsonObject } from "@agent-history/core";

import { contradicts } from "./contradicts.ts";
import type { EntryDraft } from "./entry-draft.ts";
import { isJsonObject } from "./is-json-object.ts";
import type { MessageFormat, ReadContext, WriteContext } from "./message-format.ts";
import { messageMemory } from "./message-memory.ts";
import type { MessageMemory } from "./message-memory.ts";
import { noteCalls } from "./noted-calls.ts";
import { positionIds } from "./position-ids.ts";
import { stampDrafts } from "./stamp-drafts.ts";
import type { ReadOptions } from "./stamp-drafts.ts";
import { toJson, toJsonObject } from "./to-json.ts";
import { waitingCalls } from "./waiting-calls.ts";
import { wholeMessage } from "./whole-message.ts";
import { wireDifference } from "./wire-difference.ts";

/**
 * Turns messages into entries, so that {@link writeMessages} gives the same messages back. Linear.
 *
 * Each message is written back as it is read, and what then differs is carried in `origin.extra` of its first entry:
 * nothing is lost, and nothing stands twice. A message of an unknown kind is carried whole, as an opaque part of an
 * `assistant_message`: there it begins no turn and has no authority.
 *
 * Without `newId`, ids come from position and text, as `origin.derivedId` says, and the same message object gives the same entry
 * objects.
 */
export function readMessages(
  format: MessageFormat,
  messages: readonly unknown[],
  options: ReadOptions = {},
): readonly HistoryEntry[] {
  const read = messageReader(format, options);
  const entries: HistoryEntry[] = [];
  for (const message of messages) for (const entry of read(message)) entries.push(entry);
  return entries;
}

/**
 * Reads the next message of a conversation. `ownIds` gives the ids of its entries, where the message has an id of its own; after the same first one it
 * always gives the same others.
 */
export type MessageReader = (message: unknown, ownIds?: () => string) => readonly HistoryEntry[];

/** Reads a conversation message by message, as {@link readMessages} does. */
export function messageReader(format: MessageFormat, options: ReadOptions = {}): MessageReader {
  const { newId, turnId, agent } = options;
  const memory = memoryOf(format);
  const waiting = waitingCalls();
  let index = -1;
  return (message, ownIds) => {
    index += 1;
    if (newId !== undefined || !isObject(message)) {
      return readAnew(format, message, { ...options, nextId: newId ?? ownIds, index, waiting });
    }
    const firstId = ownIds?.();
    const place = { index, firstId, turnId, agent };
    const known = memory.recall(message, place, waiting);
    if (known !== undefined) {
      for (let drawn = 1; drawn < known.length; drawn += 1) ownIds?.();
      return known;
    }
    const calls = noteCalls(waiting);
    const nextId = ownIds && resumed(firstId, ownIds);
    const context = { index, waiting: calls.waiting };
    const entries = readAnew(format, message, { ...options, nextId, ...context });
    return memory.remember(message, place, { entries, noted: calls.noted });
  };
}

function resumed(first: string | undefined, others: () => string): () => string {
  let next = first;
  return () => {
    const id = next ?? others();
    next = undefined;
    return id;
  };
}

interface AnewOptions extends Omit<ReadOptions, "newId">, ReadContext {
  readonly nextId: (() => string) | undefined;
}

function readAnew(
  format: MessageFormat,
  message: unknown,
  { nextId: given, index, waiting, ...bears }: AnewOptions,
): readonly HistoryEntry[] {
  const { name, idPrefix, pack = toJsonObject } = format;
  const wire = isObject(message) ? pack(message) : toJson(message);
  const drafts = isJsonObject(wire)
    ? readDrafts(format, wire, { index, waiting })
    : [wholeMessage(wire)];
  const nextId = given ?? positionIds({ prefix: idPrefix, index, text: JSON.stringify(wire) });
  return stampDrafts(drafts, { format: name, nextId, isDerived: given === undefined, ...bears });
}

const OWN: WriteContext = { viewer: {}, isOwn: true, callOf: () => undefined };

function readDrafts(
  format: MessageFormat,
  message: JsonObject,
  context: ReadContext,
): readonly EntryDraft[] {
  const [first, ...others] = format.read(message, context);
  if (first === undefined) return [wholeMessage(message)];
  const stamp = { format: format.name, nextId: () => "", now: () => 0 };
  const [one, ...more] = stampDrafts([first, ...others], stamp);
  const usual = (one && format.write([one, ...more], OWN)) ?? {};
  const difference = wireDifference(usual, message);
  if (difference === undefined) return [first, ...others];
  if (contradicts(difference, usual)) return [wholeMessage(message)];
  return [{ ...first, extra: { ...first.extra, ...difference } }, ...others];
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !isList(value);
}

/** A revoked proxy throws where it is asked. */
function isList(value: object): boolean {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
}

const memories = new WeakMap<MessageFormat, MessageMemory>();

function memoryOf(format: MessageFormat): MessageMemory {
  const memory = memories.get(format) ?? messageMemory();
  memories.set(format, memory);
  return memory;
}
