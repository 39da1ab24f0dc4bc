// Measures what an append costs beside a bare INSERT of the same rows, and a view of a long thread beside one of a short. `--check` fails where a promise is broken.
import { readFileSync } from "node:fs";

import { action, assistantMessage, observation, userMessage } from "@agent-history/core";
import type { HistoryEntry, HistoryQuery } from "@agent-history/core";
import { orchestratorHistoryFilter, workerHistoryFilter } from "@agent-history/filters";
import { Client } from "pg";

import { longThread } from "../../store-redis/test-support/long-thread.ts";
import { postgresMigration } from "../src/postgres-migration.ts";
import { postgresStore } from "../src/postgres-store.ts";
import { startPostgresServer } from "../test-support/servers/start-postgres-server.ts";

const PROMISES = { shareOfBare: 0.5, timesShortThread: 2 };
const ROUNDS = 9;
const BATCH = 10;
const ENTRIES = 5000;
const READS = 300;
const WARM_UP = 50;
/** Jiffies of `/proc` in a second. */
const TICKS = 100;

const broken: string[] = [];
await using server = await startPostgresServer();
const client = new Client(server.url);
await client.connect();
await measureAppends();
await measureReads();
await client.end();

if (process.argv.includes("--check") && broken.length > 0) {
  process.stderr.write(`Broken promises: ${broken.join("; ")}.\n`);
  process.exitCode = 1;
}

type Row = Readonly<Record<string, unknown>>;

/** The rows of a table that a batch wrote. */
interface Rows {
  readonly table: string;
  readonly rows: readonly Row[];
}

/** CPU of client and server for each entry: by the store, by an INSERT of its rows in the log, and by INSERTs of all its rows, in turns. */
async function measureAppends(): Promise<void> {
  const written = await rowsOfBatches();
  const costs: { ours: number; entries: number; all: number }[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const entries = await costOf(`entries_${round}`, written, (schema, batch) =>
      client.query(...insert(schema, batch.slice(0, 1))),
    );
    const all = await costOf(`all_${round}`, written, (schema, batch) =>
      client.query(...insert(schema, batch)),
    );
    const store = postgresStore({ client, schema: `ours_${round}`, timeoutMs: 120_000 });
    const ours = await costOf(`ours_${round}`, batches(), (_schema, batch) =>
      store.append("thread", batch),
    );
    if (round > 0) costs.push({ ours, entries, all });
  }
  const cost = (of: "ours" | "entries" | "all"): string =>
    median(costs.map((one) => one[of])).toFixed(0);
  const share = median(costs.map(({ ours, entries }) => entries / ours));
  const shareOfAll = median(costs.map(({ ours, all }) => all / ours));
  print(
    `append, 1 KB, batches of ${BATCH}: ${cost("ours")} µs of CPU an entry, client and server; a bare INSERT of its entries ${cost("entries")}, ${percent(share)}; of all its rows ${cost("all")}, ${percent(shareOfAll)}`,
  );
  promise(share >= PROMISES.shareOfBare, `appends at ${percent(share)} of a bare INSERT`);
}

/** What the store writes for each batch. */
async function rowsOfBatches(): Promise<readonly (readonly Rows[])[]> {
  const schema = "written";
  const store = postgresStore({ client, schema, timeoutMs: 120_000 });
  const all: (readonly Rows[])[] = [];
  for (const batch of batches()) {
    await store.append("thread", batch);
    const written: Rows[] = [];
    for (const table of ["entries", "refs", "facts"]) {
      const { rows } = await client.query(
        `SELECT * FROM ${schema}.${table} WHERE xmin = (SELECT xmin FROM ${schema}.threads)`,
      );
      if (rows.length > 0) written.push({ table, rows });
    }
    all.push(written);
  }
  return all;
}

/** One statement that writes rows, as a program without this package would. */
function insert(schema: string, batch: readonly Rows[]): [string, unknown[]] {
  const values: unknown[] = [];
  const inserts = batch.map(({ table, rows }) => {
    const columns = Object.keys(rows[0] ?? {});
    const tuples = rows.map((row) => {
      const places = columns.map((column) => {
        const value = row[column];
        return `$${values.push(column === "json" ? JSON.stringify(value) : value)}`;
      });
      return `(${places.join(", ")})`;
    });
    const again =
      table === "facts" ? " ON CONFLICT (log, key) DO UPDATE SET value = excluded.value" : "";
    return `INSERT INTO ${schema}.${table} (${columns.join(", ")}) VALUES ${tuples.join(", ")}${again}`;
  });
  const last = inserts.at(-1) ?? "";
  const before = inserts.slice(0, -1).map((one, nth) => `i${nth} AS (${one})`);
  return [before.length === 0 ? last : `WITH ${before.join(", ")} ${last}`, values];
}

async function costOf<Batch>(
  schema: string,
  all: readonly Batch[],
  append: (schema: string, batch: Batch) => Promise<unknown>,
): Promise<number> {
  await client.query(postgresMigration({ schema }));
  const [ofServer, ofClient] = [serverCpu(), process.cpuUsage()];
  for (const batch of all) await append(schema, batch);
  const { user, system } = process.cpuUsage(ofClient);
  const used = user + system + serverCpu() - ofServer;
  await client.query(`DROP SCHEMA ${schema} CASCADE`);
  return used / ENTRIES;
}

/** What the server and its processes have used, those that have ended among them, in microseconds. */
function serverCpu(): number {
  const { pid } = server;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  // User, system, and the same of children that have ended.
  const own = timesOf(String(pid)).slice(0, 4);
  const theirs = children.flatMap((child) => timesOf(child).slice(0, 2));
  return ([...own, ...theirs].reduce((sum, ticks) => sum + ticks, 0) / TICKS) * 1e6;
}

function timesOf(pid: string): readonly number[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 15)
    .map(Number);
}

/** Turns of ten entries, each of 1,000 bytes as JSON: a question, four calls with their results, an answer. */
function batches(): readonly HistoryEntry[][] {
  const agent = { id: "main", role: "worker" } as const;
  return Array.from({ length: ENTRIES / BATCH }, (_turn, turn) => {
    const calls = Array.from({ length: 4 }, (_call, call) => `call-${turn}-${call}`);
    return [
      userMessage({ content: "" }),
      ...calls.flatMap((id) => [
        action({ agent, content: "", toolCalls: [{ id, name: "read", arguments: "{}" }] }),
        observation({ agent, callId: id, toolName: "read", outcome: "success", content: "" }),
      ]),
      assistantMessage({ agent, content: "" }),
    ].map((entry) => {
      const content = "x".repeat(1000 - JSON.stringify({ v: 1, ...entry }).length);
      return Object.assign(entry, { content });
    });
  });
}

/** What a role's view and a tail cost on a long thread, as a multiple of what they cost on a short one. */
async function measureReads(): Promise<void> {
  const store = postgresStore({ client, timeoutMs: 120_000 });
  for (const [name, turns] of [
    ["short", 43],
    ["long", 4347],
  ] as const) {
    const entries = longThread(turns);
    // A turn at a time, as it comes about.
    for (let at = 0; at < entries.length; at += 23)
      await store.append(name, entries.slice(at, at + 23));
  }
  await client.query("ANALYZE");
  const queries: Readonly<Record<string, HistoryQuery>> = {
    "worker's view": workerHistoryFilter().query({ agentId: "worker-answer" }),
    "orchestrator's view": orchestratorHistoryFilter().query({ agentId: "orchestrator" }),
    "tail of 8,000 tokens": { clauses: [{}], maxTokens: 8000 },
  };
  for (const [name, query] of Object.entries(queries)) {
    const times: { short: number; long: number }[] = [];
    for (let round = 0; round < READS; round += 1) {
      const short = await timeOf(() => store.read("short", { query }));
      const long = await timeOf(() => store.read("long", { query }));
      if (round >= WARM_UP) times.push({ short, long });
    }
    const short = median(times.map((one) => one.short));
    const long = median(times.map((one) => one.long));
    const ratio = long / short;
    print(
      `${name}: ${short.toFixed(2)} ms of 1,000 entries, ${long.toFixed(2)} ms of 100,000; ${ratio.toFixed(2)} times`,
    );
    promise(ratio <= PROMISES.timesShortThread, `${name} at ${ratio.toFixed(2)} times`);
  }
}

async function timeOf(run: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await run();
  return performance.now() - started;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}

function promise(isKept: boolean, what: string): void {
  if (!isKept) broken.push(what);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
