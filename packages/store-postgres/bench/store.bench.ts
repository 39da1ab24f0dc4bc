// Compares the cost of appends with bare INSERTs of the same rows, and of a view of a long thread with that of a short one. `--check` fails if a ratio exceeds its limit.
import { Client } from "pg";

import { startPostgresServer } from "../test-support/servers/start-postgres-server.ts";
import type { CpuTime } from "./cpu-time.ts";
import { measureAppends } from "./measure-appends.ts";
import { measureReads } from "./measure-reads.ts";
import { median } from "./median.ts";

const PROMISES = { shareOfBare: 0.5, timesShortThread: 2 };

const broken: string[] = [];
await using server = await startPostgresServer();
const client = new Client(server.url);
await client.connect();

const rounds = await measureAppends(client, server.pid);
const share = median(rounds.map(({ ours, all }) => sum(all) / sum(ours)));
const shareOfEntries = median(rounds.map(({ ours, entries }) => sum(entries) / sum(ours)));
print(
  `append, 1 KB, batches of 10, CPU of client and server for each entry: ${cost("ours")}; a bare INSERT of the same rows ${cost("all")}, ${percent(share)}; of the log's rows alone, without an index, ${cost("entries")}, ${percent(shareOfEntries)}`,
);
promise(share >= PROMISES.shareOfBare, `appends at ${percent(share)} of a bare INSERT`);

for (const { name, short, long, ratio } of await measureReads(client)) {
  print(
    `${name}: ${short.toFixed(2)} ms of 1,000 entries, ${long.toFixed(2)} ms of 100,000; ${ratio.toFixed(2)} times`,
  );
  promise(ratio <= PROMISES.timesShortThread, `${name} at ${ratio.toFixed(2)} times`);
}
await client.end();

if (process.argv.includes("--check") && broken.length > 0) {
  process.stderr.write(`Broken promises: ${broken.join("; ")}.\n`);
  process.exitCode = 1;
}

function cost(of: "ours" | "entries" | "all"): string {
  const ofClient = median(rounds.map((round) => round[of].client));
  const ofServer = median(rounds.map((round) => round[of].server));
  return `${ofClient.toFixed(0)} + ${ofServer.toFixed(0)} µs`;
}

function sum({ client: ofClient, server: ofServer }: CpuTime): number {
  return ofClient + ofServer;
}

function percent(part: number): string {
  return `${Math.round(part * 100)}%`;
}

function promise(isKept: boolean, what: string): void {
  if (!isKept) broken.push(what);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
