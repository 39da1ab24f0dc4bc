import type { Content, HistoryEntry } from "@agent-history/core";
import { sameJson } from "@agent-history/core";
import { validCopy } from "@agent-history/core/schema";
import * as z from "zod/mini";

import type { Scope } from "../scope.ts";
import { requireWritableIds } from "./instructions-id.ts";
import { comparable } from "./known-entries.ts";
import type { ManagedThread } from "./managed-thread.ts";
import { openFields } from "./scope-fields.ts";
import { stateKey, updateState } from "./thread-state.ts";
import type { UnnumberedEntry } from "./unnumbered-entry.ts";

/** Keeps what a whole conversation has beyond what the thread holds of it, and gives what was appended. */
export async function syncConversation(
  thread: ManagedThread,
  scope: Scope,
  {
    given,
    signal,
  }: { readonly given: readonly HistoryEntry[]; readonly signal?: AbortSignal | undefined },
): Promise<readonly HistoryEntry[]> {
  const { log, options } = thread;
  const key = stateKey(`sync/${scope.agent?.id ?? ""}`);
  const state = { store: options.store, threadId: options.threadId, signal };
  let fresh: readonly HistoryEntry[] = [];
  const appended = await log.extend(async ({ entries }) => {
    const stored = await options.store.getState(options.threadId, key, signal && { signal });
    const held = conversationOf(entries, { given, scope, replaced: runsOf(stored?.value) });
    const { common, rest } = compare(held, given);
    const drafts = thread.given
      .prepare(rest, scope)
      .map(({ entry, open }): UnnumberedEntry => ({ entry, open }));
    requireWritableIds(drafts.map(({ entry }) => entry));
    const [from] = held.slice(common);
    const to = held.at(-1);
    if (from !== undefined && to !== undefined && rest.some(isSaid)) {
      // Written first: what is replaced is known as such, whatever becomes of the append.
      await updateState(state, key, (now) => [...runsOf(now?.value), [from.id, to.id]]);
    }
    fresh = rest;
    return drafts;
  }, signal);
  thread.given.note(fresh, appended);
  return appended;
}

type Run = readonly [from: string, to: string];

const runsCheck = z.array(z.tuple([z.string(), z.string()]));

/** What another version of the conversation has replaced. */
function runsOf(value: unknown): readonly Run[] {
  return validCopy(runsCheck, value) ?? [];
}

/** The entries of the log that a conversation in this scope would have, but for what was replaced. */
function conversationOf(
  entries: readonly HistoryEntry[],
  {
    given,
    scope,
    replaced,
  }: {
    readonly given: readonly HistoryEntry[];
    readonly scope: Scope;
    readonly replaced: readonly Run[];
  },
): readonly HistoryEntry[] {
  const types = new Set([...SAID_BY_ANYONE, ...SAID_BY_AGENT, ...given.map(({ type }) => type)]);
  const agents = new Set([scope.agent?.id, ...given.map(({ agent }) => agent?.id)]);
  const indexes = new Map(entries.map(({ id }, index) => [id, index]));
  const runs = replaced.map(
    ([from, to]) => [indexes.get(from) ?? 0, indexes.get(to) ?? -1] as const,
  );
  return entries.filter((entry, index) => {
    const { type, agent } = entry;
    // Instructions are compared by themselves, wherever they stand: no run of what was said replaces them.
    const isReplaced = isSaid(entry) && runs.some(([from, to]) => index >= from && index <= to);
    const isOurs =
      SAID_BY_ANYONE.includes(type) ||
      agents.has(agent?.id) ||
      (type === "assistant_message" && scope.agent === undefined);
    return isOurs && types.has(type) && !isReplaced;
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

/** How many entries of both are the same from the beginning, and what follows. Instructions are compared by themselves: they change from call to call. */
function compare(
  held: readonly HistoryEntry[],
  given: readonly HistoryEntry[],
): { readonly common: number; readonly rest: readonly HistoryEntry[] } {
  const said = given.filter(isSaid);
  const kept = held.filter(isSaid);
  const differing = kept.findIndex((entry, index) => {
    const other = said[index];
    return other === undefined || !isSameGiven(entry, other);
  });
  const same = differing < 0 ? kept.length : differing;
  const known = new Set(said.slice(0, same));
  const [first] = kept.slice(same);
  const instructions = new Set(held.filter((entry) => !isSaid(entry)));
  return {
    common: first === undefined ? held.length : held.indexOf(first),
    rest: given.filter((entry) =>
      isSaid(entry) ? !known.has(entry) : !takeSame(instructions, entry),
    ),
  };
}

/** Takes one that is the same out of some entries, and tells whether there was one: two of the same text are two. */
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
  if (kept.id !== given.id) return false;
  const open = openFields(given);
  return sameJson(comparable(kept, open), comparable(given, open));
}

/** What an entry says, whoever kept it: the verbs of the manager, or a message format. */
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

/** One part of text is that text. */
function plainContent(content: Content): Content {
  const [part, ...others] = typeof content === "string" ? [] : content;
  return part?.type === "text" && others.length === 0 ? part.text : content;
}
