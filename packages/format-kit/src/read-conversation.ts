import { sameJson } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

import { matchesSnapshot, takeSnapshot } from "./snapshot.ts";
import type { Snapshot } from "./snapshot.ts";
import { sameEntries } from "./stamp-drafts.ts";
import type { ReadOptions } from "./stamp-drafts.ts";
import { notingCalls, repeatCalls, waitingCalls } from "./waiting-calls.ts";
import type { CallNotes, WaitingCalls } from "./waiting-calls.ts";

/** One message, or neighbors that belong together, and the entries that they became. */
export interface ReadStep {
  readonly messages: readonly unknown[];
  readonly entries: readonly HistoryEntry[];
}

/** What is read, and how. */
export interface ConversationToRead {
  readonly messages: readonly unknown[];
  readonly options: ReadOptions;
  /** Reads the step that begins at an index. Depends on its messages, their index and the waiting calls alone, and with `looksAhead` on the message after it. */
  readonly read: (index: number, waiting: WaitingCalls) => ReadStep;
  /** Whether the message after a step decides where the step ends. Default `false`. */
  readonly looksAhead?: boolean;
  /** Returns what a message says, which is compared. Default: the message. */
  readonly said?: ((message: unknown, index: number) => unknown) | undefined;
  /** Filled with the step that each entry came from. Default: not recorded. */
  readonly came?: WeakMap<HistoryEntry, ReadStep> | undefined;
}

/** The conversations of a format that were read last, newest first. */
export type ConversationCache = Conversation[];

interface Conversation {
  readonly turnId: ReadOptions["turnId"];
  readonly agent: ReadOptions["agent"];
  readonly messages: readonly unknown[];
  /** What each message said when it was read; `undefined` if that cannot be compared. */
  readonly snapshots: readonly (Snapshot | undefined)[];
  /** The steps, at the index of their first message. */
  readonly steps: readonly (KnownStep | undefined)[];
  readonly size: number;
}

interface KnownStep extends ReadStep {
  readonly notes: CallNotes;
}

const MAX_CONVERSATIONS = 32;

/** In characters, all conversations of a cache together. */
const MAX_SIZE = 128_000_000;

/** How many messages are compared to find a conversation in the cache. */
const SAMPLES = 16;

/** What a message counts that is the same object: more than all that say the same. */
const SAME_OBJECT = SAMPLES + 1;

/**
 * Reads a conversation. Messages that say at their index what they said in a cached conversation are not read again: the same objects give the
 * same entries, equal ones equal entries with the current time. With `newId`, nothing is cached.
 */
export function readConversation(
  cache: ConversationCache,
  asked: ConversationToRead,
): readonly HistoryEntry[] {
  const { said, options } = asked;
  const { newId, turnId, agent } = options;
  const messages = [...asked.messages];
  if (newId !== undefined) return entriesOf(readSteps(asked, () => undefined));
  const says = said === undefined ? messages : messages.map(said);
  const known = mostAlike(cache, says, asked);
  const snapshots = says.map((one, index) => {
    const before = known?.snapshots[index];
    return before !== undefined && matchesSnapshot(one, before) ? before : takeSnapshot(one);
  });
  const isSame = (index: number): boolean =>
    snapshots[index] !== undefined && snapshots[index] === known?.snapshots[index];
  const steps = readSteps(asked, (from) => {
    const step = known?.steps[from];
    if (step === undefined) return undefined;
    const to = from + step.messages.length;
    for (let index = from; index < to; index += 1)
      if (!isSame(index)) return { step, isSame: false };
    const endsAlike = to === says.length ? to === known?.snapshots.length : isSame(to);
    return { step, isSame: endsAlike || asked.looksAhead !== true };
  });
  const size = snapshots.reduce((sum, snapshot) => sum + (snapshot?.size ?? 0), 0);
  keep(cache, { turnId, agent, messages, snapshots, steps, size }, known);
  return entriesOf(steps);
}

/** Finds the cached conversation that has the same messages at most of a few indexes. */
function mostAlike(
  cache: ConversationCache,
  says: readonly unknown[],
  { messages, options: { turnId, agent } }: ConversationToRead,
): Conversation | undefined {
  let found: Conversation | undefined;
  let most = 0;
  for (const one of cache) {
    if (one.turnId !== turnId || !sameJson(one.agent, agent)) continue;
    const shared = Math.min(says.length, one.snapshots.length);
    const samples = Math.min(SAMPLES, shared);
    let alike = 0;
    for (let sample = 0; sample < samples; sample += 1) {
      const index = Math.floor((sample * shared) / samples);
      const snapshot = one.snapshots[index];
      if (snapshot === undefined || !matchesSnapshot(says[index], snapshot)) continue;
      alike += Object.is(messages[index], one.messages[index]) ? SAME_OBJECT : 1;
    }
    if (alike > most) [found, most] = [one, alike];
  }
  return found;
}

/** Finds the step that was read at an index before, and whether its messages say the same. */
type FindStep = (
  from: number,
) => { readonly step: KnownStep; readonly isSame: boolean } | undefined;

/** Reads step by step, but for those that say the same and find the same calls before them. */
function readSteps(asked: ConversationToRead, find: FindStep): readonly (KnownStep | undefined)[] {
  const steps: (KnownStep | undefined)[] = [];
  const waiting = waitingCalls();
  const { messages, came } = asked;
  for (let from = 0; from < messages.length;) {
    const known = find(from);
    const isKnown = known?.isSame === true && repeatCalls(known.step.notes, waiting);
    const step = isKnown
      ? currentStep(known.step, from, asked)
      : readStep(from, waiting, asked, known?.step);
    if (step !== known?.step) for (const entry of step.entries) came?.set(entry, step);
    steps[from] = step;
    from += step.messages.length;
  }
  return steps;
}

/** Returns a known step; if its messages are other objects now, with entries of the current time. */
function currentStep(
  step: KnownStep,
  from: number,
  { messages, options: { now = Date.now } }: ConversationToRead,
): KnownStep {
  if (areSame(step.messages, messages, from)) return step;
  const entries = step.entries.map((entry) => ({ ...entry, createdAtMs: now() }));
  return { ...step, messages: messages.slice(from, from + step.messages.length), entries };
}

/** Reads a step. Message objects that are read as they were before keep their entries. */
function readStep(
  from: number,
  waiting: WaitingCalls,
  { messages, read }: ConversationToRead,
  before: KnownStep | undefined,
): KnownStep {
  const { noting, notes } = notingCalls(waiting);
  const step = read(from, noting);
  const isAsBefore =
    before?.messages.length === step.messages.length &&
    areSame(before.messages, messages, from) &&
    sameEntries(before.entries, step.entries);
  return { ...(isAsBefore ? before : step), notes };
}

function areSame(some: readonly unknown[], messages: readonly unknown[], from: number): boolean {
  return some.every((message, at) => Object.is(message, messages[from + at]));
}

/** Keeps a conversation in the place of the one that it continues. One of which it is a small part stays, too. */
function keep(
  cache: ConversationCache,
  conversation: Conversation,
  known: Conversation | undefined,
): void {
  const shared =
    known?.snapshots.filter((one, index) => one === conversation.snapshots[index]).length ?? 0;
  if (known !== undefined && shared * 2 >= known.snapshots.length) {
    cache.splice(cache.indexOf(known), 1);
  }
  // One that is too long by itself drops no other.
  if (conversation.size > MAX_SIZE) return;
  cache.unshift(conversation);
  let size = 0;
  const tooMany = cache.findIndex((one, index) => {
    size += one.size;
    return size > MAX_SIZE || index >= MAX_CONVERSATIONS;
  });
  if (tooMany !== -1) cache.length = tooMany;
}

function entriesOf(steps: readonly (KnownStep | undefined)[]): readonly HistoryEntry[] {
  const entries: HistoryEntry[] = [];
  for (const step of steps) for (const entry of step?.entries ?? []) entries.push(entry);
  return entries;
}
