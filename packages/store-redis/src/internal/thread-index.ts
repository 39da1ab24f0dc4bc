import { boundedMap, listInPages } from "@agent-history/store-kit";

import { decodeKeyPart, encodeKeyPart } from "./encode-key-part.ts";
import type { Operation } from "./operation.ts";
import type { RedisLink } from "./redis-link.ts";
import { listOf, textOf } from "./reply.ts";
import { indexKey, locateThread } from "./tree-keys.ts";

/** Which threads a namespace has. In slots of its own: written before a thread is, and filtered when it is read. */
export interface ThreadIndex {
  /**
   * Enters a thread that is about to be written. Where the handle has seen it living since, not more often than once a minute: an index
   * that lost its newest names in a failover gets them again.
   */
  readonly enter: (operation: Operation, threadId: string, isSeen: boolean) => Promise<void>;
  /** Takes a deleted thread out, unless it has begun again. */
  readonly leave: (operation: Operation, threadId: string) => Promise<void>;
  /** Lists threads that are there, in the order of their encoded ids. */
  readonly list: (operation: Operation, page: IndexPage) => Promise<ThreadPage>;
}

/** Which threads are asked for. */
export interface IndexPage {
  readonly prefix: string;
  readonly cursor: string | undefined;
  readonly limit: number;
}

/** Some threads, and where the next page begins. */
export interface ThreadPage {
  readonly threadIds: readonly string[];
  readonly cursor?: string;
}

/** The parts of an index, so that a cluster shares its load. */
const SHARDS = Array.from({ length: 16 }, (_, shard) => shard);

/** Makes the index of a namespace. */
export function threadIndex(link: RedisLink, namespace: string, size: number): ThreadIndex {
  const entered = boundedMap<number>(size);
  const keyOf = (threadId: string): string => indexKey(namespace, shardOf(threadId));

  const add = async (operation: Operation, threadId: string): Promise<void> => {
    const key = keyOf(threadId);
    await operation.read((signal) =>
      link.send(key, ["ZADD", key, "0", encodeKeyPart(threadId)], signal),
    );
  };

  return {
    enter: async (operation, threadId, isSeen) => {
      const now = performance.now();
      if (isSeen && now - (entered.get(threadId) ?? -Infinity) < ENTERED_MS) return;
      await add(operation, threadId);
      entered.set(threadId, now);
    },

    leave: async (operation, threadId) => {
      entered.delete(threadId);
      const key = keyOf(threadId);
      await operation.read((signal) =>
        link.send(key, ["ZREM", key, encodeKeyPart(threadId)], signal),
      );
      // Its tombstone may have expired meanwhile, and the thread have begun anew.
      const [living] = await livingOf({ link, namespace, operation }, [threadId]);
      if (living !== undefined) await add(operation, threadId);
    },

    list: async (operation, { prefix, cursor, limit }) => {
      if (limit === 0) return { threadIds: [] };
      const reading = { link, namespace, operation };
      return listInPages({ cursor, limit }, (page) => readPage(reading, { prefix, ...page }));
    },
  };
}

async function readPage(reading: Reading, page: IndexPage): Promise<ThreadPage> {
  const { found, isCut } = await readShards(reading, page);
  const members = found.slice(0, page.limit);
  const threadIds = await livingOf(reading, members.map(decodeKeyPart));
  const last = members.at(-1);
  return (isCut || found.length > members.length) && last !== undefined
    ? { threadIds, cursor: last }
    : { threadIds };
}

/** How long the index is trusted to have what it was given. */
const ENTERED_MS = 60_000;

interface Reading {
  readonly link: RedisLink;
  readonly namespace: string;
  readonly operation: Operation;
}

/** The members of a page in their order, and whether there may be more behind the last of them. */
async function readShards(
  { link, namespace, operation }: Reading,
  page: IndexPage,
): Promise<{ readonly found: readonly string[]; readonly isCut: boolean }> {
  const count = membersOfShard(page.limit);
  const range = [...rangeOf(page), "LIMIT", "0", String(count)];
  const replies = await operation.read((signal) =>
    Promise.all(
      SHARDS.map((shard) => {
        const key = indexKey(namespace, shard);
        return link.send(key, ["ZRANGEBYLEX", key, ...range], signal);
      }),
    ),
  );
  const shards = replies.map((reply) => listOf(reply).map((member) => textOf(member) ?? ""));
  // Behind its last member a shard that was cut may have one that stands before those of others.
  const ends = shards.flatMap((members) => (members.length < count ? [] : members.slice(-1)));
  const [end] = ends.toSorted();
  const found = shards.flat().toSorted();
  if (end === undefined) return { found, isCut: false };
  return { found: found.filter((member) => member <= end), isCut: true };
}

/** A shard has about a sixteenth of a page: of a large one it is asked for no more than twice as much. */
function membersOfShard(limit: number): number {
  return Math.min(limit + 1, Math.max(64, Math.ceil((limit * 2) / SHARDS.length)));
}

/** An index may name a thread that was never written, has expired or was deleted. */
async function livingOf(
  { link, namespace, operation }: Reading,
  threadIds: readonly string[],
): Promise<readonly string[]> {
  const metas = await operation.read((signal) =>
    Promise.all(
      threadIds.map((threadId) => {
        const { meta } = locateThread(namespace, threadId);
        return link.send(meta, ["HMGET", meta, "v", "d"], signal);
      }),
    ),
  );
  return threadIds.filter((_, index) => {
    const [version, deleted] = listOf(metas[index]);
    return textOf(version) !== undefined && textOf(deleted) === undefined;
  });
}

function rangeOf({ prefix, cursor }: IndexPage): readonly string[] {
  const first = encodeKeyPart(prefix);
  // Nothing encoded is above the last character of ASCII.
  const to = `[${first}\u007f`;
  const from = cursor !== undefined && cursor >= first ? `(${cursor}` : `[${first}`;
  return [from, to];
}

/** Spreads ids by a hash of theirs (FNV-1a). */
function shardOf(threadId: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < threadId.length; index += 1) {
    hash = Math.imul(hash ^ threadId.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0) % SHARDS.length;
}
