import { cutInEveryVerb } from "../../../testkit/test-support/faults/mixed-writes.ts";
import { openStore } from "../open-store.ts";
import { startRedisServer } from "../servers/start-redis-server.ts";
import type { FaultReport } from "./fault-report.ts";
import { reportOfMixed, reportOn } from "./fault-report.ts";
import { startLoad } from "./load.ts";
import type { Load } from "./load.ts";

/** Kills the server with SIGKILL under load, again and again, and starts it on what it left on the disk. */
export async function killServer(options: {
  readonly appendfsync: "always" | "everysec" | "no";
  readonly load: Load;
  readonly kills: number;
  /** How many entries are to be acknowledged in all. */
  readonly entries: number;
}): Promise<FaultReport> {
  const { appendfsync, load, kills, entries } = options;
  await using server = await startRedisServer({
    appendonly: true,
    appendfsync,
    // While the disk syncs, `everysec` answers before it has written: there a killed process may lose what it acknowledged.
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
  // Once more in the middle of a write: what is in flight has no outcome.
  await server.kill9();
  const stopping = writers.finish("stop");
  await server.restart();
  await stopping;
  return await reportOn(address, writers, { kills: kills + 1 });
}

/** Kills the server with SIGKILL in the midst of every verb, and compares all that is there with what the same writes leave in memory. */
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
