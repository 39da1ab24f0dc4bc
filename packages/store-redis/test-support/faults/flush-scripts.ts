import { openClient } from "../open-client.ts";
import { startRedisServer } from "../servers/start-redis-server.ts";
import { reportOn } from "./fault-report.ts";
import type { FaultReport } from "./fault-report.ts";
import { startLoad } from "./load.ts";
import type { Load } from "./load.ts";

/** Repeatedly flushes the server's script cache under load. */
export async function flushScripts(options: {
  readonly flushes: number;
  /** Entries to acknowledge before the first flush, between two flushes, and after the last one. */
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
