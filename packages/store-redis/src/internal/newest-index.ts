import { boundedMap } from "@agent-history/store-kit/indexed";

import { DROP_MEMBERS } from "../lua/drop-members.ts";
import { decodeKeyPart, encodeKeyPart } from "./encode-key-part.ts";
import type { Operation } from "./operation.ts";
import type { Command, RedisLink } from "./redis-link.ts";
import { listOf, numberOf, pairsOf } from "./reply.ts";
import { runScript } from "./run-script.ts";
import { timesKey, timesKeys, usersKey } from "./tree-keys.ts";

/** Which threads changed when, of all and of each user. In slots of its own, up to a minute behind what the threads say themselves. */
export interface NewestIndex {
  /** Enters a thread that is about to become a user's, before it says so itself. */
  readonly assign: (operation: Operation, threadId: string, user: string) => Promise<void>;
  /** Keeps when a thread's log changed, not more often than once a minute; nobody waits for it. */
  readonly touch: (threadId: string, change: LogChange) => void;
  /** The same at once, where the thread has become another user's. */
  readonly place: (operation: Operation, threadId: string, change: LogChange) => Promise<void>;
  /** Reads the members of a page, the newest first. */
  readonly read: (operation: Operation, page: NewestPage) => Promise<NewestMembers>;
  /** Takes out what was seen to be none of it, unless it was entered again since. */
  readonly drop: (
    operation: Operation,
    user: string | undefined,
    members: readonly Member[],
  ) => Promise<void>;
  /** Resolves when nothing is on its way. */
  readonly idle: () => Promise<unknown>;
}

/** What a write said of a thread. */
export interface LogChange {
  readonly updatedAtMs: number;
  readonly user: string | undefined;
}

/** A thread in an index. */
export interface Member {
  readonly threadId: string;
  readonly score: number;
}

/** Which part of an index is asked for. */
export interface NewestPage {
  readonly user: string | undefined;
  readonly cursor: string | undefined;
  readonly limit: number;
}

/** A part of an index, and where the next begins. */
export interface NewestMembers {
  readonly members: readonly Member[];
  readonly cursor?: string;
}

/** How long an index is trusted to have what it was given. */
const TRUSTED_MS = 60_000;

/** Makes the index of a namespace. `timeoutMs` limits what nobody waits for. */
export function newestIndex(
  link: RedisLink,
  namespace: string,
  { size, timeoutMs }: { readonly size: number; readonly timeoutMs: number },
): NewestIndex {
  const touched = boundedMap<{ readonly atMs: number; readonly user: string | undefined }>(size);
  const pending = new Set<Promise<unknown>>();

  const send = async (commands: readonly Command[], signal: AbortSignal): Promise<void> => {
    await Promise.all(
      commands.map(async (command) => link.send(command[1] ?? "", command, signal)),
    );
  };

  return {
    assign: async (operation, threadId, user) => {
      const key = usersKey(namespace, user);
      const command = ["ZADD", key, String(Date.now()), encodeKeyPart(threadId)];
      await operation.read((signal) => link.send(key, command, signal));
    },

    touch: (threadId, change) => {
      const now = performance.now();
      const last = touched.get(threadId);
      const isFresh = last !== undefined && now - last.atMs < TRUSTED_MS;
      if (isFresh && last.user === change.user) return;
      touched.set(threadId, { atMs: now, user: change.user });
      const signal = AbortSignal.timeout(Math.min(timeoutMs, TRUSTED_MS));
      // What fails here is done again in a minute.
      const work = send(additions(namespace, threadId, change, ["GT"]), signal)
        .catch(() => touched.delete(threadId))
        .finally(() => pending.delete(work));
      pending.add(work);
    },

    place: async (operation, threadId, change) => {
      await operation.read((signal) => send(additions(namespace, threadId, change, []), signal));
      touched.set(threadId, { atMs: performance.now(), user: change.user });
    },

    read: async (operation, page) => readNewest({ link, namespace, operation }, page),
    drop: async (operation, user, members) =>
      dropMembers({ link, namespace, operation }, user, members),
    idle: () => Promise.all(pending),
  };
}

/** What enters a thread, of all and of its user's. `GT`: of two writers the later one counts. */
function additions(
  namespace: string,
  threadId: string,
  { updatedAtMs, user }: LogChange,
  how: readonly "GT"[],
): readonly Command[] {
  const keys = [timesKey(namespace, threadId)];
  if (user !== undefined) keys.push(usersKey(namespace, user));
  const scored = [String(updatedAtMs), encodeKeyPart(threadId)];
  return keys.map((key) => ["ZADD", key, ...how, ...scored]);
}

interface Reading {
  readonly link: RedisLink;
  readonly namespace: string;
  readonly operation: Operation;
}

async function readNewest(
  { link, namespace, operation }: Reading,
  { user, cursor, limit }: NewestPage,
): Promise<NewestMembers> {
  const keys = user === undefined ? timesKeys(namespace) : [usersKey(namespace, user)];
  const found = await operation.read(async (signal) =>
    Promise.all(
      keys.map(async (key) => readRange(link, key, { cursor, count: limit + 1 }, signal)),
    ),
  );
  const sorted = found.flat().toSorted(newestFirst);
  const page = sorted.slice(0, limit);
  const last = page.at(-1);
  const members = page.map(({ member, score }) => ({ threadId: decodeKeyPart(member), score }));
  if (sorted.length === page.length || last === undefined) return { members };
  return { members, cursor: `${last.score} ${last.member}` };
}

async function dropMembers(
  { link, namespace, operation }: Reading,
  user: string | undefined,
  members: readonly Member[],
): Promise<void> {
  const byKey = new Map<string, string[]>();
  for (const { threadId, score } of members) {
    const key = user === undefined ? timesKey(namespace, threadId) : usersKey(namespace, user);
    const args = byKey.get(key) ?? [];
    args.push(encodeKeyPart(threadId), String(score));
    byKey.set(key, args);
  }
  await operation.read((signal) =>
    Promise.all(
      [...byKey].map(async ([key, args]) =>
        runScript(link, { script: DROP_MEMBERS, keys: [key], args }, signal),
      ),
    ),
  );
}

interface Scored {
  readonly member: string;
  readonly score: number;
}

/** Reads on behind a cursor: what is left of its moment, then what is older. */
async function readRange(
  link: RedisLink,
  key: string,
  { cursor, count }: { readonly cursor: string | undefined; readonly count: number },
  signal: AbortSignal,
): Promise<readonly Scored[]> {
  const read = async (range: readonly string[]): Promise<readonly Scored[]> => {
    const reply = await link.send(key, ["ZREVRANGEBYSCORE", key, ...range], signal);
    // A client that speaks RESP3 gives pairs.
    return pairsOf(listOf(reply).flat()).map(([member, score]) => ({
      member,
      score: numberOf(score),
    }));
  };
  const [, moment, last = ""] = /^(\d+) (.*)$/s.exec(cursor ?? "") ?? [];
  const older = moment === undefined ? "+inf" : `(${moment}`;
  const page = await read([older, "-inf", "WITHSCORES", "LIMIT", "0", String(count)]);
  if (moment === undefined) return page;
  const ofMoment = await read([moment, moment, "WITHSCORES"]);
  return [...ofMoment.filter(({ member }) => member < last), ...page];
}

/** As the server sorts them: of one moment the last by name comes first. */
function newestFirst(one: Scored, other: Scored): number {
  return other.score - one.score || (one.member > other.member ? -1 : 1);
}
