import type { HistoryEntry, JsonObject } from "@agent-history/core";

import { contradicts } from "./contradicts.ts";
import { isJsonObject } from "./is-json-object.ts";
import type { MessageFormat, ReadContext, WriteContext } from "./message-format.ts";
import { messageMemory } from "./message-memory.ts";
import type { MessageMemory } from "./message-memory.ts";
import { notingCalls } from "./noted-calls.ts";
import type { ParsedMessage } from "./parsed-message.ts";
import { positionIds } from "./position-ids.ts";
import { requireMessages } from "./require-messages.ts";
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
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if `messages` is not a list.
 */
export function readMessages(
  format: MessageFormat,
  messages: readonly unknown[],
  options: ReadOptions = {},
): readonly HistoryEntry[] {
  requireMessages(messages);
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
  const { newId, now = Date.now, turnId, agent } = options;
  const { said = (message) => message } = format;
  const waiting = waitingCalls();
  const noting = notingCalls(waiting);
  const memory = memoryOf(format).open({ waiting, now, turnId, agent });
  const readNext = (message: object, index: number, nextId: (() => string) | undefined) => {
    const context = { index, waiting: noting.waiting };
    const entries = readUncached(format, message, { options, nextId, context });
    return { entries, noted: noting.takeNotes() };
  };
  let count = 0;
  return (message, ownIds) => {
    const index = count;
    count += 1;
    if (newId !== undefined || !isObject(message)) {
      const context = { index, waiting };
      const fields = isObject(message) ? said(message) : message;
      return readUncached(format, fields, { options, nextId: newId ?? ownIds, context });
    }
    const firstId = ownIds?.();
    const fields = said(message);
    const known = memory.recall(message, index, firstId, fields);
    const ids = known === undefined && ownIds ? resumed(firstId, ownIds) : undefined;
    const read = () => readNext(fields, index, ids?.next);
    const entries = known ?? memory.read(message, { index, firstId }, read, fields);
    // Ids that count go on behind those of this message.
    if (ownIds) for (let drawn = ids?.drawn() ?? 1; drawn < entries.length; drawn += 1) ownIds();
    return entries;
  };
}

/** Returns ids of which the first was drawn before, and tells how many were. */
function resumed(
  first: string | undefined,
  others: () => string,
): { readonly next: () => string; readonly drawn: () => number } {
  let given = 0;
  return {
    next: () => {
      given += 1;
      return given === 1 && first !== undefined ? first : others();
    },
    drawn: () => Math.max(1, given),
  };
}

interface UncachedOptions {
  readonly options: ReadOptions;
  readonly nextId: (() => string) | undefined;
  readonly context: ReadContext;
}

function readUncached(
  format: MessageFormat,
  message: unknown,
  { options: { now = Date.now, turnId, agent }, nextId: given, context }: UncachedOptions,
): readonly HistoryEntry[] {
  const { name, idPrefix, pack = toJsonObject } = format;
  const wire = isObject(message) ? pack(message) : toJson(message);
  const drafts = isJsonObject(wire) ? readDrafts(format, wire, context) : [wholeMessage(wire)];
  const { index } = context;
  const nextId = given ?? positionIds({ prefix: idPrefix, index, text: JSON.stringify(wire) });
  const stamp = { ...(turnId !== undefined && { turnId }), ...(agent !== undefined && { agent }) };
  const isDerived = given === undefined;
  return stampDrafts(drafts, { format: name, nextId, isDerived, now, ...stamp });
}

const OWN: WriteContext = { viewer: {}, isOwn: true, callOf: () => undefined };

function readDrafts(
  format: MessageFormat,
  message: JsonObject,
  context: ReadContext,
): readonly ParsedMessage[] {
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
