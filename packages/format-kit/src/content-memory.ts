import type { MessageProof } from "./message-proof.ts";

/** Remembers by what a message says, for messages that are parsed again at each call. Holds what it remembers, up to a size. */
export interface ContentMemory<Known> {
  readonly find: (name: ContentName) => Known | undefined;
  readonly keep: (name: ContentName, known: Known) => void;
}

/** A number that messages rarely share which say something else, and how much room a message takes. */
export interface ContentName {
  readonly hash: number;
  readonly size: number;
}

/** In characters: what was used last, and what was used before. */
const GENERATION = 8_000_000;

/** What a message takes beside its text, about. */
const MESSAGE = 256;
const LEAF = 16;

/** Of a long text no more is looked at. */
const SAMPLES = 16;

/** Makes an empty memory. One conversation takes no more of it than a half, so that a longer one does not push itself out. */
export function contentMemory<Known>(): ContentMemory<Known> {
  let young = new Map<number, Known>();
  let old = new Map<number, Known>();
  let used = 0;
  const keep = ({ hash, size }: ContentName, known: Known): void => {
    if (used + size > GENERATION) {
      old = young;
      young = new Map();
      used = 0;
    }
    if (!young.has(hash)) used += size;
    young.set(hash, known);
  };
  return {
    keep,
    find: (name) => {
      const known = young.get(name.hash);
      if (known !== undefined) return known;
      const older = old.get(name.hash);
      if (older !== undefined) keep(name, older);
      return older;
    },
  };
}

/** How much of a memory one conversation may take. */
export const CONVERSATION_ROOM: number = GENERATION;

/** Names what a message says at a place, by the lengths of its texts and some of their characters. Linear in its leaves. */
export function contentName(proof: MessageProof, location: readonly unknown[]): ContentName {
  let hash = 0x811c9dc5;
  const take = (leaf: unknown): void => {
    if (typeof leaf === "string") hash = sampled(leaf, hash);
    else hash = mixed(hash, typeof leaf === "number" ? Math.trunc(leaf) : 1);
  };
  location.forEach(take);
  proof.forEach(take);
  return { hash, size: contentSize(proof) };
}

/** Returns how much room a message takes, about, in characters. */
export function contentSize(proof: MessageProof): number {
  let size = MESSAGE + LEAF * proof.length;
  for (const leaf of proof) {
    if (typeof leaf === "string") size += leaf.length;
    else if (typeof leaf === "object" && leaf instanceof Uint8Array) size += leaf.length;
  }
  return size;
}

function sampled(text: string, before: number): number {
  let hash = mixed(before, text.length);
  const step = Math.max(1, Math.floor(text.length / SAMPLES));
  for (let at = text.length - 1; at >= 0; at -= step) hash = mixed(hash, text.charCodeAt(at));
  return hash;
}

/** FNV-1a, 32 bits. */
function mixed(hash: number, value: number): number {
  return Math.imul(hash ^ value, 0x01000193);
}
