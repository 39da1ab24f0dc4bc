import type { Agent, EntrySources, HistoryEntry, ToolCall } from "@agent-history/core";

/** Fields of entries that messages do not have. */
export interface ReadOptions extends EntrySources {
  /** The turn of all entries. Default: none; each user message begins a turn. */
  readonly turnId?: string;
  /** The agent whose messages are read. */
  readonly agent?: Agent;
}

/** A call, and the key by which its result refers to it. */
export interface KeyedCall {
  readonly key: string;
  readonly call: ToolCall;
}

/** Open calls, by which a result finds its call. */
export interface WaitingCalls {
  /** Adds the calls of one answer, in order. */
  readonly add: (calls: readonly KeyedCall[]) => void;
  /** Returns and consumes the call that a result with this key answers: the first in the newest answer that has one. */
  readonly answer: (key: string) => ToolCall | undefined;
  /** Returns the call that a result with this key would answer, without consuming it. */
  readonly find: (key: string) => ToolCall | undefined;
}

/** Starts without calls. The last call of a key is never removed, so that a duplicate result still gets its name. */
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

/** One message, or neighbors that belong together, and their entries. */
export interface ReadStep {
  readonly messages: readonly unknown[];
  readonly entries: readonly HistoryEntry[];
}

/** Input of {@link readConversation}. */
export interface ConversationToRead {
  readonly messages: readonly unknown[];
  readonly options: ReadOptions;
  /** Reads the step that begins at an index. Must depend only on its messages, the next message, their index and the waiting calls. */
  readonly read: (index: number, waiting: WaitingCalls) => ReadStep;
  /** Returns the part of a message that is compared. Default: the message. */
  readonly said?: ((message: unknown, index: number) => unknown) | undefined;
  /** Filled with the step that each entry was read from. Default: not recorded. */
  readonly came?: WeakMap<HistoryEntry, ReadStep> | undefined;
}

/** The most recently read conversations of a format, newest first. */
export type ConversationCache = Conversation[];

interface Conversation {
  readonly turnId: ReadOptions["turnId"];
  readonly agent: ReadOptions["agent"];
  readonly messages: readonly unknown[];
  /** Contents of each message when it was read; `undefined` if they cannot be compared. */
  readonly leaves: readonly (Leaves | undefined)[];
  /** The steps, at the index of their first message. */
  readonly steps: readonly (KnownStep | undefined)[];
  /** Approximate memory of the messages, in characters. */
  readonly size: number;
}

interface KnownStep extends ReadStep {
  /** Its operations on the waiting calls, to be repeated. */
  readonly calls: readonly ((waiting: WaitingCalls) => unknown)[];
}

const MAX_CONVERSATIONS = 32;

/** In characters, for all conversations of a cache together. */
const MAX_SIZE = 128_000_000;

/** Number of messages compared to find a conversation in the cache. */
const SAMPLES = 16;

/**
 * Reads a conversation. Messages of the prefix shared with a cached conversation are not read again; after the first change, only changed messages and those that involve calls are.
 * The same message objects return the same entry objects, equal messages equal entries with the current time. With `newId`, nothing is cached.
 */
export function readConversation(
  cache: ConversationCache,
  asked: ConversationToRead,
): readonly HistoryEntry[] {
  const { said, came, options } = asked;
  const { newId, turnId, agent } = options;
  const messages = [...asked.messages];
  const isCached = newId === undefined;
  const leaves: (Leaves | undefined)[] = [];
  for (const [index, message] of messages.entries()) {
    leaves.push(
      isCached ? leavesOf(said === undefined ? message : said(message, index)) : undefined,
    );
  }
  const known = isCached ? mostAlike(cache, messages, leaves, options) : undefined;
  let size = 0;
  let shared = 0;
  for (const [index, one] of leaves.entries()) {
    const before = known?.leaves[index];
    const isKnown = sameLeaves(one, before);
    leaves[index] = isKnown ? before : one && copyOf(one);
    if (isKnown) shared += 1;
    size += sizeOf(one);
  }
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
  if (!isCached) return entries;
  // A conversation takes the place of the one that it continues, unless it shares less than half of it.
  if (known !== undefined && shared * 2 >= known.leaves.length) {
    cache.splice(cache.indexOf(known), 1);
  }
  keep(cache, { turnId, agent, messages, leaves, steps, size });
  return entries;

  /** Includes the message after the step, which may decide where the step ends. */
  function saysTheSame(step: KnownStep, from: number): boolean {
    const to = from + step.messages.length;
    for (let index = from; index <= to && index < leaves.length; index += 1) {
      if (leaves[index] === undefined || leaves[index] !== known?.leaves[index]) return false;
    }
    return to === leaves.length ? to === known?.leaves.length : to < leaves.length;
  }
}

/** Finds the cached conversation that agrees at most of a few sampled indexes; identical objects weigh more. */
function mostAlike(
  cache: ConversationCache,
  messages: readonly unknown[],
  says: readonly (Leaves | undefined)[],
  { turnId, agent }: ReadOptions,
): Conversation | undefined {
  let found: Conversation | undefined;
  let most = 0;
  for (const one of cache) {
    const isOfAgent = one.agent?.id === agent?.id && one.agent?.role === agent?.role;
    if (one.turnId !== turnId || !isOfAgent) continue;
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

/** Returns a known step; if its message objects are new, with entries of the current time. */
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

/** Reads a step. If the same message objects give the same result, their entries are kept. */
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
  for (const [at, message] of some.entries()) {
    if (!Object.is(message, messages[from + at])) return false;
  }
  return true;
}

function bytesOf(entries: readonly HistoryEntry[]): string {
  return JSON.stringify(entries.map((entry) => ({ ...entry, createdAtMs: 0 })));
}

/** Caches a conversation, and removes the oldest above the limits. */
function keep(cache: ConversationCache, read: Conversation): void {
  // A conversation above the limit must not evict the others.
  if (read.size > MAX_SIZE) return;
  cache.unshift(read);
  let size = 0;
  const tooMany = cache.findIndex((one, index) => {
    size += one.size;
    return size > MAX_SIZE || index >= MAX_CONVERSATIONS;
  });
  if (tooMany !== -1) cache.length = tooMany;
}

/** Contents of a message in reading order: kinds, keys and values. */
type Leaves = readonly unknown[];

/** Maximum depth of a message. */
const MAX_DEPTH = 200;

const LIST = Symbol("list");
const FIELDS = Symbol("fields");
const END = Symbol("end");

/**
 * Returns the contents of a message: enumerable fields, `URL`s, dates and bytes. Messages with equal leaves read the same.
 * `undefined` if they cannot be compared: an object with `toJSON`, a cycle, a field that throws. Linear.
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
      // Not the prototype: `Buffer.prototype` is an instance of `Uint8Array`.
      leaves.push(value.constructor, atom);
      return true;
    }
  }
  if (!isFields(value)) return false;
  // Inherited fields are recorded too, which does no harm.
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

/** Returns the value of an object without fields. */
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

function sizeOf(leaves: Leaves = []): number {
  let size = 0;
  for (const leaf of leaves) {
    const isLong = typeof leaf === "string" || leaf instanceof Uint8Array;
    size += 16 + (isLong ? leaf.length : 0);
  }
  return size;
}
