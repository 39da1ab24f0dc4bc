/** What a message says, leaf by leaf, in the order in which it is read: kinds, keys and values, bytes as a copy. */
export interface Snapshot {
  readonly leaves: readonly unknown[];
  /** How much memory it refers to, about, in characters. */
  readonly size: number;
}

/** As deep as a message is read. */
const MAX_DEPTH = 200;

const LEAF_SIZE = 16;

const LIST = Symbol("list");
const FIELDS = Symbol("fields");
const END = Symbol("end");

/**
 * Records what a message says: the fields that can be enumerated, `URL`s, dates and bytes. Two messages of one snapshot read the same.
 * `undefined` if that cannot be told: an object that writes itself by `toJSON`, a cycle, a field that throws. Linear.
 */
export function takeSnapshot(message: unknown): Snapshot | undefined {
  const leaves: unknown[] = [];
  let size = 0;
  const isWhole = visit(message, (leaf) => {
    // `slice` of a `Buffer` would share its memory.
    leaves.push(leaf instanceof Uint8Array ? new Uint8Array(leaf) : leaf);
    size += LEAF_SIZE;
    if (typeof leaf === "string" || leaf instanceof Uint8Array) size += leaf.length;
    return true;
  });
  return isWhole ? { leaves, size } : undefined;
}

/** Returns whether a message says what was recorded. Copies nothing, and stops at the first difference. */
export function matchesSnapshot(message: unknown, { leaves }: Snapshot): boolean {
  let at = 0;
  const isSame = visit(message, (leaf) => {
    const known = leaves[at];
    at += 1;
    return Object.is(leaf, known) || sameBytes(leaf, known);
  });
  return isSame && at === leaves.length;
}

type Take = (leaf: unknown) => boolean;

function visit(message: unknown, take: Take): boolean {
  try {
    return walk(message, take, 0);
  } catch {
    return false;
  }
}

function walk(value: unknown, take: Take, depth: number): boolean {
  if (typeof value !== "object" || value === null) return take(value);
  if (depth > MAX_DEPTH) return false;
  if (Array.isArray(value)) return walkList(value, take, depth);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    const atom = atomOf(value);
    // Not the prototype: that of `Buffer` is an instance of `Uint8Array`.
    if (atom !== undefined) return take(value.constructor) && take(atom);
  }
  return isFields(value) && walkFields(value, take, depth);
}

function walkList(list: readonly unknown[], take: Take, depth: number): boolean {
  if (!take(LIST) || !take(list.length)) return false;
  for (let index = 0; index < list.length; index += 1) {
    if (!walk(list[index], take, depth + 1)) return false;
  }
  return true;
}

function walkFields(fields: Fields, take: Take, depth: number): boolean {
  if (!take(FIELDS)) return false;
  // What an object inherits is recorded too, and changes nothing.
  for (const key in fields) {
    if (!take(key) || !walk(fields[key], take, depth + 1)) return false;
  }
  return take(END);
}

interface Fields {
  readonly [key: string]: unknown;
}

function isFields(value: object): value is Fields {
  return !("toJSON" in value && typeof value.toJSON === "function");
}

/** Returns what an object without fields says. */
function atomOf(value: object): unknown {
  if (value instanceof Uint8Array) return value;
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (value instanceof URL) return value.href;
  return value instanceof Date ? value.getTime() : undefined;
}

function sameBytes(one: unknown, other: unknown): boolean {
  if (!(one instanceof Uint8Array && other instanceof Uint8Array)) return false;
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index += 1) {
    if (one[index] !== other[index]) return false;
  }
  return true;
}
