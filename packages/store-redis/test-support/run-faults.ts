import { runFaults } from "../../testkit/test-support/faults/run-faults.ts";
import { cutAof } from "./faults/cut-aof.ts";
import { cutConnections } from "./faults/cut-connections.ts";
import { failOverBySentinel } from "./faults/fail-over-by-sentinel.ts";
import { failOver } from "./faults/fail-over.ts";
import { flushScripts } from "./faults/flush-scripts.ts";
import { killInErasures } from "./faults/kill-in-erasures.ts";
import { killInEveryVerb, killServer } from "./faults/kill-server.ts";
import { linearize, linearizeReads } from "./faults/linearize.ts";
import { moveSlots } from "./faults/move-slots.ts";
import { randomFrom } from "./faults/random-from.ts";
import { findRedisProgram, SERVER_VARIABLE } from "./servers/find-redis-program.ts";
import { SERVER_NAMES } from "./servers/redis-program.ts";

/** Runs faults on each server for minutes: see `runFaults`. */

const servers = SERVER_NAMES.map((name) => ({
  name,
  missing: async () => {
    const program = await findRedisProgram(name);
    return program.kind === "none" ? program.reason : undefined;
  },
  // The default server of these processes.
  env: { [SERVER_VARIABLE]: name },
}));

await runFaults(servers, (some) => {
  const load = { writers: 4, threads: 12, lanes: 2, batchSize: 5 };
  const eight = { writers: 8, threads: 4, lanes: 2, batchSize: 3 };
  const compared = { writers: 8, threads: 1, batchSize: 3, comparesVersions: true };
  const often = { cuts: some(200), everyEntries: 60, load: eight };
  const few = { writers: 2, threads: 4, batchSize: 5 };
  const cutLoad = { writers: 2, threads: 10, batchSize: 7, batches: some(60) };
  const kill = { load, kills: some(10), entries: some(100_000) };
  return [
    ["kill -9, fsync always", () => killServer({ ...kill, appendfsync: "always" })],
    ["kill -9, fsync everysec", () => killServer({ ...kill, appendfsync: "everysec" })],
    ["kill -9 in every verb, fsync always", () => killInEveryVerb({ kills: some(200) })],
    ["kill -9 of erasures", () => killInErasures({ kills: some(200) })],
    [
      "append-only file cut",
      () => cutAof({ load: cutLoad, cuts: some(25), random: randomFrom(Date.now()) }),
    ],
    ["connections killed", () => cutConnections({ by: "client-kill", ...often })],
    ["connections cut by a proxy", () => cutConnections({ by: "proxy", ...often })],
    [
      "the same, every append at a version",
      () => cutConnections({ by: "proxy", cuts: some(100), everyEntries: 24, load: compared }),
    ],
    ["scripts flushed", () => flushScripts({ flushes: some(1000), everyEntries: 100, load })],
    ["slots moved", () => moveSlots({ load, rounds: some(30), slots: 4, everyEntries: 300 })],
    ["failover, replica lags", () => failOver({ replicas: 0, threads: some(50), batches: 40 })],
    ["failover, replicas: 1", () => failOver({ replicas: 1, threads: some(50), batches: 40 })],
    [
      "state, linearized",
      () => linearize({ histories: some(1500), random: randomFrom(Date.now()) }),
    ],
    ["log and views, linearized", () => linearizeReads({ runs: some(20) })],
    [
      "failover by a sentinel, replicas: 1",
      () => failOverBySentinel({ load: few, entries: some(1000) }),
    ],
  ];
});
