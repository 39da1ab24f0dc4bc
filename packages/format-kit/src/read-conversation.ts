import { isObject } from "@agent-history/core";
import type { Agent, EntrySources, HistoryEntry, ToolCall } from "@agent-history/core";

/** Fields of entries that messages do not have. */
export interface ReadOptions extends EntrySources {
  /** The turn of all entries. Default: none; each user message begins a turn. */
  readonly turnId?: string | undefined;
  /** The agent whose messages are read. */
  readonly agent?: Agent | undefined;
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
  /** The format's name. */
  readonly format: string;
  readonly messages: readonly unknown[];
  readonly options: ReadOptions;
  /** Reads the step that begins at an index. Must depend only on its messages, the next message, their index and the waiting calls. */
  readonly read: (index: number, waiting: WaitingCalls) => ReadStep;
  /** Returns the part of a message that is compared. Default: the message. */
  readonly said?: ((message: unknown) => unknown) | undefined;
  /** Filled with the step that each entry was read from. Default: not recorded. */
  readonly came?: WeakMap<HistoryEntry, ReadStep> | undefined;
}

/** The steps that were read, by their first message object and its index. */
const cache = new WeakMap<object, Map<number, KnownStep>>();

interface KnownStep extends ReadStep {
  /** Its format, and the turn and the agent of its entries. */
  readonly by: string;
  /** Contents of its messages and of the message after them, which may decide where it ends. */
  readonly leaves: readonly (Leaves | undefined)[];
  /** The step before it; if that is the same, everything before is. */
  readonly previous: KnownStep | undefined;
  /** Its operations on the waiting calls, to be repeated. */
  readonly calls: readonly ((waiting: WaitingCalls) => unknown)[];
}

/**
 * Reads a conversation. A message object is not read again at its index; after the first change, only changed messages and those that involve calls are.
 * The same message objects return the same entry objects. With `newId`, nothing is cached.
 */
export function readConversation({
  format,
  messages: given,
  options,
  read,
  said = (message) => message,
  came,
}: ConversationToRead): readonly HistoryEntry[] {
  const messages = [...given];
  const isCached = options.newId === undefined;
  const by = JSON.stringify([format, options.turnId, options.agent]);
  const leaves = messages.map((one) => (isCached ? leavesOf(said(one)) : undefined));
  const waiting = waitingCalls();
  const entries: HistoryEntry[] = [];
  let previous: KnownStep | undefined;
  for (let from = 0; from < messages.length;) {
    const known = isCached ? stepsOf(messages[from]) : undefined;
    const before = known?.get(from);
    const length = before?.messages.length ?? 0;
    const isSame =
      before?.by === by &&
      before.messages.every((one, at) => Object.is(one, messages[from + at])) &&
      sameContents(before.leaves, leaves.slice(from, from + length + 1));
    let step: KnownStep;
    if (isSame && before.previous === previous) {
      step = before;
      for (const repeat of step.calls) repeat(waiting);
    } else if (isSame && before.calls.length === 0) {
      step = { ...before, previous };
    } else {
      const [now, calls] = withCalls(waiting, (noted) => read(from, noted));
      const isAsBefore = before !== undefined && bytesOf(before.entries) === bytesOf(now.entries);
      const own = isAsBefore ? before.entries : now.entries;
      const says = leaves.slice(from, from + now.messages.length + 1);
      step = { messages: now.messages, entries: own, by, leaves: says, previous, calls };
    }
    known?.set(from, step);
    for (const entry of step.entries) {
      came?.set(entry, step);
      entries.push(entry);
    }
    previous = step;
    from += step.messages.length;
  }
  return entries;
}

/** Returns what `read` returns, and its operations on the waiting calls. */
function withCalls<Result>(
  waiting: WaitingCalls,
  read: (noted: WaitingCalls) => Result,
): readonly [Result, KnownStep["calls"]] {
  const calls: ((waiting: WaitingCalls) => unknown)[] = [];
  const noted = <Made>(call: (waiting: WaitingCalls) => Made): Made => {
    calls.push(call);
    return call(waiting);
  };
  const result = read({
    add: (added) => {
      if (added.length > 0) noted((all) => all.add(added));
    },
    answer: (key) => noted((all) => all.answer(key)),
    find: (key) => noted((all) => all.find(key)),
  });
  return [result, calls];
}

function stepsOf(message: unknown): Map<number, KnownStep> | undefined {
  if (!isObject(message)) return undefined;
  const steps = cache.get(message) ?? new Map<number, KnownStep>();
  cache.set(message, steps);
  return steps;
}

function bytesOf(entries: readonly HistoryEntry[]): string {
  return JSON.stringify(entries.map((entry) => ({ ...entry, createdAtMs: 0 })));
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
  // Copied, to notice a change in place; `slice` of a `Buffer` would share its memory.
  if (value instanceof Uint8Array) return new Uint8Array(value);
  if (value instanceof ArrayBuffer) return new Uint8Array(value.slice());
  if (value instanceof URL) return value.href;
  return value instanceof Date ? value.getTime() : undefined;
}

function sameContents(some: KnownStep["leaves"], others: KnownStep["leaves"]): boolean {
  return some.length === others.length && some.every((one, at) => sameLeaves(one, others[at]));
}

function sameLeaves(some: Leaves | undefined, others: Leaves | undefined): boolean {
  if (some === undefined || some.length !== others?.length) return false;
  return some.every(
    (leaf, index) => Object.is(leaf, others[index]) || sameBytes(leaf, others[index]),
  );
}

function sameBytes(one: unknown, other: unknown): boolean {
  if (!(one instanceof Uint8Array && other instanceof Uint8Array)) return false;
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
