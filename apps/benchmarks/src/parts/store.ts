import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { startRedisServer } from "../../../../packages/store-redis/test-support/servers/start-redis-server.ts";
import type { ResultTable } from "../report/result-table.ts";
import { median, milliseconds } from "../report/statistics.ts";
import { agentTurns, TURN } from "../stores/agent-thread.ts";
import { bareRedis, bareSqlite } from "../stores/bare-stores.ts";
import { ownRedis, ownSqlite } from "../stores/own-stores.ts";
import type { OpenThread, StoreSystem } from "../stores/store-system.ts";
import { peerStores } from "../systems/all-systems.ts";

/** What one store took on a thread of one length, in milliseconds. */
export interface StoreFigures {
  readonly store: string;
  readonly backend: StoreSystem["backend"];
  readonly entries: number;
  /** Ten more entries, acknowledged. */
  readonly appendMs: number;
  /** The newest twenty entries. */
  readonly tailMs: number;
  /** What a worker sees of the turn that runs; missing where it was not waited for. */
  readonly viewMs?: number;
  /** How many entries were handed over for that view. */
  readonly viewEntries?: number;
}

/** What is measured, and how often. */
export interface StoreRequest {
  /** Lengths of the thread, rising. */
  readonly lengths: readonly number[];
  readonly repeats: number;
  readonly budgetMs: number;
  readonly withPeers: boolean;
  /** Starts a server; without it only SQLite is measured. */
  readonly withRedis: boolean;
}

/** A view that took so long that it would take longer than this here is not waited for. */
const LONGEST_VIEW_MS = 20_000;
/** Entries in a batch while a thread is made as long as it is to be. */
const FILL = 500;

/** Measures every store on threads of every length, on a server and in a folder of their own. */
export async function storeAll(request: StoreRequest): Promise<readonly StoreFigures[]> {
  const folder = mkdtempSync(join(tmpdir(), "agent-history-stores-"));
  try {
    const inFiles = [bareSqlite(join(folder, "bare.db")), ownSqlite(join(folder, "own.db"))];
    const figures: StoreFigures[] = [];
    if (request.withRedis) figures.push(...(await onRedis(request)));
    for (const store of inFiles) figures.push(...(await measure(store, request)));
    return figures;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function onRedis(request: StoreRequest): Promise<readonly StoreFigures[]> {
  await using server = await startRedisServer();
  const { url } = server;
  const peers = request.withPeers ? await peerStores(url) : [];
  const figures: StoreFigures[] = [];
  for (const store of [bareRedis(url), ownRedis(url), ...peers]) {
    figures.push(...(await measure(store, request)));
  }
  return figures;
}

async function measure(
  store: StoreSystem,
  { lengths, repeats, budgetMs }: StoreRequest,
): Promise<readonly StoreFigures[]> {
  const thread = await store.open("thread");
  const often = { repeats, budgetMs };
  const figures: StoreFigures[] = [];
  let turn = 0;
  for (const entries of lengths) {
    const missing = Math.max(0, Math.ceil(entries / TURN) - turn);
    await fill(thread, turn, missing);
    turn += missing;
    const view = isTooLong(entries, figures.at(-1)) ? {} : await viewOf(thread, often);
    const tailMs = await timeOf(() => thread.tail(20), often);
    const appendMs = await timeOf(() => thread.append(agentTurns(turn++, 1).flat()), often);
    const { name, backend } = store;
    figures.push({ store: name, backend, entries, appendMs, tailMs, ...view });
  }
  await thread.close();
  return figures;
}

/** A view that grows faster than the thread is guessed from the one before: by the power of one and a half. */
function isTooLong(entries: number, before: StoreFigures | undefined): boolean {
  if (before?.viewMs === undefined) return before !== undefined;
  return before.viewMs * (entries / before.entries) ** 1.5 > LONGEST_VIEW_MS;
}

async function viewOf(
  thread: OpenThread,
  often: Pick<StoreRequest, "repeats" | "budgetMs">,
): Promise<Pick<StoreFigures, "viewMs" | "viewEntries">> {
  const viewMs = await timeOf(() => thread.workerView(), often);
  return { viewMs, viewEntries: (await thread.workerView()).length };
}

async function fill(thread: OpenThread, first: number, turns: number): Promise<void> {
  const step = FILL / TURN;
  for (let turn = first; turn < first + turns; turn += step) {
    await thread.append(agentTurns(turn, Math.min(step, first + turns - turn)).flat());
  }
}

async function timeOf(
  work: () => Promise<unknown>,
  { repeats, budgetMs }: { readonly repeats: number; readonly budgetMs: number },
): Promise<number> {
  // Once without being measured: the first call prepares.
  await work();
  const times: number[] = [];
  const begin = performance.now();
  while (times.length < repeats || (performance.now() - begin < budgetMs && times.length < 200)) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return median(times);
}

/** Draws what was found, by backend and length. */
export function storeTable(figures: readonly StoreFigures[]): ResultTable {
  const sorted = figures.toSorted(
    (one, other) => one.backend.localeCompare(other.backend) || one.entries - other.entries,
  );
  return {
    title: "Store: appends, tails and a role's view",
    note: "Milliseconds, medians, one call after the other, from a client beside its server; entries of some 300 bytes of text, written ten at a time, with neither Redis nor SQLite told to wait for the disk. Tail: the newest twenty. View: what a worker sees of the turn that runs, and how many entries were read for it: what knows no agents reads all of them, and its user filters. Not run: guessed from the shorter thread, it would have taken over 20 s a call.",
    head: ["backend", "entries", "store", "append 10", "tail", "view", "read for the view"],
    rows: sorted.map(({ backend, entries, store, appendMs, tailMs, viewMs, viewEntries }) => [
      backend,
      entries.toLocaleString("en"),
      store,
      milliseconds(appendMs),
      milliseconds(tailMs),
      viewMs === undefined ? "not run: too long" : milliseconds(viewMs),
      viewEntries?.toLocaleString("en") ?? "",
    ]),
    figures,
  };
}
