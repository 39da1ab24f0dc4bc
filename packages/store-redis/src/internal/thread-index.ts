import type { HistoryStore } from "@agent-history/core";
import { boundedMap, listInPages } from "@agent-history/store-kit/indexed";

import { decodeKeyPart, encodeKeyPart } from "./encode-key-part.ts";
import type { Operation } from "./operation.ts";
import type { RedisLink } from "./redis-link.ts";
import { listOf, textOf } from "./reply.ts";
import { METADATA_FIELDS, readMetadata } from "./stored-metadata.ts";
import type { FoundMetadata } from "./stored-metadata.ts";
import { INDEX_SHARDS, indexKey, locateThread, shardOf, timesKey } from "./tree-keys.ts";

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
export type ThreadPage = Awaited<ReturnType<HistoryStore["list"]>>;

/** The parts of an index, so that a cluster shares its load. */
const SHARDS = Array.from({ length: INDEX_SHARDS }, (_, shard) => shard);

/** Makes the index of a namespace. */
export function threadIndex(link: RedisLink, namespace: string, size: number): ThreadIndex {
  const entered = boundedMap<number>(size);
  const keyOf = (threadId: string): string => indexKey(namespace, shardOf(threadId));

  const add = async (operation: Operation, threadId: string): Promise<void> => {
    const key = keyOf(threadId);
    const times = timesKey(namespace, threadId);
    const member = encodeKeyPart(threadId);
    await operation.read((signal) =>
      link.sendTogether(
        key,
        [
          ["ZADD", key, "0", member],
          ["ZADD", times, "NX", String(Date.now()), member],
        ],
        signal,
      ),
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
      const member = encodeKeyPart(threadId);
      const removals = [key, timesKey(namespace, threadId)].map((from) => ["ZREM", from, member]);
      await operation.read((signal) => link.sendTogether(key, removals, signal));
      // Its tombstone may have expired meanwhile, and the thread have begun anew.
      const [living] = await foundOf({ link, namespace, operation }, [threadId]);
      if (living?.metadata !== undefined) await add(operation, threadId);
    },

    list: async (operation, { prefix, cursor, limit }) => {
      if (limit === 0) return { threads: [] };
      const reading = { link, namespace, operation };
      return listInPages({ cursor, limit }, (page) => readPage(reading, { prefix, ...page }));
    },
  };
}

async function readPage(reading: Reading, page: IndexPage): Promise<ThreadPage> {
  const { found, isCut } = await readShards(reading, page);
  const members = found.slice(0, page.limit);
  const living = await foundOf(reading, members.map(decodeKeyPart));
  const threads = living.flatMap(({ metadata }) => metadata ?? []);
  const last = members.at(-1);
  return (isCut || found.length > members.length) && last !== undefined
    ? { threads, cursor: last }
    : { threads };
}

/** How long the index is trusted to have what it was given. */
const ENTERED_MS = 60_000;

/** What threads are read with. */
export interface Reading {
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
export async function foundOf(
  { link, namespace, operation }: Reading,
  threadIds: readonly string[],
): Promise<readonly FoundMetadata[]> {
  const metas = await operation.read((signal) =>
    Promise.all(
      threadIds.map((threadId) => {
        const { meta } = locateThread(namespace, threadId);
        return link.send(meta, ["HMGET", meta, ...METADATA_FIELDS], signal);
      }),
    ),
  );
  return threadIds.map((threadId, nth) => readMetadata(threadId, metas[nth]));
}

function rangeOf({ prefix, cursor }: IndexPage): readonly string[] {
  const first = encodeKeyPart(prefix);
  // Nothing encoded is above the last character of ASCII.
  const to = `[${first}\u007f`;
  const from = cursor !== undefined && cursor >= first ? `(${cursor}` : `[${first}`;
  return [from, to];
}
