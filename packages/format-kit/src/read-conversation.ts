import { sameJson } from "@agent-history/core";
import type { Agent, EntrySources, HistoryEntry, ToolCall } from "@agent-history/core";

/** What the entries of messages carry beside what the messages say. */
export interface ReadOptions extends EntrySources {
  /** The turn that all of them belong to. Default: none, and a user message begins a turn. */
  readonly turnId?: string;
  /** The agent whose messages they are. */
  readonly agent?: Agent;
}

/** A call, and the key by which its result will name it. */
export interface KeyedCall {
  readonly key: string;
  readonly call: ToolCall;
}

/** Remembers calls, so that a result finds the call that it answers. */
export interface WaitingCalls {
  /** Adds the calls of one answer, in order. */
  readonly add: (calls: readonly KeyedCall[]) => void;
  /** Returns the call that a result of this key answers: the first of the newest answer that has one. */
  readonly answer: (key: string) => ToolCall | undefined;
  /** Returns the call that a result of this key would answer. */
  readonly find: (key: string) => ToolCall | undefined;
}

/** Begins with no call. A call that was answered still gives its name to another result of its id. */
export function waitingCalls(): WaitingCalls {
  const byKey = new Map<string, ToolCall[]>();
  return {
    add: (calls) => {
      for (const { key, call } of calls.toReversed()) {
        const waiting = byKey.get(key);
        if (waiting === undefined) byKey.set(key, [call]);
        else waiting.push(call);
      }
    },
    answer: (key) => {
      const waiting = byKey.get(key) ?? [];
      return waiting.length > 1 ? waiting.pop() : waiting[0];
    },
    find: (key) => byKey.get(key)?.at(-1),
  };
}

/** One message, or neighbors that belong together, and the entries that they became. */
export interface ReadStep {
  readonly messages: readonly unknown[];
  readonly entries: readonly HistoryEntry[];
}

/** What is read, and how. */
export interface ConversationToRead {
  readonly messages: readonly unknown[];
  readonly options: ReadOptions;
  /** Reads the step that begins at an index. Depends on its messages, the one behind them, their index and the waiting calls alone. */
  readonly read: (index: number, waiting: WaitingCalls) => ReadStep;
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
  readonly leaves: readonly (Leaves | undefined)[];
  /** The steps, at the index of their first message. */
  readonly steps: readonly (KnownStep | undefined)[];
  /** How much memory the messages refer to, about, in characters. */
  readonly size: number;
}

interface KnownStep extends ReadStep {
  /** What reading it did with the waiting calls. */
  readonly calls: readonly ((waiting: WaitingCalls) => unknown)[];
}

const MAX_CONVERSATIONS = 32;

/** In characters, all conversations of a cache together. */
const MAX_SIZE = 128_000_000;

/** How many messages are compared to find a conversation in the cache. */
const SAMPLES = 16;

/**
 * Reads a conversation. As far as it begins like a cached one, messages are not read again; behind the first change only those are that have to do with calls. The same message objects give the same
 * entries, equal ones equal entries with the current time. With `newId`, nothing is cached.
 */
export function readConversation(
  cache: ConversationCache,
  asked: ConversationToRead,
): readonly HistoryEntry[] {
  const { said, came, options } = asked;
  const { newId, turnId, agent } = options;
  const messages = [...asked.messages];
  const isCached = newId === undefined;
  const says = messages.map((message, index) =>
    isCached ? leavesOf(said === undefined ? message : said(message, index)) : undefined,
  );
  const known = isCached ? mostAlike(cache, messages, says, options) : undefined;
  const leaves = says.map((one, index) => {
    const before = known?.leaves[index];
    return sameLeaves(one, before) ? before : one && copyOf(one);
  });
  const waiting = waitingCalls();
  const steps: KnownStep[] = [];
  const entries: HistoryEntry[] = [];
  let isPrefix = true;
  for (let from = 0; from < messages.length;) {
    const before = known?.steps[from];
    const isSame = before !== undefined && saysTheSame(before, from);
    const step =
      isSame && (isPrefix || before.calls.length === 0)
        ? repeatStep(before, from, asked, waiting)
        : readStep(before, from, asked, waiting);
    isPrefix &&= isSame;
    if (step !== before) for (const entry of step.entries) came?.set(entry, step);
    for (const entry of step.entries) entries.push(entry);
    steps[from] = step;
    from += step.messages.length;
  }
  if (isCached)
    keep(cache, { turnId, agent, messages, leaves, steps, size: sizeOf(leaves) }, known);
  return entries;

  /** The message behind a step may decide where the step ends. */
  function saysTheSame(step: KnownStep, from: number): boolean {
    const to = from + step.messages.length;
    for (let index = from; index <= to && index < leaves.length; index += 1) {
      if (leaves[index] === undefined || leaves[index] !== known?.leaves[index]) return false;
    }
    return to === leaves.length ? to === known?.leaves.length : to < leaves.length;
  }
}

/** Finds the cached conversation that has the same messages at most of a few indexes; the same objects count more. */
function mostAlike(
  cache: ConversationCache,
  messages: readonly unknown[],
  says: readonly (Leaves | undefined)[],
  { turnId, agent }: ReadOptions,
): Conversation | undefined {
  let found: Conversation | undefined;
  let most = 0;
  for (const one of cache) {
    if (one.turnId !== turnId || !sameJson(one.agent, agent)) continue;
    const shared = Math.min(says.length, one.leaves.length);
    const samples = Math.min(SAMPLES, shared);
    let alike = 0;
    for (let sample = 0; sample < samples; sample += 1) {
      const index = Math.floor((sample * shared) / samples);
      if (!sameLeaves(says[index], one.leaves[index])) continue;
      alike += Object.is(messages[index], one.messages[index]) ? SAMPLES + 1 : 1;
    }
    if (alike > most) [found, most] = [one, alike];
  }
  return found;
}

/** Returns a known step; if its messages are other objects now, with entries of the current time. */
function repeatStep(
  step: KnownStep,
  from: number,
  { messages, options: { now = Date.now } }: ConversationToRead,
  waiting: WaitingCalls,
): KnownStep {
  for (const repeat of step.calls) repeat(waiting);
  if (areSame(step.messages, messages, from)) return step;
  const entries = step.entries.map((entry) => ({ ...entry, createdAtMs: now() }));
  return { ...step, messages: messages.slice(from, from + step.messages.length), entries };
}

/** Reads a step. Message objects that are read as they were before keep their entries. */
function readStep(
  before: KnownStep | undefined,
  from: number,
  { messages, read }: ConversationToRead,
  waiting: WaitingCalls,
): KnownStep {
  const calls: ((waiting: WaitingCalls) => unknown)[] = [];
  const noted = <Result>(call: (waiting: WaitingCalls) => Result): Result => {
    calls.push(call);
    return call(waiting);
  };
  const step = read(from, {
    add: (added) => {
      if (added.length > 0) noted((all) => all.add(added));
    },
    answer: (key) => noted((all) => all.answer(key)),
    find: (key) => noted((all) => all.find(key)),
  });
  const isAsBefore =
    before?.messages.length === step.messages.length &&
    areSame(before.messages, messages, from) &&
    bytesOf(before.entries) === bytesOf(step.entries);
  return { ...(isAsBefore ? before : step), calls };
}

function areSame(some: readonly unknown[], messages: readonly unknown[], from: number): boolean {
  return some.every((message, at) => Object.is(message, messages[from + at]));
}

function bytesOf(entries: readonly HistoryEntry[]): string {
  return JSON.stringify(entries.map((entry) => ({ ...entry, createdAtMs: 0 })));
}

/** Keeps a conversation in the place of the one that it continues. One of which it is a small part stays, too. */
function keep(cache: ConversationCache, read: Conversation, known: Conversation | undefined): void {
  const shared = known?.leaves.filter((one, index) => one === read.leaves[index]).length ?? 0;
  if (known !== undefined && shared * 2 >= known.leaves.length) {
    cache.splice(cache.indexOf(known), 1);
  }
  // One that is too long by itself drops no other.
  if (read.size > MAX_SIZE) return;
  cache.unshift(read);
  let size = 0;
  const tooMany = cache.findIndex((one, index) => {
    size += one.size;
    return size > MAX_SIZE || index >= MAX_CONVERSATIONS;
  });
  if (tooMany !== -1) cache.length = tooMany;
}

/** What a message says, in the order in which it is read: kinds, keys and values. */
type Leaves = readonly unknown[];

/** As deep as a message is read. */
const MAX_DEPTH = 200;

const LIST = Symbol("list");
const FIELDS = Symbol("fields");
const END = Symbol("end");

/**
 * Returns what a message says: the fields that can be enumerated, `URL`s, dates and bytes. Two messages of the same leaves read the same.
 * `undefined` if that cannot be told: an object that writes itself by `toJSON`, a cycle, a field that throws. Linear.
 */
function leavesOf(message: unknown): Leaves | undefined {
  const leaves: unknown[] = [];
  try {
    return collect(message, leaves, 0) ? leaves : undefined;
  } catch {
    return undefined;
  }
}

function collect(value: unknown, leaves: unknown[], depth: number): boolean {
  if (typeof value !== "object" || value === null) {
    leaves.push(value);
    return true;
  }
  if (depth > MAX_DEPTH) return false;
  if (Array.isArray(value)) {
    leaves.push(LIST);
    for (const one of value) if (!collect(one, leaves, depth + 1)) return false;
    leaves.push(END);
    return true;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    const atom = atomOf(value);
    if (atom !== undefined) {
      // Not the prototype: that of `Buffer` is an instance of `Uint8Array`.
      leaves.push(value.constructor, atom);
      return true;
    }
  }
  if (!isFields(value)) return false;
  // What an object inherits is recorded too, and changes nothing.
  leaves.push(FIELDS);
  for (const key in value) {
    leaves.push(key);
    if (!collect(value[key], leaves, depth + 1)) return false;
  }
  leaves.push(END);
  return true;
}

function isFields(value: object): value is { readonly [key: string]: unknown } {
  return !("toJSON" in value && typeof value.toJSON === "function");
}

/** Returns what an object without fields says. */
function atomOf(value: object): unknown {
  if (value instanceof Uint8Array) return value;
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (value instanceof URL) return value.href;
  return value instanceof Date ? value.getTime() : undefined;
}

function sameLeaves(some: Leaves | undefined, others: Leaves | undefined): boolean {
  if (some === undefined || some.length !== others?.length) return false;
  return some.every(
    (leaf, index) => Object.is(leaf, others[index]) || sameBytes(leaf, others[index]),
  );
}

function sameBytes(one: unknown, other: unknown): boolean {
  if (!(one instanceof Uint8Array && other instanceof Uint8Array)) return false;
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index += 1) {
    if (one[index] !== other[index]) return false;
  }
  return true;
}

/** Bytes are copied: `slice` of a `Buffer` would share its memory. */
function copyOf(leaves: Leaves): Leaves {
  return leaves.map((leaf) => (leaf instanceof Uint8Array ? new Uint8Array(leaf) : leaf));
}

function sizeOf(all: readonly (Leaves | undefined)[]): number {
  let size = 0;
  for (const leaves of all) {
    for (const leaf of leaves ?? []) {
      const isLong = typeof leaf === "string" || leaf instanceof Uint8Array;
      size += 16 + (isLong ? leaf.length : 0);
    }
  }
  return size;
}
