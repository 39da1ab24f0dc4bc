import { eventually } from "../eventually.ts";
import { openClient } from "../open-client.ts";
import type { OpenClient } from "../open-client.ts";
import { startCuttingProxy } from "../proxies/start-cutting-proxy.ts";
import type { CutMoment, CuttingProxy } from "../proxies/start-cutting-proxy.ts";
import { startRedisServer } from "../servers/start-redis-server.ts";
import { reportOn } from "./fault-report.ts";
import type { FaultReport } from "./fault-report.ts";
import { startLoad } from "./load.ts";
import type { Load } from "./load.ts";

/** Repeatedly cuts all connections of the writers: by `CLIENT KILL`, or by a proxy that alternately cuts before and after execution. */
export async function cutConnections(options: {
  readonly by: "client-kill" | "proxy";
  /** Number of cuts. Each cuts at least one connection. */
  readonly cuts: number;
  /** Entries to acknowledge before the first cut, between two cuts, and after the last one. */
  readonly everyEntries: number;
  readonly load: Omit<Load, "batches">;
}): Promise<FaultReport> {
  const { by, cuts, everyEntries, load } = options;
  await using server = await startRedisServer();
  await using proxy = await startCuttingProxy(server.port);
  const direct = { urls: [server.url], namespace: "cut" };
  const address = { ...direct, urls: [by === "proxy" ? proxy.url : server.url] };
  const admin = await openClient(direct);
  await using writers = await startLoad(address, load);
  let kills = 0;
  try {
    for (let cut = 0; cut < cuts; cut += 1) {
      await writers.acknowledgedMore(everyEntries);
      if (by === "proxy") await cutByProxy(proxy, cut % 2 === 0 ? "before" : "after");
      else kills += await killConnections(admin);
    }
    await writers.acknowledgedMore(everyEntries);
    await writers.finish("stop");
  } finally {
    admin.destroy();
  }
  const { before, after } = proxy.cuts;
  return await reportOn(direct, writers, by === "proxy" ? { before, after } : { kills });
}

/** Repeats until a connection is killed, as writers may be reconnecting. */
async function killConnections({ send }: OpenClient): Promise<number> {
  let killed = 0;
  await eventually("a connection is killed", async () => {
    killed = Number(await send(["CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"]));
    return killed > 0;
  });
  return killed;
}

async function cutByProxy(proxy: CuttingProxy, moment: CutMoment): Promise<void> {
  const before = proxy.cuts[moment];
  await eventually(`a connection is cut ${moment} execution`, () => {
    if (proxy.cuts[moment] > before) return true;
    proxy.cut(moment);
    return false;
  });
}
