// Compares the cost of the store with that of bare Redis, and of a long thread with that of a short one. `--check` fails if a ratio exceeds its limit.
import {
  action,
  assistantMessage,
  observation,
  systemMessage,
  userMessage,
} from "@agent-history/core";
import type { HistoryEntry, HistoryQuery, HistoryStore } from "@agent-history/core";
import { orchestratorHistoryFilter, workerHistoryFilter } from "@agent-history/filters";

import { redisStore } from "../src/redis-store.ts";
import { keysOf } from "../test-support/keys-of.ts";
import { longThread } from "../test-support/long-thread.ts";
import { openClient } from "../test-support/open-client.ts";
import type { OpenClient } from "../test-support/open-client.ts";
import { startRedisServer } from "../test-support/servers/start-redis-server.ts";

const PROMISES = { shareOfBare: 0.5, bytesAnEntry: 250, timesShortThread: 2 };
const ROUNDS = 9;
const BATCH = 10;
const ENTRIES_A_TURN = 23;
const READS = 300;
const WARM_UP = 50;
/** Batches in flight. */
const IN_FLIGHT = 20;

const broken: string[] = [];
await using server = await startRedisServer();
const connection = await openClient({ urls: [server.url] });
await measureAppends(connection);
await measureThreads(connection);
await measureMemory(connection);
await measureReads(connection);
connection.destroy();

if (process.argv.includes("--check") && broken.length > 0) {
  process.stderr.write(`Broken promises: ${broken.join("; ")}.\n`);
  process.exitCode = 1;
}

/** Measures client and server CPU for each entry, alternately for the store and for bare XADD of the same bytes. */
async function measureAppends(given: OpenClient): Promise<void> {
  const entries = 20_000;
  const costs: { ours: number; bare: number }[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const store = storeOn(given, `append-${round}`);
    const bare = await costOf(given, batchesOf(entries), (batch, index) =>
      bareAppend(given, { batch, index, round }),
    );
    const ours = await costOf(given, batchesOf(entries), (batch) => store.append("thread", batch));
    if (round > 0) costs.push({ ours, bare });
    await given.send(["FLUSHALL"]);
  }
  const ours = median(costs.map((cost) => cost.ours));
  const bare = median(costs.map((cost) => cost.bare));
  const share = median(costs.map((cost) => cost.bare / cost.ours));
  print(
    `append, 1 KB, batches of ${BATCH}, ${IN_FLIGHT} on their way, one client: ${ours.toFixed(1)} µs of CPU an entry, client and server; bare XADD ${bare.toFixed(1)}; ${percent(share)}`,
  );
  promise(share >= PROMISES.shareOfBare, `appends at ${percent(share)} of bare XADD`);
}

function storeOn({ client }: OpenClient, namespace: string): HistoryStore {
  return redisStore({ client, namespace, timeoutMs: 120_000 });
}

async function bareAppend(
  given: OpenClient,
  {
    batch,
    index,
    round,
  }: { readonly batch: readonly object[]; readonly index: number; readonly round: number },
): Promise<void> {
  await Promise.all(
    batch.map((entry, entryIndex) =>
      given.send([
        "XADD",
        `bare-${round}`,
        `${index * BATCH + entryIndex + 1}-0`,
        "d",
        JSON.stringify(entry),
      ]),
    ),
  );
}

/** Appends batches with `IN_FLIGHT` of them in flight, as in a busy process. */
async function costOf<Batch extends readonly object[]>(
  given: OpenClient,
  batches: readonly Batch[],
  append: (batch: Batch, index: number) => Promise<unknown>,
): Promise<number> {
  const ofServer = await serverCpu(given);
  const ofClient = process.cpuUsage();
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < batches.length; index = next++) {
      const batch = batches[index];
      if (batch !== undefined) await append(batch, index);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
  const { user, system } = process.cpuUsage(ofClient);
  const used = user + system + (await serverCpu(given)) - ofServer;
  return used / (batches.length * BATCH);
}

/** CPU time of the server, in microseconds. */
async function serverCpu(given: OpenClient): Promise<number> {
  const info = String(await given.send(["INFO", "cpu"]));
  const seconds = (field: string): number =>
    Number(new RegExp(`^${field}:([\\d.]+)`, "m").exec(info)?.[1]);
  return (seconds("used_cpu_user") + seconds("used_cpu_sys")) * 1e6;
}

/** Makes turns of ten entries, each of 1,000 bytes as JSON: a question, four calls with their results, an answer. */
function batchesOf(entries: number): readonly HistoryEntry[][] {
  const agent = { id: "main", role: "worker" } as const;
  return Array.from({ length: entries / BATCH }, (_turn, turn) => {
    const calls = Array.from({ length: 4 }, (_call, call) => `call-${turn}-${call}`);
    return [
      userMessage({ content: "" }),
      ...calls.flatMap((id) => [
        action({ agent, content: "", toolCalls: [{ id, name: "read", arguments: "{}" }] }),
        observation({ agent, callId: id, toolName: "read", outcome: "success", content: "" }),
      ]),
      assistantMessage({ agent, content: "" }),
    ].map(ofOneKilobyte);
  });
}

function ofOneKilobyte(entry: HistoryEntry): HistoryEntry {
  const content = "x".repeat(1000 - storedBytes(entry));
  return Object.assign(entry, { content });
}

function storedBytes(entry: HistoryEntry): number {
  return JSON.stringify({ v: 1, ...entry }).length;
}

/** Measures the memory of a thread of 200-byte messages, each appended by itself: the memory of its keys that the server reports, minus the JSON. */
async function measureThreads(given: OpenClient): Promise<void> {
  for (const length of [2, 20, 1000, 100_000]) {
    const store = storeOn(given, "threads");
    let json = 0;
    for (let entry = 0; entry < length; entry += 1) {
      const message = userMessage({ content: "x".repeat(200) });
      json += storedBytes(message);
      await store.append("thread", [message]);
    }
    const keys = await keysOf(given, "ah:{threads:thread}*");
    let bytes = 0;
    for (const key of keys) {
      bytes += Number(await given.send(["MEMORY", "USAGE", key, "SAMPLES", "0"]));
    }
    print(
      `thread of ${whole(length)} messages, one append each: ${keys.length} keys, ${whole(bytes)} bytes, ${whole((bytes - json) / length)} an entry above its JSON`,
    );
    await given.send(["FLUSHALL"]);
  }
}

/** Measures the server's memory for each entry, minus its JSON, for a conversation of agents and for plain messages. */
async function measureMemory(given: OpenClient): Promise<void> {
  const threads: Readonly<Record<string, readonly HistoryEntry[]>> = {
    "short texts": longThread(2000),
    "1 KB": batchesOf(50_000).flat(),
  };
  for (const [name, entries] of Object.entries(threads)) {
    const before = await usedMemory(given);
    const store = storeOn(given, `memory ${name}`);
    let payload = 0;
    for (const entry of entries) payload += storedBytes(entry);
    for (let at = 0; at < entries.length; at += BATCH) {
      await store.append("thread", entries.slice(at, at + BATCH));
    }
    const bytes = ((await usedMemory(given)) - before - payload) / entries.length;
    print(
      `memory, entries of ${name}: ${whole(bytes)} bytes an entry above ${whole(payload / entries.length)} of its JSON`,
    );
    promise(bytes <= PROMISES.bytesAnEntry, `${whole(bytes)} bytes an entry (${name})`);
    await given.send(["FLUSHALL"]);
  }
}

async function usedMemory(given: OpenClient): Promise<number> {
  const info = String(await given.send(["INFO", "memory"]));
  return Number(/^used_memory:(\d+)/m.exec(info)?.[1]);
}

/** Measures a role's view and a tail: the cost on a long thread, as a multiple of that on a short one. */
async function measureReads(given: OpenClient): Promise<void> {
  const store = storeOn(given, "reads");
  const turns = { short: 43, long: 4347 };
  for (const [name, count] of Object.entries(turns)) await fill(store, name, longThread(count));
  const queries: Readonly<Record<string, HistoryQuery>> = {
    "worker's view": workerHistoryFilter().query({ agentId: "worker-answer" }),
    "orchestrator's view": orchestratorHistoryFilter().query({ agentId: "orchestrator" }),
    "tail of 32,000 bytes": { clauses: [{}], maxBytes: 32_000 },
  };
  for (const [name, query] of Object.entries(queries)) {
    const times: { short: number; long: number }[] = [];
    for (let round = 0; round < READS; round += 1) {
      const shortMs = await timeOf(() => store.read("short", { query }));
      const longMs = await timeOf(() => store.read("long", { query }));
      if (round >= WARM_UP) times.push({ short: shortMs, long: longMs });
    }
    const [short, long] = [
      median(times.map((one) => one.short)),
      median(times.map((one) => one.long)),
    ];
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

async function fill(
  store: HistoryStore,
  threadId: string,
  entries: ReturnType<typeof longThread>,
): Promise<void> {
  await store.append(threadId, [systemMessage({ id: "first", content: "Be brief." })]);
  // Appends one turn at a time, as an agent does.
  for (let at = 0; at < entries.length; at += ENTRIES_A_TURN) {
    await store.append(threadId, entries.slice(at, at + ENTRIES_A_TURN));
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
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
