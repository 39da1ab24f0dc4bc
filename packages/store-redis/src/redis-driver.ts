import { HistoryError } from "@agent-history/core";
import { keyText, laneOfText, textKey } from "@agent-history/store-kit";
import type {
  Answer,
  Ask,
  Change,
  DriverCall,
  DriverList,
  DriverPage,
  ItemKey,
  Listing,
  Row,
  ThreadDriver,
} from "@agent-history/store-kit";

import { asHistoryError, classifyFailure } from "./redis-failure.ts";
import type { RedisLink } from "./redis-link.ts";
import { COMMIT, INDEX, READ } from "./scripts.ts";
import type { Script } from "./scripts.ts";

/** Options of `redisDriver`. */
export interface RedisDriverOptions {
  readonly link: RedisLink;
  readonly namespace: string;
  readonly ttlMs: number | undefined;
  /** How many replicas must confirm a write, and how long to wait for them. */
  readonly replicas: number;
  readonly replicasTimeoutMs: number;
  /** Throws if the server's configuration may lose history. */
  readonly requireServer: (call: DriverCall | undefined) => Promise<void>;
}

/** How old the times in the index may be, so that not every append must write the index. In milliseconds. */
const INDEX_MS = 60_000;

/** Makes a driver for Redis or Redis Cluster. A read and a commit are one script each. */
export function redisDriver(options: RedisDriverOptions): ThreadDriver {
  const { link, requireServer } = options;
  return {
    read: async (name, asks, call) => {
      await requireServer(call);
      const key = threadKey(options, name);
      const args = [JSON.stringify(asks.map(askOf))];
      const [reply] = await sent("read", async () => runScript(link, READ, key, args, call));
      const [stamp, text, ...answers] = listOf(reply);
      if (stamp === -1) throw corrupt("read");
      const head = textOf(text);
      return {
        stamp: Number(textOf(stamp) ?? 0),
        ...(head !== undefined && { head }),
        answers: answers.map(answerOf),
      };
    },
    commit: async (name, change, call) => {
      await requireServer(call);
      const { stamp, listed } = change;
      // Write the index before a new thread: a thread that is not in the index could never be listed.
      if (stamp === 0 && listed !== undefined) await writeIndex(options, name, listed, call);
      const [status, marker] = await commit(options, name, change, call);
      if (status === -1) throw corrupt("written");
      if (status !== 1) return false;
      const wanted = markerOf(listed);
      if (marker === wanted) return true;
      try {
        if (stamp !== 0 || listed === undefined) await writeIndex(options, name, listed, call);
        const key = threadKey(options, name);
        if (change.gone !== true)
          await link.send(key, ["HSET", `${key}h`, "x", wanted], call?.signal);
      } catch (cause) {
        // The next commit writes the index again. The index may have an old time until then, but not the wrong user.
        if (!isFoundBy(marker, listed)) throw indexBehind(cause);
      }
      return true;
    },
    list: async (wanted, call) => {
      await requireServer(call);
      return listThreads(options, wanted, call);
    },
    ping: async (call) => {
      await sent("read", async () => link.send(indexKey(options), ["PING"], call?.signal));
    },
    close: async () => {},
  };
}

/** The prefix of a thread's keys. The part in braces is the hash tag by which Redis Cluster chooses the slot. */
function threadKey({ namespace }: RedisDriverOptions, name: string): string {
  return `ah:{${keyPart(namespace)}:${keyPart(name)}}:`;
}

function indexKey({ namespace }: RedisDriverOptions): string {
  return `ah:{${keyPart(namespace)}}:`;
}

/** Escapes everything but letters, digits, `_`, `.` and `-` by its code units, so that no name can address the keys of another. */
function keyPart(text: string): string {
  return text.replaceAll(/[^\w.-]/gu, (part) =>
    Array.from({ length: part.length }, (_, at) => `~${part.charCodeAt(at).toString(16)}~`).join(
      "",
    ),
  );
}

/** The thread's state in the index, as a text: its user and the time, rounded down to the minute. Stored in the thread to detect when the index must be written. */
function markerOf(listed: Listing | undefined): string {
  if (listed === undefined) return "-";
  return JSON.stringify([listed.user, Math.floor(listed.updatedAtMs / INDEX_MS)]);
}

/** Whether the index still lists the thread under the right user without being written, and the thread is not deleted. */
function isFoundBy(marker: string, listed: Listing | undefined): boolean {
  const owner = JSON.stringify([listed?.user]).slice(1, -1);
  return listed !== undefined && (marker === "" || marker.startsWith(`[${owner},`));
}

function indexBehind(cause: unknown): HistoryError {
  return new HistoryError(
    "The write succeeded, but the list of threads may not include it. Send it again to update the list.",
    { code: "OUTCOME_UNKNOWN", details: { reason: "index" }, cause },
  );
}

async function writeIndex(
  options: RedisDriverOptions,
  name: string,
  listed: Listing | undefined,
  call: DriverCall | undefined,
): Promise<void> {
  const { link, ttlMs } = options;
  const user = listed?.user === undefined ? "" : textKey(listed.user);
  const expired = ttlMs === undefined ? "" : String(Date.now() - ttlMs - 2 * INDEX_MS);
  const time = listed === undefined ? "" : String(listed.updatedAtMs);
  const args = [textKey(name), time, user, expired];
  const keys = user === "" ? INDEX.keys : [...INDEX.keys, `user:${user}`];
  await sent("read", async () =>
    runScript(link, { ...INDEX, keys }, indexKey(options), args, call),
  );
}

async function commit(
  options: RedisDriverOptions,
  name: string,
  change: Change,
  call: DriverCall | undefined,
): Promise<readonly [status: number, marker: string]> {
  const { link, ttlMs, replicas, replicasTimeoutMs } = options;
  const { stamp, head, absent, wipe, keep, rows = [], drop, put = [] } = change;
  const { gone, rewrite = [], listed } = change;
  const described = {
    stamp,
    absent: keysOf(absent),
    wipe,
    keep,
    rewrite: rewrite.map(({ position, lane, text }) => [position, lane, text]),
    rows: rows.map(({ position, lane }) => [position, lane]),
    drop: keysOf(drop),
    put: keysOf(put),
    updated: listed?.updatedAtMs,
    ...(listed?.user !== undefined && { user: textKey(listed.user) }),
    // Only the internal thread with the names of deleted threads is not listed; it never expires.
    ttl: listed === undefined ? undefined : ttlMs,
    gone,
  };
  const args = [
    JSON.stringify(described),
    head,
    ...rows.map(({ text }) => text),
    ...put.map(([, , value]) => value),
  ];
  const key = threadKey(options, name);
  const wait = replicas === 0 ? [] : [["WAIT", String(replicas), String(replicasTimeoutMs)]];
  const [reply, confirmed] = await sent("write", async () =>
    runScript(link, COMMIT, key, args, call, wait),
  );
  const [status, marker] = listOf(reply);
  if (replicas > 0 && Number(status) === 1 && Number(confirmed ?? 0) < replicas) {
    throw new HistoryError(
      "The write succeeded, but too few replicas confirmed it in time. Send it again with the same ids.",
      { code: "OUTCOME_UNKNOWN", details: { reason: "replicas" } },
    );
  }
  return [Number(status), textOf(marker) ?? ""];
}

function keysOf(items: readonly ItemKey[] | Change["put"] = []): readonly (readonly string[])[] {
  return items.map(([kind, key]) => [kind, textKey(key)]);
}

function askOf(ask: Ask): object {
  if (ask.kind === "rows") return { ...ask, limit: ask.limit === Infinity ? -1 : ask.limit };
  if (ask.kind === "keys" || ask.keys === undefined) return ask;
  return { ...ask, keys: ask.keys.map(textKey) };
}

/** Parses an answer. Rows are a range that begins with `from<position>`, or pairs of position and text; items are pairs of key and value. */
function answerOf(reply: unknown): Answer {
  const [flat, pairs] = listOf(reply).map((one) => listOf(one).map((text) => textOf(text) ?? ""));
  const items = new Map<string, string>();
  for (let nth = 0; nth < (pairs?.length ?? 0); nth += 2)
    items.set(keyText(pairs?.[nth] ?? ""), pairs?.[nth + 1] ?? "");
  const [first = "", ...texts] = flat ?? [];
  const rows: Row[] = [];
  const add = (position: number, text = ""): void =>
    void rows.push({ position, lane: laneOfText(text[0]), text: text.slice(1) });
  if (first.startsWith("from"))
    for (const [nth, text] of texts.entries()) add(Number(first.slice(4)) + nth, text);
  else
    for (let nth = 1; nth < (flat?.length ?? 0); nth += 2)
      add(Number(flat?.[nth - 1]), flat?.[nth]);
  return { rows: rows.toSorted((one, other) => one.position - other.position), items };
}

async function listThreads(
  options: RedisDriverOptions,
  wanted: DriverList,
  call: DriverCall | undefined,
): Promise<DriverPage> {
  const found = await sent("read", async () => indexPage(options, wanted, call));
  const names = found.slice(0, wanted.limit).map(([, name]) => keyText(name));
  const headOf = async (name: string): Promise<readonly unknown[]> => {
    const key = threadKey(options, name);
    const command = ["HMGET", `${key}h`, "h", "u", "w"];
    return listOf(await options.link.send(key, command, call?.signal));
  };
  const heads = await sent("read", async () => Promise.all(names.map(headOf)));
  const threads: (readonly [name: string, head: string, updated: number])[] = [];
  for (const [nth, name] of names.entries()) {
    const [head, updated, user] = (heads[nth] ?? []).map(textOf);
    // The thread expired or was never written: remove it from the index.
    if (head === undefined) await writeIndex(options, name, undefined, call);
    else if (wanted.user === undefined || user === textKey(wanted.user))
      threads.push([name, head, Number(updated)]);
  }
  if (wanted.byTime) threads.sort(([, , one], [, , other]) => other - one);
  const end = found.length > wanted.limit ? found[wanted.limit - 1] : undefined;
  return {
    threads: threads.map(([name, head]) => [name, head] as const),
    end: end && [Number(end[0]), keyText(end[1])],
  };
}

/** A page of the index, plus the first name of the next page if there is one. */
async function indexPage(
  options: RedisDriverOptions,
  { user, byTime, prefix, after, limit }: DriverList,
  call: DriverCall | undefined,
): Promise<readonly (readonly [score: string, name: string])[]> {
  const base = indexKey(options);
  const [score, last] = after ? [String(after[0]), textKey(after[1])] : ["-inf", ""];
  const send = async (command: readonly string[]): Promise<readonly string[]> =>
    // RESP3 replies with pairs of member and score.
    listOf(await options.link.send(base, command, call?.signal))
      .flat()
      .map((one) => textOf(one) ?? "");
  const count = String(limit + 1);
  if (!byTime) {
    const begin = textKey(prefix);
    const from = last > begin ? `(${last}` : `[${begin}`;
    const to = begin === "" ? "+" : `[${begin}\u{10FFFF}`;
    const first = begin === "" && last === "" ? "-" : from;
    const names = await send(["ZRANGEBYLEX", `${base}names`, first, to, "LIMIT", "0", count]);
    return names.map((name) => ["0", name] as const);
  }
  const key = user === undefined ? `${base}times` : `${base}user:${textKey(user)}`;
  const found: (readonly [score: string, name: string])[] = [];
  // The range begins at the score of the last name, so names with the same score up to that one are skipped.
  for (let skip = 0; found.length <= limit; skip += limit + 1) {
    const limits = ["WITHSCORES", "LIMIT", String(skip), count];
    const page = await send(["ZRANGEBYSCORE", key, score, "+inf", ...limits]);
    for (let at = 0; at < page.length; at += 2) {
      const [name = "", moment = ""] = page.slice(at, at + 2);
      if (Number(moment) !== Number(score) || name > last) found.push([moment, name]);
    }
    if (page.length < 2 * (limit + 1)) break;
  }
  return found;
}

/** Runs a script by its hash, or by its text if the server does not have it cached; then the commands `after` it on the same connection. */
async function runScript(
  link: RedisLink,
  { sha, text, keys }: Script,
  key: string,
  args: readonly string[],
  call: DriverCall | undefined,
  after: readonly (readonly string[])[] = [],
): Promise<readonly unknown[]> {
  const run = async (command: string, name: string): Promise<readonly unknown[]> => {
    const own = keys.map((end) => `${key}${end}`);
    const first = [command, name, String(own.length), ...own, ...args];
    if (after.length === 0) return [await link.send(key, first, call?.signal)];
    const [done, ...others] = await link.sendTogether(key, [first, ...after], call?.signal);
    if (done?.status !== "fulfilled") throw done?.reason;
    return [done.value, ...others.map((one) => (one.status === "fulfilled" ? one.value : 0))];
  };
  try {
    return await run("EVALSHA", sha);
  } catch (error) {
    if (classifyFailure(error).reason !== "no-script") throw error;
    return run("EVAL", text);
  }
}

/** Converts the client's errors to `HistoryError`. */
async function sent<Result>(what: "read" | "write", run: () => Promise<Result>): Promise<Result> {
  return run().catch((error: unknown) => {
    throw asHistoryError(error, what);
  });
}

function listOf(reply: unknown): readonly unknown[] {
  return Array.isArray(reply) ? reply : [];
}

function textOf(reply: unknown): string | undefined {
  if (typeof reply === "string") return reply;
  return typeof reply === "number" || reply instanceof Uint8Array ? String(reply) : undefined;
}

function corrupt(what: "read" | "written"): HistoryError {
  return new HistoryError(
    `The keys of the thread are inconsistent: one has another type, was evicted, or is incomplete. Nothing was ${what}. Restore a backup, or delete the thread.`,
    { code: "THREAD_CORRUPT", details: { reason: "keys" } },
  );
}
