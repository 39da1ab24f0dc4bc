import type { FaultRun } from "../../store-redis/chaos/end-faults.ts";
import { randomFrom } from "../../store-redis/test-support/faults/random-from.ts";
import { cutConnections } from "../test-support/faults/cut-connections.ts";
import { failOver, failOverToLaggard } from "../test-support/faults/fail-over.ts";
import { fillDisk } from "../test-support/faults/fill-disk.ts";
import { killInErasures } from "../test-support/faults/kill-in-erasures.ts";
import { killInEveryVerb, killServer } from "../test-support/faults/kill-server.ts";
import { killWriters } from "../test-support/faults/kill-writers.ts";
import { linearize, linearizeReads } from "../test-support/faults/linearize.ts";
import { restartServer } from "../test-support/faults/restart-server.ts";
import { writeAtOnce } from "../test-support/faults/write-at-once.ts";

/**
 * All faults, each as long as its figures need.
 *
 * @param share - How much of that: 0.1 is a tenth.
 */
export function faultRuns(share = 1): readonly FaultRun[] {
  const some = (count: number): number => Math.max(1, Math.round(count * share));
  const load = { writers: 4, threads: 12, lanes: 2, batchSize: 5 };
  const eight = { writers: 8, threads: 4, lanes: 2, batchSize: 3 };
  const compared = { writers: 8, threads: 1, batchSize: 3, comparesVersions: true };
  const often = { cuts: some(200), everyEntries: 60, load: eight };
  const atOnce = { writers: 8, threads: 2, lanes: 2, batchSize: 3, batches: some(100) };
  return [
    {
      name: "kill -9, synchronous_commit on",
      run: () =>
        killServer({ synchronousCommit: "on", load, kills: some(10), entries: some(50_000) }),
    },
    { name: "kill -9 in every verb", run: () => killInEveryVerb({ kills: some(100) }) },
    { name: "kill -9 of erasures", run: () => killInErasures({ kills: some(200) }) },
    {
      name: "writers killed",
      run: () => killWriters({ load: eight, kills: some(20), everyEntries: 600 }),
    },
    {
      name: "restart",
      run: () => restartServer({ load: eight, restarts: some(20), everyEntries: 600 }),
    },
    {
      name: "failover to a synchronous standby",
      run: () => failOver({ load: eight, waits: some(200), everyEntries: some(6000) }),
    },
    {
      name: "failover, standby lags",
      run: () => failOverToLaggard({ threads: some(50), batches: 40 }),
    },
    {
      name: "connections ended (pg_terminate_backend)",
      run: () => cutConnections({ by: "terminate", ...often }),
    },
    {
      name: "statements canceled (pg_cancel_backend)",
      run: () => cutConnections({ by: "cancel", ...often }),
    },
    { name: "connections cut by a proxy", run: () => cutConnections({ by: "proxy", ...often }) },
    {
      name: "the same, every append at a version",
      run: () => cutConnections({ by: "proxy", cuts: some(100), everyEntries: 24, load: compared }),
    },
    { name: "read committed", run: () => writeAtOnce({ by: "read committed", load: atOnce }) },
    { name: "repeatable read", run: () => writeAtOnce({ by: "repeatable read", load: atOnce }) },
    { name: "serializable", run: () => writeAtOnce({ by: "serializable", load: atOnce }) },
    { name: "PgBouncer, transaction", run: () => writeAtOnce({ by: "pgbouncer", load: atOnce }) },
    {
      name: "disk full",
      run: () => fillDisk({ load: eight, times: some(10), everyEntries: 120 }),
    },
    {
      name: "state, linearized",
      run: () => linearize({ histories: some(1500), random: randomFrom(Date.now()) }),
    },
    { name: "log and views, linearized", run: () => linearizeReads({ runs: some(20) }) },
  ];
}
