import { openClient } from "../open-client.ts";
import { startRedisServer } from "../servers/start-redis-server.ts";
import { reportOn } from "./fault-report.ts";
import type { FaultReport } from "./fault-report.ts";
import { startLoad } from "./load.ts";
import type { Load } from "./load.ts";

/** Empties the server's script cache again and again under load. */
export async function flushScripts(options: {
  readonly flushes: number;
  /** How many entries are acknowledged before the first, between two, and after the last. */
  readonly everyEntries: number;
  readonly load: Omit<Load, "batches">;
}): Promise<FaultReport> {
  const { flushes, everyEntries, load } = options;
  await using server = await startRedisServer();
  const address = { urls: [server.url], namespace: "flush" };
  const admin = await openClient(address);
  await using writers = await startLoad(address, load);
  try {
    for (let flush = 0; flush < flushes; flush += 1) {
      await writers.acknowledgedMore(everyEntries);
      await admin.send(["SCRIPT", "FLUSH"]);
    }
    await writers.acknowledgedMore(everyEntries);
    await writers.finish("stop");
  } finally {
    admin.destroy();
  }
  return await reportOn(address, writers, { flushes });
}
