import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { startRedisServer } from "../../../../packages/store-redis/test-support/servers/start-redis-server.ts";
import type { ResultTable } from "../report/result-table.ts";
import { takeTurns } from "../report/take-turns.ts";
import type { Timing } from "../report/take-turns.ts";
import { timingCells } from "../report/timing-cells.ts";
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
  readonly append: Timing;
  /** The newest twenty entries. */
  readonly tail: Timing;
  /** What a worker sees of the turn that runs; missing where it was not waited for. */
  readonly view?: Timing;
  /** How many entries were handed over for that view. */
  readonly viewEntries?: number;
}

/** What is measured, and how often. */
export interface StoreRequest {
  /** Lengths of the thread, rising. */
  readonly lengths: readonly number[];
  readonly repeats: number;
  readonly withPeers: boolean;
  /** Starts a server; without it only SQLite is measured. */
  readonly withRedis: boolean;
}

/** A view that took so long that it would take longer than this here is not waited for. */
const LONGEST_VIEW_MS = 20_000;
/** Entries in a batch while a thread is made as long as it is to be. */
const FILL = 500;

/** Measures every store on threads of every length, on a server and in a folder of their own; the stores of a backend take turns. */
export async function storeAll(request: StoreRequest): Promise<readonly StoreFigures[]> {
  const folder = mkdtempSync(join(tmpdir(), "agent-history-stores-"));
  try {
    const inFiles = [bareSqlite(join(folder, "bare.db")), ownSqlite(join(folder, "own.db"))];
    const figures: StoreFigures[] = [];
    if (request.withRedis) figures.push(...(await onRedis(request)));
    figures.push(...(await measure(inFiles, request)));
    return figures;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function onRedis(request: StoreRequest): Promise<readonly StoreFigures[]> {
  await using server = await startRedisServer();
  const { url } = server;
  const peers = request.withPeers ? await peerStores(url) : [];
  return await measure([bareRedis(url), ownRedis(url), ...peers], request);
}

/** A store, its thread, and the view of it that was read before. */
interface Runner {
  readonly store: StoreSystem;
  readonly thread: OpenThread;
  turn: number;
  before: StoreFigures | undefined;
}

async function measure(
  stores: readonly StoreSystem[],
  { lengths, repeats }: StoreRequest,
): Promise<readonly StoreFigures[]> {
  const runners: Runner[] = [];
  for (const store of stores) {
    runners.push({ store, thread: await store.open("thread"), turn: 0, before: undefined });
  }
  const figures: StoreFigures[] = [];
  for (const entries of lengths) {
    for (const runner of runners) {
      const missing = Math.max(0, Math.ceil(entries / TURN) - runner.turn);
      await fill(runner.thread, runner.turn, missing);
      runner.turn += missing;
    }
    const rows = await measureLength(runners, entries, repeats);
    for (const [nth, runner] of runners.entries()) runner.before = rows[nth];
    figures.push(...rows);
  }
  for (const { thread } of runners) await thread.close();
  return figures;
}

async function measureLength(
  runners: readonly Runner[],
  entries: number,
  repeats: number,
): Promise<readonly StoreFigures[]> {
  const withViews = runners.filter(({ before }) => !isTooLong(entries, before));
  const views = await inTurns(withViews, repeats, ({ thread }) => thread.workerView());
  const shown = new Map<Runner, number>();
  for (const runner of withViews) shown.set(runner, (await runner.thread.workerView()).length);
  const tails = await inTurns(runners, repeats, ({ thread }) => thread.tail(20));
  const appends = await inTurns(runners, repeats, (runner) =>
    runner.thread.append(agentTurns(runner.turn++, 1).flat()),
  );
  return runners.flatMap((runner) => {
    const { name: store, backend } = runner.store;
    const [append, tail, view] = [appends, tails, views].map((one) => one.get(runner));
    if (append === undefined || tail === undefined) return [];
    const viewed = view && { view, viewEntries: shown.get(runner) ?? 0 };
    return [{ store, backend, entries, append, tail, ...viewed }];
  });
}

async function inTurns(
  runners: readonly Runner[],
  repeats: number,
  work: (runner: Runner) => Promise<unknown>,
): Promise<ReadonlyMap<Runner, Timing>> {
  // Once without being measured: the first call prepares.
  for (const runner of runners) await work(runner);
  const timings = await takeTurns(
    runners.map((runner) => async () => {
      const start = performance.now();
      await work(runner);
      return performance.now() - start;
    }),
    repeats,
  );
  return new Map(runners.flatMap((runner, nth) => (timings[nth] ? [[runner, timings[nth]]] : [])));
}

/** A view that grows faster than the thread is guessed from the one before: by the power of one and a half. */
function isTooLong(entries: number, before: StoreFigures | undefined): boolean {
  if (before?.view === undefined) return before !== undefined;
  return before.view.medianMs * (entries / before.entries) ** 1.5 > LONGEST_VIEW_MS;
}

async function fill(thread: OpenThread, first: number, turns: number): Promise<void> {
  const step = FILL / TURN;
  for (let turn = first; turn < first + turns; turn += step) {
    await thread.append(agentTurns(turn, Math.min(step, first + turns - turn)).flat());
  }
}

/** Draws what was found, by backend and length. */
export function storeTable(figures: readonly StoreFigures[]): ResultTable {
  const sorted = figures.toSorted(
    (one, other) => one.backend.localeCompare(other.backend) || one.entries - other.entries,
  );
  return {
    title: "Store: appends, tails and a role's view",
    note: "Milliseconds, the fastest run and the median, one call after the other, from a client beside its server; the stores of a backend take turns, and what differs between its halves by more than a third is run again (unsteady: it still does). Entries of some 300 bytes of text, written ten at a time, with neither Redis nor SQLite told to wait for the disk. Tail: the newest twenty. View: what a worker sees of the turn that runs, and how many entries were read for it: what knows no agents reads all of them, and its user filters. Not run: guessed from the shorter thread, it would have taken over 20 s a call.",
    head: [
      "backend",
      "entries",
      "store",
      "append 10, fastest",
      "append 10",
      "tail, fastest",
      "tail",
      "view, fastest",
      "view",
      "read for the view",
      "load",
    ],
    rows: sorted.map(({ backend, entries, store, append, tail, view, viewEntries }) => [
      backend,
      entries.toLocaleString("en"),
      store,
      ...timingCells(append),
      ...timingCells(tail),
      ...(view === undefined ? ["not run: too long", "–"] : timingCells(view)),
      viewEntries?.toLocaleString("en") ?? "–",
      append.load.toFixed(1),
    ]),
    figures,
  };
}
