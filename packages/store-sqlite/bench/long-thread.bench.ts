// Compares the cost of views on a short and on a long thread, and of appends with bare INSERTs. `--check` fails if a ratio exceeds its limit.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import type { HistoryEntry, HistoryQuery, HistoryStore } from "@agent-history/core";
import { orchestratorHistoryFilter, workerHistoryFilter } from "@agent-history/filters";
import { sqliteStore } from "@agent-history/store-sqlite";

import { longThread } from "../test-support/long-thread.ts";

const PROMISES = { timesShortThread: 2, shareOfBareInserts: 0.1 };
const LENGTHS = [1000, 100_000];
/** One turn, as an agent appends it. */
const BATCH = 10;
const ROUNDS = 9;
const READS = 40;

const folder = mkdtempSync(join(tmpdir(), "store-sqlite-bench-"));
const broken: string[] = [];
try {
  await measureViews();
  await measureAppends();
} finally {
  rmSync(folder, { recursive: true });
}
if (process.argv.includes("--check") && broken.length > 0) {
  process.stderr.write(`Broken promises: ${broken.join("; ")}.\n`);
  process.exitCode = 1;
}

async function measureViews(): Promise<void> {
  const views: readonly (readonly [string, HistoryQuery])[] = [
    ["worker's view", workerHistoryFilter().query({ agentId: "w1" })],
    ["orchestrator's view", orchestratorHistoryFilter().query({ agentId: "o" })],
    ["tail of 32,000 bytes", { clauses: [{}], maxBytes: 32_000 }],
  ];
  const store = sqliteStore({ path: join(folder, "views.db") });
  for (const length of LENGTHS) await fill(store, `thread-${length}`, longThread(length));
  for (const [name, query] of views) {
    const [short = [], long = []] = await timesOf(store, query);
    const growth = median(short.map((before, round) => (long[round] ?? 0) / before));
    const cost = `${micro(median(short))} at 1,000 entries, ${micro(median(long))} at 100,000`;
    print(`${name}: ${cost}, ${growth.toFixed(2)} times`);
    promise(growth <= PROMISES.timesShortThread, `${name} ${growth.toFixed(2)} times as long`);
  }
  await store.close();
}

/** Alternates between the lengths, so that other load of the machine affects both. */
async function timesOf(
  store: HistoryStore,
  query: HistoryQuery,
): Promise<readonly (readonly number[])[]> {
  const times: number[][] = LENGTHS.map(() => []);
  for (let round = -1; round < ROUNDS; round++) {
    for (const [index, length] of LENGTHS.entries()) {
      const start = performance.now();
      for (let nth = 0; nth < READS; nth++) await store.read(`thread-${length}`, { query });
      // The first round warms up.
      if (round >= 0) times[index]?.push((performance.now() - start) / READS);
    }
  }
  return times;
}

async function measureAppends(): Promise<void> {
  const entries = longThread(20_000, 700);
  for (const survivesPowerLoss of [false, true]) {
    const count = survivesPowerLoss ? 2000 : entries.length;
    const shares: number[] = [];
    const rates: number[] = [];
    for (let round = 0; round < 5; round++) {
      const bare = rateOfBareInserts(`bare-${round}-${survivesPowerLoss}`, entries, {
        survivesPowerLoss,
        count,
      });
      const path = join(folder, `ours-${round}-${survivesPowerLoss}.db`);
      const store = sqliteStore({ path, survivesPowerLoss });
      const start = performance.now();
      await fill(store, "t", entries.slice(0, count));
      const ours = (1000 * count) / (performance.now() - start);
      await store.close();
      shares.push(ours / bare);
      rates.push(ours);
    }
    const name = survivesPowerLoss ? "each on the disk" : "default";
    const share = median(shares);
    print(
      `appends of 1 KB in batches of 10, ${name}: ${Math.round(median(rates))} entries/s, ${percent(share)} of bare INSERTs`,
    );
    promise(share >= PROMISES.shareOfBareInserts, `appends at ${percent(share)} of bare INSERTs`);
  }
}

/** A minimal log: one table, two indexes, ten rows for each transaction. */
function rateOfBareInserts(
  name: string,
  entries: readonly HistoryEntry[],
  { survivesPowerLoss, count }: { readonly survivesPowerLoss: boolean; readonly count: number },
): number {
  const database = new DatabaseSync(join(folder, `${name}.db`));
  database.exec("PRAGMA journal_mode = WAL");
  database.exec(`PRAGMA synchronous = ${survivesPowerLoss ? "FULL" : "NORMAL"}`);
  database.exec("CREATE TABLE log (t INTEGER, s INTEGER, id TEXT, d TEXT)");
  database.exec(
    "CREATE UNIQUE INDEX by_place ON log (t, s); CREATE UNIQUE INDEX by_id ON log (t, id)",
  );
  const insert = database.prepare("INSERT INTO log VALUES (1, ?, ?, ?)");
  const start = performance.now();
  for (let first = 0; first < count; first += BATCH) {
    database.exec("BEGIN IMMEDIATE");
    for (let index = first; index < first + BATCH; index++) {
      const entry = entries[index];
      if (entry !== undefined) insert.run(index, entry.id, JSON.stringify(entry));
    }
    database.exec("COMMIT");
  }
  const rate = (1000 * count) / (performance.now() - start);
  database.close();
  return rate;
}

async function fill(
  store: HistoryStore,
  threadId: string,
  entries: readonly HistoryEntry[],
): Promise<void> {
  for (let start = 0; start < entries.length; start += BATCH) {
    await store.append(threadId, entries.slice(start, start + BATCH));
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

function promise(isKept: boolean, otherwise: string): void {
  if (!isKept) broken.push(otherwise);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function micro(milliseconds: number): string {
  return `${(milliseconds * 1000).toFixed(0)} µs`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)}%`;
}
