import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PerformanceObserver } from "node:perf_hooks";
import type { PerformanceEntry } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { isHistoryError } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";
import { workerHistoryFilter } from "@agent-history/filters";
import { memoryStore } from "@agent-history/store-kit";
import { redisStore } from "@agent-history/store-redis";
import { sqliteStore } from "@agent-history/store-sqlite";
import { createClient } from "redis";

import {
  addressOf,
  openStore,
} from "../../../../packages/store-postgres/test-support/open-store.ts";
import { findPostgresProgram } from "../../../../packages/store-postgres/test-support/servers/find-postgres-program.ts";
import { startPostgresServer } from "../../../../packages/store-postgres/test-support/servers/start-postgres-server.ts";
import { startRedisServer } from "../../../../packages/store-redis/test-support/servers/start-redis-server.ts";
import type { ResultTable } from "../report/result-table.ts";
import { milliseconds } from "../report/statistics.ts";
import { takeTurns } from "../report/take-turns.ts";
import type { Timing } from "../report/take-turns.ts";
import { timingCells } from "../report/timing-cells.ts";
import { agentTurns, TURN, VIEWER } from "../stores/agent-thread.ts";

/** How long one verb kept a process from anything else. */
export interface BlockFigures {
  readonly store: string;
  readonly verb: string;
  readonly entries: number;
  /** CPU of the main thread between two turns of the event loop, the most of a call. */
  readonly longest: Timing;
  /** How much of it was garbage collection, in the call with the shortest. */
  readonly collectionMs: number;
  /** How long that call took. */
  readonly tookMs: number;
  /** The code of the error that it ended in, such as that of a deadline. */
  readonly failure?: string;
}

/** Threads that `list` finds: as many as a hundredth of the entries. */
const ENTRIES_A_THREAD = 100;
const BATCH = 500;
/** What `postgresStore` has by default. */
const DEADLINE_MS = 10_000;

/** The longest block of each verb on one long thread, in each store. */
export async function blocksAll(
  entries: number,
  { withRedis, repeats, stores = Object.keys(MEASURED) }: BlockOptions,
): Promise<readonly BlockFigures[]> {
  const figures: BlockFigures[] = [];
  for (const [name, measureStore] of Object.entries(MEASURED)) {
    if (!stores.includes(name) || (name === "Redis" && !withRedis)) continue;
    figures.push(...(await measureStore({ entries, repeats })));
  }
  return figures;
}

/** Which stores are measured. */
export interface BlockOptions {
  readonly withRedis: boolean;
  /** How often each verb is called; `delete` once. */
  readonly repeats: number;
  /** By name, as the table has them. Default: all. */
  readonly stores?: readonly string[];
}

/** What is measured on one store. */
type StoreBlocks = Pick<BlockFigures, "entries"> & Pick<BlockOptions, "repeats">;

const MEASURED: Readonly<Record<string, (size: StoreBlocks) => Promise<readonly BlockFigures[]>>> =
  {
    memory: async (size) => measure("memory", memoryStore(), size),
    SQLite: onSqlite,
    Redis: onRedis,
    Postgres: onPostgres,
  };

async function onSqlite(size: StoreBlocks): Promise<readonly BlockFigures[]> {
  const folder = mkdtempSync(join(tmpdir(), "agent-history-blocks-"));
  try {
    return await measure("SQLite", sqliteStore({ path: join(folder, "db") }), size);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function onRedis(size: StoreBlocks): Promise<readonly BlockFigures[]> {
  await using server = await startRedisServer();
  const client = createClient({ url: server.url });
  await client.connect();
  const figures = await measure("Redis", redisStore({ client, namespace: "blocks" }), size);
  await client.close();
  return figures;
}

/** Nothing where this machine has no Postgres. */
async function onPostgres(size: StoreBlocks): Promise<readonly BlockFigures[]> {
  if ((await findPostgresProgram()).kind === "none") return [];
  await using server = await startPostgresServer();
  await using opened = await openStore(addressOf(server.url, { timeoutMs: DEADLINE_MS }));
  return await measure("Postgres", opened.store, size);
}

async function measure(
  name: string,
  store: HistoryStore,
  { entries, repeats }: StoreBlocks,
): Promise<readonly BlockFigures[]> {
  for (let from = 0; from < entries; from += BATCH) {
    const turns = Math.min(BATCH, entries - from) / TURN;
    await store.append("thread", agentTurns(from / TURN, turns).flat());
  }
  for (let nth = 0; nth < entries / ENTRIES_A_THREAD; nth += 1) {
    await store.setState(`thread ${nth}`, "key", nth, { expectedRevision: 0 });
  }
  const measureVerbs = async (verbs: readonly Verb[], times: number): Promise<BlockFigures[]> => {
    const shortest = verbs.map((): VerbCall | undefined => undefined);
    const works = verbs.map(([, run], nth) => async () => {
      const call = await longestBlock(run);
      const before = shortest[nth];
      if (before === undefined || call.longestMs < before.longestMs) shortest[nth] = call;
      return call.longestMs;
    });
    const timings = await takeTurns(works, times);
    return verbs.flatMap(([verb], nth) => {
      const [longest, call] = [timings[nth], shortest[nth]];
      if (longest === undefined || call === undefined) return [];
      const { longestMs: _, ...others } = call;
      return [{ store: name, verb, entries, longest, ...others }];
    });
  };
  const figures = [
    ...(await measureVerbs(verbsOf(store, entries), repeats)),
    ...(await measureVerbs([["delete", () => store.delete("thread")]], 1)),
  ];
  await store.close();
  return figures;
}

type Verb = readonly [name: string, run: () => Promise<unknown>];

function verbsOf(store: HistoryStore, entries: number): readonly Verb[] {
  const last = entries / TURN - 1;
  const role = workerHistoryFilter().query({ agentId: VIEWER });
  const whole = { clauses: [{ agent: VIEWER }] };
  let turn = last;
  let forks = 0;
  const append = async (): Promise<unknown> => {
    const added = agentTurns(turn + 1, BATCH / TURN);
    turn += BATCH / TURN;
    return store.append("thread", added.flat());
  };
  return [
    ["append of 500", append],
    [
      "read of the newest 20",
      () => store.read("thread", { query: { clauses: [{}], maxEntries: 20 } }),
    ],
    ["read of a role's view", () => store.read("thread", { query: role })],
    ["read of all that one agent did", () => store.read("thread", { query: whole })],
    ["read of everything", () => store.read("thread")],
    ["verify", () => store.verify("thread")],
    [
      "fork at the end",
      () => store.fork("thread", { at: `${last}-answer`, as: `fork-${(forks += 1)}` }),
    ],
    ["list without a limit", () => store.list({ limit: Infinity })],
  ];
}

/** The CPU of this thread, so that what else the machine does is not measured. */
function usedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** What one call of a verb took. */
type VerbCall = Pick<BlockFigures, "collectionMs" | "tookMs" | "failure"> & {
  readonly longestMs: number;
};

async function longestBlock(run: () => Promise<unknown>): Promise<VerbCall> {
  // What the verb before has left is not this one's.
  collectGarbage();
  const collections: PerformanceEntry[] = [];
  const observer = new PerformanceObserver((list) => collections.push(...list.getEntries()));
  observer.observe({ entryTypes: ["gc"] });
  let longest = { ms: 0, from: 0, to: 0 };
  let isOver = false;
  let last = { ms: usedMs(), at: performance.now() };
  const look = (): void => {
    const now = { ms: usedMs(), at: performance.now() };
    const ms = now.ms - last.ms;
    if (ms > longest.ms) longest = { ms, from: last.at, to: now.at };
    last = now;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await wait(5);
  longest = { ms: 0, from: 0, to: 0 };
  const start = performance.now();
  const failure = await failureOf(run);
  const tookMs = performance.now() - start;
  await wait(5);
  isOver = true;
  // Entries are handed over a turn later.
  await wait(50);
  observer.disconnect();
  const within = collections.filter(
    ({ startTime }) => startTime >= longest.from && startTime < longest.to,
  );
  const collected = within.reduce((sum, { duration }) => sum + duration, 0);
  const collectionMs = Math.min(longest.ms, collected);
  return { longestMs: longest.ms, collectionMs, tookMs, ...(failure !== undefined && { failure }) };
}

function collectGarbage(): void {
  setFlagsFromString("--expose_gc");
  runInNewContext("gc")();
}

/** The code of the error that a call ends in. */
async function failureOf(run: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    if (isHistoryError(error)) return error.code;
    throw error;
  }
}

/** Draws what was found. */
export function blocksTable(figures: readonly BlockFigures[]): ResultTable {
  return {
    title: "Blocks: how long a verb keeps the event loop on one long thread",
    note: "CPU milliseconds of the main thread between two turns of the event loop, the most during one call: the call where it was shortest, and the median. The verbs take turns, and what differs between its halves by more than a third is called again (unsteady: it still does); a thread is deleted once. Of the shortest: how much was garbage collection, which grows with what the caller keeps, and how long the call took. `list` finds a thread for each hundred entries.",
    head: [
      "store",
      "verb",
      "entries",
      "longest block, shortest",
      "median",
      "of it collection",
      "call",
    ],
    rows: figures.map(({ store, verb, entries, longest, collectionMs, tookMs, failure }) => [
      store,
      verb,
      entries.toLocaleString("en"),
      ...timingCells(longest),
      milliseconds(collectionMs),
      failure === undefined ? milliseconds(tookMs) : `${failure} after ${milliseconds(tookMs)}`,
    ]),
    figures,
  };
}
