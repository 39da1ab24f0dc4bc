import { cutInEveryVerb } from "../../../testkit/test-support/faults/mixed-writes.ts";
import { openStore } from "../open-store.ts";
import { startRedisServer } from "../servers/start-redis-server.ts";
import type { FaultReport } from "./fault-report.ts";
import { reportOfMixed, reportOn } from "./fault-report.ts";
import { startLoad } from "./load.ts";
import type { Load } from "./load.ts";

/** Repeatedly kills the server with SIGKILL under load, and restarts it on its data. */
export async function killServer(options: {
  readonly appendfsync: "always" | "everysec" | "no";
  readonly load: Load;
  readonly kills: number;
  /** Total entries to acknowledge. */
  readonly entries: number;
}): Promise<FaultReport> {
  const { appendfsync, load, kills, entries } = options;
  await using server = await startRedisServer({
    appendonly: true,
    appendfsync,
    // With `everysec`, the server answers before it writes while the disk syncs: a killed process may then lose acknowledged writes.
    inMemory: appendfsync === "everysec",
  });
  const address = { urls: [server.url], namespace: "kill" };
  await using writers = await startLoad(address, load);
  for (let kill = 1; kill <= kills; kill += 1) {
    await writers.acknowledged((entries * kill) / (kills + 1));
    await server.kill9();
    await server.restart();
  }
  await writers.acknowledged(entries);
  // Kills once more during writes: those in flight have no outcome.
  await server.kill9();
  const stopping = writers.finish("stop");
  await server.restart();
  await stopping;
  return await reportOn(address, writers, { kills: kills + 1 });
}

/** Kills the server with SIGKILL during every kind of write, and compares its content with that of a memory store after the same writes. */
export async function killInEveryVerb(options: { readonly kills: number }): Promise<FaultReport> {
  await using server = await startRedisServer({ appendonly: true, appendfsync: "always" });
  const address = { urls: [server.url], namespace: "verbs", options: { timeoutMs: 3000 } };
  const report = await cutInEveryVerb({
    open: async () => openStore(address),
    cut: async () => server.kill9(),
    heal: async () => server.restart(),
    cuts: options.kills,
  });
  return reportOfMixed(report);
}
