import { encodeKeyPart } from "./encode-key-part.ts";

/** Where a thread lies. Its tree, named by what comes before the first `/` of its id, is in one hash slot. */
export interface ThreadLocation {
  readonly threadId: string;
  /** The beginning of every key of the tree: the hash tag. */
  readonly tag: string;
  /** The part of the thread within its tree. */
  readonly branch: string;
  /**
   * HASH: when the thread began `c` and its log changed `u`, title `t`, user `w`, tags `y`; version `v`, last entry id `z`, summaries `k`, last order of a commit `o`; of a long thread entries in logs `l`, of them a parent's `b`, rows of its own log `n`, head
   * `h`, ancestry `a`; of one whose end was replaced how often `e`, and what that left `j`; `d` once deleted.
   */
  readonly meta: string;
  /** STREAM of a long thread: rows of neighboring entries, `<position of the last + 1>-0`. */
  readonly log: string;
  /** HASH of a long thread: entry id to position, marked `u` for a user message; `s` for a summary. */
  readonly ids: string;
  /** HASH: what the index looks up. */
  readonly facts: string;
  /** HASH: summary id to its order, view and JSON. */
  readonly overlays: string;
  /** HASH: `r:` revision and `s:` state of each view. */
  readonly views: string;
  /** HASH: state, each value behind its revision. */
  readonly state: string;
  /** HASH of a short thread: entry id to position and entry; `s` for a summary. */
  readonly short: string;
  /** HASH of a thread whose end was replaced: `e:` what stood under an id before which replacement, `i:` what is kept of an operation, `n:` the nth operation. */
  readonly replaced: string;
  /** HASH of the tree: each key that it has, by name; revision `r`, expiry `x`. */
  readonly tree: string;
}

/** Names the keys of a thread. No text of an id or a namespace can leave its part of a key. */
export function locateThread(namespace: string, threadId: string): ThreadLocation {
  const slash = threadId.indexOf("/");
  const root = slash < 0 ? threadId : threadId.slice(0, slash);
  const branch = slash < 0 ? "" : `/${encodeKeyPart(threadId.slice(slash + 1))}`;
  const tag = `ah:{${encodeKeyPart(namespace)}:${encodeKeyPart(root)}}`;
  const named = (kind: string): string => `${tag}${branch}:${kind}`;
  return {
    threadId,
    tag,
    branch,
    meta: named("m"),
    log: named("l"),
    ids: named("i"),
    facts: named("f"),
    overlays: named("c"),
    views: named("w"),
    state: named("s"),
    short: named("n"),
    replaced: named("x"),
    tree: `${tag}:tree`,
  };
}

/** The nine keys that every script is given, in the order of its KEYS. */
export function fixedKeys(location: ThreadLocation): readonly string[] {
  return [...ownKeys(location), location.tree];
}

/** The keys that every thread has, in the order of a script's KEYS. */
export function ownKeys(location: ThreadLocation): readonly string[] {
  const { meta, log, ids, facts, overlays, views, state, short } = location;
  return [meta, log, ids, facts, overlays, views, state, short];
}

/** Names the key of a stream of references. */
export function referencesKey({ tag, branch }: ThreadLocation, stream: string): string {
  return `${tag}${branch}:r:${encodeKeyPart(stream)}`;
}

/** Names the log of another branch of the tree. */
export function logKey({ tag }: ThreadLocation, branch: string): string {
  return `${tag}${branch}:l`;
}

/** What the tree calls a key. */
export function nameInTree({ tag }: ThreadLocation, key: string): string {
  return key.slice(tag.length);
}

/** Names the keys of the index of threads, spread over slots of their own. */
export function indexKey(namespace: string, shard: number): string {
  return `ah:{${encodeKeyPart(namespace)}::${shard}}:index`;
}

/** How many keys each index of threads has, so that a cluster shares its load. */
export const INDEX_SHARDS = 16;

/** Names the key of the index of times that has a thread. */
export function timesKey(namespace: string, threadId: string): string {
  return timesKeyOf(namespace, shardOf(threadId));
}

/** Names all keys of the index of times. */
export function timesKeys(namespace: string): readonly string[] {
  return Array.from({ length: INDEX_SHARDS }, (_, shard) => timesKeyOf(namespace, shard));
}

function timesKeyOf(namespace: string, shard: number): string {
  return `ah:{${encodeKeyPart(namespace)}::${shard}}:times`;
}

/** Names the key of the index of a user's threads. */
export function usersKey(namespace: string, user: string): string {
  return `ah:{${encodeKeyPart(namespace)}::u${encodeKeyPart(user)}}:times`;
}

/** Spreads ids by a hash of theirs (FNV-1a). */
export function shardOf(threadId: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < threadId.length; index += 1) {
    hash = Math.imul(hash ^ threadId.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0) % INDEX_SHARDS;
}
