import { sameJson } from "@agent-history/core";
import type { Content, HistoryEntry, ReadResult } from "@agent-history/core";

import type { Scope } from "../history-manager.ts";
import { noteGiven, prepareGiven } from "./given-entries.ts";
import { newName } from "./managed-thread.ts";
import type { ManagedThread } from "./managed-thread.ts";
import { extendLog, isRetryOf } from "./write-entries.ts";
import type { LogChange } from "./write-entries.ts";

/**
 * Writes what a whole conversation has beyond its longest common prefix with the thread, and returns that. An edited message
 * replaces everything from there on; a conversation that only ends earlier replaces nothing.
 */
export async function syncConversation(
  thread: ManagedThread,
  scope: Scope,
  {
    given: unchanged,
    signal,
  }: { readonly given: readonly HistoryEntry[]; readonly signal?: AbortSignal | undefined },
): Promise<readonly HistoryEntry[]> {
  const { beforeStore, threadId } = thread.options;
  const given =
    beforeStore === undefined
      ? unchanged
      : await Promise.all(unchanged.map(async (entry) => beforeStore(entry, { threadId })));
  const operationId = newName(thread.options);
  let fresh: readonly HistoryEntry[] = [];
  const next = ({ entries }: ReadResult): LogChange => {
    const held = conversationOf(entries, given, scope);
    const { replaced, rest } = compare(held, given);
    const from = rest.some(isSaid) ? replaced : undefined;
    // Write instructions within the replaced part again.
    const end = from === undefined ? entries.length : entries.indexOf(from);
    const left = compare(conversationOf(entries.slice(0, end), given, scope), given).rest;
    // New objects, so that entries that were replaced once get new ids when they come back.
    const copies = left.map((entry) => ({ ...entry }));
    fresh = left;
    return { drafts: prepareGiven(thread, copies, scope), operationId, from: from?.id };
  };
  const written = await extendLog(thread, next, signal);
  noteGiven(thread, fresh, written);
  return written;
}

/** The entries of the log that a conversation in this scope would have. */
function conversationOf(
  entries: readonly HistoryEntry[],
  given: readonly HistoryEntry[],
  scope: Scope,
): readonly HistoryEntry[] {
  const types = new Set([...SAID_BY_ANYONE, ...SAID_BY_AGENT, ...given.map(({ type }) => type)]);
  const agents = new Set([scope.agent?.id, ...given.map(({ agent }) => agent?.id)]);
  return entries.filter(({ type, agent }) => {
    const isOurs =
      SAID_BY_ANYONE.includes(type) ||
      agents.has(agent?.id) ||
      (type === "assistant_message" && scope.agent === undefined);
    return isOurs && types.has(type);
  });
}

const SAID_BY_ANYONE: readonly HistoryEntry["type"][] = [
  "user_message",
  "attachment",
  "system_message",
];

const SAID_BY_AGENT: readonly HistoryEntry["type"][] = [
  "assistant_message",
  "action",
  "observation",
  "error",
];

/** Compares from the beginning: the first entry of the log that the conversation does not have there, and what the log lacks. Instructions are compared by themselves: they change from call to call. */
function compare(
  held: readonly HistoryEntry[],
  given: readonly HistoryEntry[],
): { readonly replaced: HistoryEntry | undefined; readonly rest: readonly HistoryEntry[] } {
  const said = given.filter(isSaid);
  const kept = held.filter(isSaid);
  const differing = kept.findIndex((entry, index) => {
    const other = said[index];
    return other === undefined || !isSameGiven(entry, other);
  });
  const same = differing < 0 ? kept.length : differing;
  const known = new Set(said.slice(0, same));
  const instructions = new Set(held.filter((entry) => !isSaid(entry)));
  return {
    replaced: kept[same],
    rest: given.filter((entry) =>
      isSaid(entry) ? !known.has(entry) : !takeSame(instructions, entry),
    ),
  };
}

/** Removes one equal entry from a list; returns whether there was one. */
function takeSame(entries: Set<HistoryEntry>, given: HistoryEntry): boolean {
  for (const entry of entries) if (isSameGiven(entry, given)) return entries.delete(entry);
  return false;
}

function isSaid({ type }: HistoryEntry): boolean {
  return type !== "system_message";
}

/** Returns whether a given entry is one that the thread keeps: by id and content, or by content alone where a format derived the id. */
function isSameGiven(kept: HistoryEntry, given: HistoryEntry): boolean {
  if (kept.type !== given.type) return false;
  if (given.origin?.derivedId === true) return sameJson(saidIn(kept), saidIn(given));
  return kept.id === given.id && isRetryOf(kept, given, given);
}

/** The content of an entry, in the same form whether the manager or a message format made it. */
function saidIn(entry: HistoryEntry): unknown {
  switch (entry.type) {
    case "action": {
      const calls = entry.toolCalls.map((call) => [call.id, call.name, call.arguments]);
      return [calls, plainContent(entry.content ?? "")];
    }
    case "observation":
      return [entry.callId, plainContent(entry.content)];
    case "attachment":
      return [entry.name ?? "", plainContent(entry.content)];
    default:
      return plainContent(entry.content ?? "");
  }
}

/** A single text part equals its text. */
function plainContent(content: Content): Content {
  const [part, ...others] = typeof content === "string" ? [] : content;
  return part?.type === "text" && others.length === 0 ? part.text : content;
}
