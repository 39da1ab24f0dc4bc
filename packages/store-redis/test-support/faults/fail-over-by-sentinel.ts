import { eventually } from "../eventually.ts";
import { openClient } from "../open-client.ts";
import type { ClientAddress } from "../open-client.ts";
import { startRedisServer } from "../servers/start-redis-server.ts";
import { startSentinel } from "../servers/start-sentinel.ts";
import { reportOn } from "./fault-report.ts";
import type { FaultReport } from "./fault-report.ts";
import { startLoad } from "./load.ts";
import type { Load } from "./load.ts";

/**
 * Kills the primary under load and lets a sentinel promote the replica, while each write waits for one replica.
 * A third server then follows the new primary, so that the writers can continue.
 */
export async function failOverBySentinel(options: {
  readonly load: Load;
  /** Entries to acknowledge before the failover, and as many after it. */
  readonly entries: number;
}): Promise<FaultReport> {
  const { load, entries } = options;
  await using first = await startRedisServer();
  await using second = await startRedisServer({ replicaOf: first.port });
  await eventually("the replica follows", () => says(first.url, "ROLE", String(second.port)));
  await using sentinel = await startSentinel(first.port);
  await eventually("the sentinel knows the replica", () =>
    says(sentinel.url, "SENTINEL REPLICAS primary", String(second.port)),
  );
  const bySentinel = { urls: [sentinel.url], kind: "sentinel" } as const;
  const address = {
    ...bySentinel,
    namespace: "sentinel",
    options: { replicas: 1, timeoutMs: 1000 },
  };
  await using writers = await startLoad(address, load);
  await writers.acknowledged(entries);
  await first.kill9();
  await eventually("the replica takes over", () => says(second.url, "ROLE", "master"));
  await using third = await startRedisServer({ replicaOf: second.port });
  await eventually("the new primary has a replica", () =>
    says(second.url, "ROLE", String(third.port)),
  );
  await writers.acknowledgedMore(entries);
  await writers.finish("stop");
  return await reportOn({ urls: [second.url], namespace: "sentinel" }, writers, { failovers: 1 });
}

/** Returns false on errors, because a server whose role changes cuts all connections. */
async function says(url: string, command: string, text: string): Promise<boolean> {
  const answer = await tell(url, command).catch(() => "");
  return JSON.stringify(answer).includes(text);
}

async function tell(url: string, command: string): Promise<unknown> {
  const address: ClientAddress = { urls: [url], protocol: 2 };
  const { send, destroy } = await openClient(address);
  try {
    return await send(command.split(" "));
  } finally {
    destroy();
  }
}
