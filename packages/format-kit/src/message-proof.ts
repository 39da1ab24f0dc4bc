/**
 * What a message says, leaf by leaf, in the order in which it is read: keys and values by identity, bytes as a copy. Two messages with the same proof
 * read the same.
 */
export type MessageProof = readonly unknown[];

/** As deep as a message is read. What is nested deeper cannot be proven, and neither can a cycle. */
const MAX_DEPTH = 200;

const LIST = Symbol("list");
const FIELDS = Symbol("fields");
const END = Symbol("end");
const BYTES = Symbol("bytes");
const BUFFER = Symbol("buffer");
const ADDRESS = Symbol("address");
const INSTANT = Symbol("instant");

/**
 * Records what a message says: the own fields that can be enumerated, `URL`s, dates and bytes. `undefined` where that cannot be told: an object that
 * writes itself by `toJSON`, a cycle, a field that throws. Linear.
 */
export function proveMessage(message: object): MessageProof | undefined {
  const leaves: unknown[] = [];
  try {
    // A copy takes no more room than it needs.
    return record(message, leaves, 0) ? leaves.slice() : undefined;
  } catch {
    return undefined;
  }
}

/** Returns whether a message still says what was recorded. Copies nothing, and looks no further than the first leaf that differs. */
export function isProven(message: object, proof: MessageProof): boolean {
  return endOfProof(message, proof, 0) === proof.length;
}

/** Returns where the proof of a message ends in leaves of several, one proof after the other; -1 where the message says something else. */
export function endOfProof(message: object, leaves: MessageProof, from: number): number {
  try {
    return match(message, leaves, from);
  } catch {
    return -1;
  }
}

/** Returns whether two proofs are of messages that say the same. */
export function sameProof(one: MessageProof, other: MessageProof): boolean {
  if (one.length !== other.length) return false;
  return one.every((leaf, at) => Object.is(leaf, other[at]) || sameBytes(leaf, other[at]));
}

function record(value: unknown, leaves: unknown[], depth: number): boolean {
  if (typeof value !== "object" || value === null) {
    leaves.push(value);
    return true;
  }
  if (depth > MAX_DEPTH) return false;
  if (Array.isArray(value)) {
    leaves.push(LIST, value.length);
    return Array.from(value).every((item: unknown) => record(item, leaves, depth + 1));
  }
  const kind = kindOf(value);
  if (kind === undefined) return false;
  leaves.push(kind);
  if (isFields(value, kind)) return recordFields(value, leaves, depth);
  const said = saidBy(value);
  leaves.push(Object.getPrototypeOf(value), said instanceof Uint8Array ? said.slice() : said);
  return true;
}

function recordFields(fields: Fields, leaves: unknown[], depth: number): boolean {
  // What an object inherits is recorded too, and changes nothing: asking of each key whether it is its own costs as much as all the rest.
  for (const key in fields) {
    leaves.push(key);
    if (!record(fields[key], leaves, depth + 1)) return false;
  }
  leaves.push(END);
  return true;
}

/** Returns the place behind what a value matches from an index on; -1 where it says something else. */
function match(value: unknown, leaves: MessageProof, from: number): number {
  if (typeof value !== "object" || value === null) {
    return Object.is(value, leaves[from]) ? from + 1 : -1;
  }
  if (Array.isArray(value)) return matchList(value, leaves, from);
  const kind = kindOf(value);
  if (kind === undefined || kind !== leaves[from]) return -1;
  if (isFields(value, kind)) return matchFields(value, leaves, from + 1);
  if (Object.getPrototypeOf(value) !== leaves[from + 1]) return -1;
  const said = saidBy(value);
  const known = leaves[from + 2];
  return Object.is(said, known) || sameBytes(said, known) ? from + 3 : -1;
}

function matchFields(fields: Fields, leaves: MessageProof, from: number): number {
  let at = from;
  for (const key in fields) {
    if (leaves[at] !== key) return -1;
    const value = fields[key];
    // Most are texts: a call for each costs as much as the rest. 0 is also -0.
    at = value === leaves[at + 1] && value !== 0 ? at + 2 : match(value, leaves, at + 1);
    if (at === -1) return -1;
  }
  return leaves[at] === END ? at + 1 : -1;
}

function matchList(list: readonly unknown[], leaves: MessageProof, from: number): number {
  if (leaves[from] !== LIST || leaves[from + 1] !== list.length) return -1;
  let at = from + 2;
  for (let index = 0; index < list.length && at !== -1; index += 1) {
    at = match(list[index], leaves, at);
  }
  return at;
}

function kindOf(value: object): symbol | undefined {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    if (value instanceof Uint8Array) return BYTES;
    if (value instanceof ArrayBuffer) return BUFFER;
    if (value instanceof URL) return ADDRESS;
    if (value instanceof Date) return INSTANT;
  }
  const { toJSON }: { readonly toJSON?: unknown } = value;
  return typeof toJSON === "function" ? undefined : FIELDS;
}

interface Fields {
  readonly [key: string]: unknown;
}

function isFields(_value: object, kind: symbol): _value is Fields {
  return kind === FIELDS;
}

/** Returns what an object without fields says. */
function saidBy(value: object): unknown {
  if (value instanceof Uint8Array) return value;
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  return value instanceof URL ? value.href : Number(value);
}

function sameBytes(one: unknown, other: unknown): boolean {
  if (!(one instanceof Uint8Array && other instanceof Uint8Array)) return false;
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
