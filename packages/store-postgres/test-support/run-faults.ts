import { randomFrom } from "../../store-redis/test-support/faults/random-from.ts";
import { runFaults } from "../../testkit/test-support/faults/run-faults.ts";
import { cutConnections } from "./faults/cut-connections.ts";
import { failOver, failOverToLaggard } from "./faults/fail-over.ts";
import { fillDisk } from "./faults/fill-disk.ts";
import { killInErasures } from "./faults/kill-in-erasures.ts";
import { killInEveryVerb, killServer } from "./faults/kill-server.ts";
import { killWriters } from "./faults/kill-writers.ts";
import { linearize, linearizeReads } from "./faults/linearize.ts";
import { restartServer } from "./faults/restart-server.ts";
import { writeAtOnce } from "./faults/write-at-once.ts";
import { LENGTH_VARIABLE } from "./is-at-length.ts";
import { findPostgresProgram } from "./servers/find-postgres-program.ts";

/** Runs faults on a Postgres server for minutes: see `runFaults`. The shared store suite runs under every isolation level. */

const server = {
  name: "postgres",
  missing: async () => {
    const program = await findPostgresProgram();
    return program.kind === "none" ? program.reason : undefined;
  },
  env: { [LENGTH_VARIABLE]: "1" },
};

await runFaults([server], (some) => {
  const load = { writers: 4, threads: 12, lanes: 2, batchSize: 5 };
  const eight = { writers: 8, threads: 4, lanes: 2, batchSize: 3 };
  const compared = { writers: 8, threads: 1, batchSize: 3, comparesVersions: true };
  const often = { cuts: some(200), everyEntries: 60, load: eight };
  const atOnce = { writers: 8, threads: 2, lanes: 2, batchSize: 3, batches: some(100) };
  return [
    [
      "kill -9, synchronous_commit on",
      () => killServer({ synchronousCommit: "on", load, kills: some(10), entries: some(50_000) }),
    ],
    ["kill -9 in every verb", () => killInEveryVerb({ kills: some(100) })],
    ["kill -9 of erasures", () => killInErasures({ kills: some(200) })],
    ["writers killed", () => killWriters({ load: eight, kills: some(20), everyEntries: 600 })],
    ["restart", () => restartServer({ load: eight, restarts: some(20), everyEntries: 600 })],
    [
      "failover to a synchronous standby",
      () => failOver({ load: eight, waits: some(200), everyEntries: some(6000) }),
    ],
    ["failover, standby lags", () => failOverToLaggard({ threads: some(50), batches: 40 })],
    [
      "connections ended (pg_terminate_backend)",
      () => cutConnections({ by: "terminate", ...often }),
    ],
    ["statements canceled (pg_cancel_backend)", () => cutConnections({ by: "cancel", ...often })],
    ["connections cut by a proxy", () => cutConnections({ by: "proxy", ...often })],
    [
      "the same, every append at a version",
      () => cutConnections({ by: "proxy", cuts: some(100), everyEntries: 24, load: compared }),
    ],
    ["read committed", () => writeAtOnce({ by: "read committed", load: atOnce })],
    ["repeatable read", () => writeAtOnce({ by: "repeatable read", load: atOnce })],
    ["serializable", () => writeAtOnce({ by: "serializable", load: atOnce })],
    ["PgBouncer, transaction", () => writeAtOnce({ by: "pgbouncer", load: atOnce })],
    ["disk full", () => fillDisk({ load: eight, times: some(10), everyEntries: 120 })],
    [
      "state, linearized",
      () => linearize({ histories: some(1500), random: randomFrom(Date.now()) }),
    ],
    ["log and views, linearized", () => linearizeReads({ runs: some(20) })],
  ];
});
