import { action, assistantMessage, observation, userMessage } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import type { Client } from "pg";

import { postgresMigration } from "../src/postgres-migration.ts";
import { postgresStore } from "../src/postgres-store.ts";
import { bareInsert } from "./bare-insert.ts";
import type { Rows } from "./bare-insert.ts";
import { cpuTime } from "./cpu-time.ts";
import type { CpuTime } from "./cpu-time.ts";

const ROUNDS = 9;
const BATCH = 10;
const ENTRIES = 5000;

/** CPU time for each entry in a round: by the store, by a bare INSERT of its log row, and by INSERTs of all its rows. */
export interface AppendCosts {
  readonly ours: CpuTime;
  readonly entries: CpuTime;
  readonly all: CpuTime;
}

/** Alternately appends and inserts the same rows. The first round warms up. */
export async function measureAppends(
  client: Client,
  serverPid: number | undefined,
): Promise<readonly AppendCosts[]> {
  const costOf = async <Batch>(
    schema: string,
    all: readonly Batch[],
    append: (batch: Batch) => Promise<unknown>,
  ): Promise<CpuTime> => {
    await client.query(postgresMigration({ schema }));
    const before = cpuTime(serverPid);
    for (const batch of all) await append(batch);
    const after = cpuTime(serverPid);
    await client.query(`DROP SCHEMA ${schema} CASCADE`);
    return {
      client: (after.client - before.client) / ENTRIES,
      server: (after.server - before.server) / ENTRIES,
    };
  };
  const written = await rowsOfBatches(client);
  const rounds: AppendCosts[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const [inEntries, inAll, inOurs] = [`entries_${round}`, `all_${round}`, `ours_${round}`];
    const entries = await costOf(inEntries, written, (batch) =>
      client.query(...bareInsert(inEntries, batch.slice(0, 1))),
    );
    const all = await costOf(inAll, written, (batch) => client.query(...bareInsert(inAll, batch)));
    const store = postgresStore({ client, schema: inOurs, timeoutMs: 120_000 });
    const ours = await costOf(inOurs, batches(), (batch) => store.append("thread", batch));
    if (round > 0) rounds.push({ ours, entries, all });
  }
  return rounds;
}

/** The rows that the store writes for each batch. */
async function rowsOfBatches(client: Client): Promise<readonly (readonly Rows[])[]> {
  const schema = "written";
  const store = postgresStore({ client, schema, timeoutMs: 120_000 });
  const all: (readonly Rows[])[] = [];
  for (const batch of batches()) {
    await store.append("thread", batch);
    const written: Rows[] = [];
    for (const table of ["entries", "refs", "facts"]) {
      const { rows } = await client.query<Readonly<Record<string, unknown>>>(
        `SELECT * FROM ${schema}.${table} WHERE xmin = (SELECT xmin FROM ${schema}.threads)`,
      );
      if (rows.length > 0) written.push({ table, rows });
    }
    all.push(written);
  }
  return all;
}

/** Makes turns of ten entries, each of 1,000 bytes as JSON: a question, four calls with their results, an answer. */
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
