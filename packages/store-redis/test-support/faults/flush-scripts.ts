import { openClient } from "../open-client.ts";
import { repeatEvery } from "../repeat-every.ts";
import { startRedisServer } from "../servers/start-redis-server.ts";
import { reportOn } from "./fault-report.ts";
import type { FaultReport } from "./fault-report.ts";
import { startLoad } from "./load.ts";
import type { Load } from "./load.ts";

/** Empties the server's script cache every few milliseconds under load. */
export async function flushScripts(load: Load): Promise<FaultReport> {
  await using server = await startRedisServer();
  const address = { urls: [server.url], namespace: "flush" };
  const admin = await openClient(address);
  await using writers = await startLoad(address, load);
  let flushes = 0;
  const stop = repeatEvery(3, async () => {
    await admin.send(["SCRIPT", "FLUSH"]);
    flushes += 1;
  });
  try {
    await writers.finish();
  } finally {
    await stop();
    admin.destroy();
  }
  return await reportOn(address, writers, { flushes });
}
