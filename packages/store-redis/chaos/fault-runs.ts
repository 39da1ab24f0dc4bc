import { cutAof } from "../test-support/faults/cut-aof.ts";
import { cutConnections } from "../test-support/faults/cut-connections.ts";
import { failOverBySentinel } from "../test-support/faults/fail-over-by-sentinel.ts";
import { failOver } from "../test-support/faults/fail-over.ts";
import { flushScripts } from "../test-support/faults/flush-scripts.ts";
import { killInErasures } from "../test-support/faults/kill-in-erasures.ts";
import { killInEveryVerb, killServer } from "../test-support/faults/kill-server.ts";
import { linearize, linearizeReads } from "../test-support/faults/linearize.ts";
import { moveSlots } from "../test-support/faults/move-slots.ts";
import { randomFrom } from "../test-support/faults/random-from.ts";
import type { FaultRun } from "./end-faults.ts";

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
  const few = { writers: 2, threads: 4, batchSize: 5 };
  const cutLoad = { writers: 2, threads: 10, batchSize: 7, batches: some(60) };
  const kill = { load, kills: some(10), entries: some(100_000) };
  return [
    { name: "kill -9, fsync always", run: () => killServer({ ...kill, appendfsync: "always" }) },
    {
      name: "kill -9, fsync everysec",
      run: () => killServer({ ...kill, appendfsync: "everysec" }),
    },
    {
      name: "kill -9 in every verb, fsync always",
      run: () => killInEveryVerb({ kills: some(200) }),
    },
    { name: "kill -9 of erasures", run: () => killInErasures({ kills: some(200) }) },
    {
      name: "append-only file cut",
      run: () => cutAof({ load: cutLoad, cuts: some(25), random: randomFrom(Date.now()) }),
    },
    { name: "connections killed", run: () => cutConnections({ by: "client-kill", ...often }) },
    { name: "connections cut by a proxy", run: () => cutConnections({ by: "proxy", ...often }) },
    {
      name: "the same, every append at a version",
      run: () => cutConnections({ by: "proxy", cuts: some(100), everyEntries: 24, load: compared }),
    },
    {
      name: "scripts flushed",
      run: () => flushScripts({ flushes: some(1000), everyEntries: 100, load }),
    },
    {
      name: "slots moved",
      run: () => moveSlots({ load, rounds: some(30), slots: 4, everyEntries: 300 }),
    },
    {
      name: "failover, replica lags",
      run: () => failOver({ replicas: 0, threads: some(50), batches: 40 }),
    },
    {
      name: "failover, replicas: 1",
      run: () => failOver({ replicas: 1, threads: some(50), batches: 40 }),
    },
    {
      name: "state, linearised",
      run: () => linearize({ histories: some(1500), random: randomFrom(Date.now()) }),
    },
    { name: "log and views, linearized", run: () => linearizeReads({ runs: some(20) }) },
    {
      name: "failover by a sentinel, replicas: 1",
      run: () => failOverBySentinel({ load: few, entries: some(1000) }),
    },
  ];
}
