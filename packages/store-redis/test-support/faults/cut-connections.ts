import { openClient } from "../open-client.ts";
import { startCuttingProxy } from "../proxies/start-cutting-proxy.ts";
import { repeatEvery } from "../repeat-every.ts";
import { startRedisServer } from "../servers/start-redis-server.ts";
import { reportOn } from "./fault-report.ts";
import type { FaultReport } from "./fault-report.ts";
import { startLoad } from "./load.ts";
import type { Load } from "./load.ts";

/** Cuts every connection of the writers every few milliseconds: `CLIENT KILL`, or a proxy that cuts before and after execution. */
export async function cutConnections(options: {
  readonly by: "client-kill" | "proxy";
  readonly everyMs: number;
  readonly load: Load;
}): Promise<FaultReport> {
  const { by, everyMs, load } = options;
  await using server = await startRedisServer();
  await using proxy = await startCuttingProxy(server.port);
  const direct = { urls: [server.url], namespace: "cut" };
  const address = { ...direct, urls: [by === "proxy" ? proxy.url : server.url] };
  const admin = await openClient(direct);
  let kills = 0;
  let moment: "before" | "after" = "after";
  const cut = async (): Promise<void> => {
    if (by === "proxy") {
      moment = moment === "before" ? "after" : "before";
      proxy.cut(moment);
      return;
    }
    const kill = ["CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"];
    kills += Number(await admin.send(kill));
  };
  await using writers = await startLoad(address, load);
  const stop = repeatEvery(everyMs, cut);
  try {
    await writers.finish();
  } finally {
    await stop();
    admin.destroy();
  }
  const { before, after } = proxy.cuts;
  return await reportOn(direct, writers, by === "proxy" ? { before, after } : { kills });
}
