// Measures what the store costs beside bare Redis, and what a long thread costs beside a short one. `--check` fails where a promise is broken.
import {
  action,
  assistantMessage,
  observation,
  systemMessage,
  userMessage,
} from "@agent-history/core";
import type { HistoryEntry, HistoryQuery, HistoryStore } from "@agent-history/core";
import { orchestratorHistoryFilter, workerHistoryFilter } from "@agent-history/filters";

import { longThread } from "../test-support/long-thread.ts";
import { openClient } from "../test-support/open-client.ts";
import type { OpenClient } from "../test-support/open-client.ts";
import { redisStoreOn } from "../test-support/open-store.ts";
import { startRedisServer } from "../test-support/servers/start-redis-server.ts";

const PROMISES = { shareOfBare: 0.5, bytesAnEntry: 250, timesShortThread: 2 };
const ROUNDS = 5;
const BATCH = 10;
const ENTRIES_A_TURN = 23;
const READS = 300;
const WARM_UP = 50;
/** Batches on their way at once. */
const IN_FLIGHT = 20;

const broken: string[] = [];
await using server = await startRedisServer();
const connection = await openClient({ urls: [server.url] });
await measureAppends(connection);
await measureMemory(connection);
await measureReads(connection);
connection.destroy();

if (process.argv.includes("--check") && broken.length > 0) {
  process.stderr.write(`Broken promises: ${broken.join("; ")}.\n`);
  process.exitCode = 1;
}

/** Entries a second, by the store and by bare XADD of the same bytes, in turns. */
async function measureAppends(given: OpenClient): Promise<void> {
  const entries = 20_000;
  const rates: { ours: number; bare: number }[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const store = redisStoreOn(given.client, { namespace: `append-${round}` });
    const batches = batchesOf(entries);
    const bare = await rateOf(batches, (batch, index) =>
      bareAppend(given, { batch, index, round }),
    );
    const ours = await rateOf(batches, (batch) => store.append("thread", batch));
    if (round > 0) rates.push({ ours, bare });
    await given.send(["FLUSHALL"]);
  }
  const ours = median(rates.map((rate) => rate.ours));
  const bare = median(rates.map((rate) => rate.bare));
  const share = median(rates.map((rate) => rate.ours / rate.bare));
  print(
    `append, 1 KB, batches of ${BATCH}, ${IN_FLIGHT} on their way, one client: ${whole(ours)} entries/s; bare XADD ${whole(bare)}; ${percent(share)}`,
  );
  promise(share >= PROMISES.shareOfBare, `appends at ${percent(share)} of bare XADD`);
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
    batch.map((entry, place) =>
      given.send([
        "XADD",
        `bare-${round}`,
        `${index * BATCH + place + 1}-0`,
        "d",
        JSON.stringify(entry),
      ]),
    ),
  );
}

/** Keeps so many batches on their way as a busy process has. */
async function rateOf<Batch extends readonly object[]>(
  batches: readonly Batch[],
  append: (batch: Batch, index: number) => Promise<unknown>,
): Promise<number> {
  const started = performance.now();
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < batches.length; index = next++) {
      const batch = batches[index];
      if (batch !== undefined) await append(batch, index);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
  return (batches.length * BATCH * 1000) / (performance.now() - started);
}

/** Turns of ten entries, each of 1,000 bytes as JSON: a question, four calls with their results, an answer. */
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

/** Memory of the server for each entry, above its JSON, of a conversation of agents and of plain messages. */
async function measureMemory(given: OpenClient): Promise<void> {
  const threads: Readonly<Record<string, readonly HistoryEntry[]>> = {
    "short texts": longThread(2000),
    "1 KB": batchesOf(50_000).flat(),
  };
  for (const [name, entries] of Object.entries(threads)) {
    const before = await usedMemory(given);
    const store = redisStoreOn(given.client, { namespace: `memory ${name}` });
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

/** What a role's view and a tail cost on a long thread, as a multiple of what they cost on a short one. */
async function measureReads(given: OpenClient): Promise<void> {
  const store = redisStoreOn(given.client, { namespace: "reads" });
  const turns = { short: 43, long: 4347 };
  for (const [name, count] of Object.entries(turns)) await fill(store, name, longThread(count));
  const queries: Readonly<Record<string, HistoryQuery>> = {
    "worker's view": workerHistoryFilter().query({ agentId: "worker-answer" }),
    "orchestrator's view": orchestratorHistoryFilter().query({ agentId: "orchestrator" }),
    "tail of 8,000 tokens": { clauses: [{}], maxTokens: 8000 },
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
  // A turn at a time, as it comes about.
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
