import { boundedMap } from "@agent-history/store-kit";

import { decodeKeyPart, encodeKeyPart } from "./encode-key-part.ts";
import type { Operation } from "./operation.ts";
import type { RedisLink } from "./redis-link.ts";
import { listOf, textOf } from "./reply.ts";
import { indexKey, placeOfThread } from "./tree-keys.ts";

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

    list: async (operation, page) => {
      if (page.limit === 0) return { threadIds: [] };
      const reading = { link, namespace, operation };
      const found = await readShards(reading, page);
      const members = found.slice(0, page.limit);
      const threadIds = await livingOf(reading, members.map(decodeKeyPart));
      const last = members.at(-1);
      return found.length > members.length && last !== undefined
        ? { threadIds, cursor: last }
        : { threadIds };
    },
  };
}

/** How long the index is trusted to have what it was given. */
const ENTERED_MS = 60_000;

interface Reading {
  readonly link: RedisLink;
  readonly namespace: string;
  readonly operation: Operation;
}

async function readShards(
  { link, namespace, operation }: Reading,
  page: IndexPage,
): Promise<readonly string[]> {
  const range = rangeOf(page);
  const replies = await operation.read((signal) =>
    Promise.all(
      SHARDS.map((shard) => {
        const key = indexKey(namespace, shard);
        return link.send(key, ["ZRANGEBYLEX", key, ...range], signal);
      }),
    ),
  );
  return replies.flatMap((reply) => listOf(reply).map((member) => textOf(member) ?? "")).toSorted();
}

/** An index may name a thread that was never written, has expired or was deleted. */
async function livingOf(
  { link, namespace, operation }: Reading,
  threadIds: readonly string[],
): Promise<readonly string[]> {
  const metas = await operation.read((signal) =>
    Promise.all(
      threadIds.map((threadId) => {
        const { meta } = placeOfThread(namespace, threadId);
        return link.send(meta, ["HMGET", meta, "v", "d"], signal);
      }),
    ),
  );
  return threadIds.filter((_, place) => {
    const [version, deleted] = listOf(metas[place]);
    return textOf(version) !== undefined && textOf(deleted) === undefined;
  });
}

function rangeOf({ prefix, cursor, limit }: IndexPage): readonly string[] {
  const first = encodeKeyPart(prefix);
  // Nothing encoded is above the last character of ASCII.
  const to = `[${first}\u007f`;
  const from = cursor !== undefined && cursor >= first ? `(${cursor}` : `[${first}`;
  const count = limit === Infinity ? [] : ["LIMIT", "0", String(limit + 1)];
  return [from, to, ...count];
}

/** Spreads ids by a hash of theirs (FNV-1a). */
function shardOf(threadId: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < threadId.length; index += 1) {
    hash = Math.imul(hash ^ threadId.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0) % SHARDS.length;
}
