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
import { memoryStore } from "@agent-history/core/memory-store";
import { workerHistoryFilter } from "@agent-history/filters";
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
import { agentTurns, TURN, VIEWER } from "../stores/agent-thread.ts";

/** How long one verb kept a process from anything else. */
export interface BlockFigures {
  readonly store: string;
  readonly verb: string;
  readonly entries: number;
  /** CPU of the main thread between two turns of the event loop, the most of all. */
  readonly longestMs: number;
  /** How much of it was garbage collection. */
  readonly collectionMs: number;
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
  { withRedis, stores = Object.keys(MEASURED) }: BlockOptions,
): Promise<readonly BlockFigures[]> {
  const figures: BlockFigures[] = [];
  for (const [name, measureStore] of Object.entries(MEASURED)) {
    if (!stores.includes(name) || (name === "Redis" && !withRedis)) continue;
    figures.push(...(await measureStore(entries)));
  }
  return figures;
}

/** Which stores are measured. */
export interface BlockOptions {
  readonly withRedis: boolean;
  /** By name, as the table has them. Default: all. */
  readonly stores?: readonly string[];
}

const MEASURED: Readonly<Record<string, (entries: number) => Promise<readonly BlockFigures[]>>> = {
  memory: async (entries) => measure("memory", memoryStore(), entries),
  SQLite: onSqlite,
  Redis: onRedis,
  Postgres: onPostgres,
};

async function onSqlite(entries: number): Promise<readonly BlockFigures[]> {
  const folder = mkdtempSync(join(tmpdir(), "agent-history-blocks-"));
  try {
    return await measure("SQLite", sqliteStore({ path: join(folder, "db") }), entries);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function onRedis(entries: number): Promise<readonly BlockFigures[]> {
  await using server = await startRedisServer();
  const client = createClient({ url: server.url });
  await client.connect();
  const figures = await measure("Redis", redisStore({ client, namespace: "blocks" }), entries);
  await client.close();
  return figures;
}

/** Nothing where this machine has no Postgres. */
async function onPostgres(entries: number): Promise<readonly BlockFigures[]> {
  if ((await findPostgresProgram()).kind === "none") return [];
  await using server = await startPostgresServer();
  await using opened = await openStore(addressOf(server.url, { timeoutMs: DEADLINE_MS }));
  return await measure("Postgres", opened.store, entries);
}

async function measure(
  name: string,
  store: HistoryStore,
  entries: number,
): Promise<readonly BlockFigures[]> {
  for (let from = 0; from < entries; from += BATCH) {
    const turns = Math.min(BATCH, entries - from) / TURN;
    await store.append("thread", agentTurns(from / TURN, turns).flat());
  }
  for (let nth = 0; nth < entries / ENTRIES_A_THREAD; nth += 1) {
    await store.setState(`thread ${nth}`, "key", nth, { expectedRevision: 0 });
  }
  const figures: BlockFigures[] = [];
  for (const [verb, run] of verbsOf(store, entries)) {
    figures.push({ store: name, verb, entries, ...(await longestBlock(run)) });
  }
  await store.close();
  return figures;
}

type Verb = readonly [name: string, run: () => Promise<unknown>];

function verbsOf(store: HistoryStore, entries: number): readonly Verb[] {
  const last = entries / TURN - 1;
  const role = workerHistoryFilter().query({ agentId: VIEWER });
  const whole = { clauses: [{ agent: VIEWER }] };
  return [
    ["append of 500", () => store.append("thread", agentTurns(last + 1, BATCH / TURN).flat())],
    [
      "read of the newest 20",
      () => store.read("thread", { query: { clauses: [{}], maxEntries: 20 } }),
    ],
    ["read of a role's view", () => store.read("thread", { query: role })],
    ["read of all that one agent did", () => store.read("thread", { query: whole })],
    ["read of everything", () => store.read("thread")],
    ["verify", () => store.verify("thread")],
    ["fork at the end", () => store.fork("thread", { at: `${last}-answer`, as: "fork" })],
    ["list without a limit", () => store.list({ limit: Infinity })],
    ["delete", () => store.delete("thread")],
  ];
}

/** The CPU of this thread, so that what else the machine does is not measured. */
function usedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

async function longestBlock(
  run: () => Promise<unknown>,
): Promise<Omit<BlockFigures, "store" | "verb" | "entries">> {
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
    note: "CPU milliseconds of the main thread between two turns of the event loop, the most during one call; how much of it was garbage collection, which grows with what the caller keeps; and how long the call took. `list` finds a thread for each hundred entries.",
    head: ["store", "verb", "entries", "longest block", "of it collection", "call"],
    rows: figures.map(({ store, verb, entries, longestMs, collectionMs, tookMs, failure }) => [
      store,
      verb,
      entries.toLocaleString("en"),
      milliseconds(longestMs),
      milliseconds(collectionMs),
      failure === undefined ? milliseconds(tookMs) : `${failure} after ${milliseconds(tookMs)}`,
    ]),
    figures,
  };
}
