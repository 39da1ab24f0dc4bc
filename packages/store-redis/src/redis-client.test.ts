import { createClient, createClientPool, createCluster, createSentinel } from "redis";
import * as redis5 from "redis5";
import { describe, expect, it } from "vitest";

import type { RedisClient } from "./redis-client.ts";

const sentinelOptions = { name: "main", sentinelRootNodes: [{ host: "127.0.0.1", port: 1 }] };
const clusterOptions = { rootNodes: [{ url: "redis://127.0.0.1:1" }] };

describe("RedisClient", () => {
  it("is what redis 6 and redis 5 give: client, pool, sentinel and cluster", () => {
    const clients: readonly RedisClient[] = [
      createClient(),
      createClientPool(),
      createSentinel(sentinelOptions),
      createCluster(clusterOptions),
      redis5.createClient(),
      redis5.createClientPool(),
      redis5.createSentinel(sentinelOptions),
      redis5.createCluster(clusterOptions),
    ];

    expect(clients.map((client) => "nodeClient" in client)).toEqual([
      false,
      false,
      false,
      true,
      false,
      false,
      false,
      true,
    ]);
    expect(clients.map((client) => "getMasterNode" in client)).toEqual([
      false,
      false,
      true,
      false,
      false,
      false,
      true,
      false,
    ]);
    expect(clients.map((client) => "execute" in client)).toEqual([
      false,
      true,
      false,
      false,
      false,
      true,
      false,
      false,
    ]);
  });
});
