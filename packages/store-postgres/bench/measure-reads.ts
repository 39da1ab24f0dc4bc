import type { HistoryQuery } from "@agent-history/core";
import { orchestratorHistoryFilter, workerHistoryFilter } from "@agent-history/filters";
import type { Client } from "pg";

import { longThread } from "../../store-redis/test-support/long-thread.ts";
import { postgresStore } from "../src/postgres-store.ts";
import { median } from "./median.ts";

const READS = 300;
const WARM_UP = 50;
const ENTRIES_A_TURN = 23;
const TURNS = { short: 43, long: 4347 };

/** Durations of a read: medians, in milliseconds. */
export interface ReadTimes {
  readonly name: string;
  readonly short: number;
  readonly long: number;
  /** Median ratio of pairs of consecutive reads. */
  readonly ratio: number;
}

/** Measures a role's view and a tail, alternately on a thread of 1,000 entries and on one of 100,000. */
export async function measureReads(client: Client): Promise<readonly ReadTimes[]> {
  const store = postgresStore({ client, timeoutMs: 120_000 });
  for (const [name, turns] of Object.entries(TURNS)) {
    const entries = longThread(turns);
    // Appends one turn at a time, as an agent does.
    for (let at = 0; at < entries.length; at += ENTRIES_A_TURN) {
      await store.append(name, entries.slice(at, at + ENTRIES_A_TURN));
    }
  }
  const queries: Readonly<Record<string, HistoryQuery>> = {
    "worker's view": workerHistoryFilter().query({ agentId: "worker-answer" }),
    "orchestrator's view": orchestratorHistoryFilter().query({ agentId: "orchestrator" }),
    "tail of 32,000 bytes": { clauses: [{}], maxBytes: 32_000 },
  };
  const all: ReadTimes[] = [];
  for (const [name, query] of Object.entries(queries)) {
    const pairs: { readonly short: number; readonly long: number }[] = [];
    for (let round = 0; round < READS; round += 1) {
      const short = await timeOf(() => store.read("short", { query }));
      const long = await timeOf(() => store.read("long", { query }));
      if (round >= WARM_UP) pairs.push({ short, long });
    }
    all.push({
      name,
      short: median(pairs.map(({ short }) => short)),
      long: median(pairs.map(({ long }) => long)),
      ratio: median(pairs.map(({ short, long }) => long / short)),
    });
  }
  return all;
}

async function timeOf(run: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await run();
  return performance.now() - started;
}
