import { createClient, createClientPool, createCluster, createSentinel } from "redis";
import { createClient as createClient5 } from "redis5";

import type { RedisClient } from "../src/redis-client.ts";
import { PRIMARY_NAME } from "./servers/primary-name.ts";

/** Which client to make, and for which servers; plain JSON. */
export interface ClientAddress {
  /** Several addresses are nodes of one cluster. */
  readonly urls: readonly string[];
  /** Default `client`, or a cluster client if there are several addresses. `client5` is version 5 of `redis`; for `sentinel`, the address is that of the sentinel. */
  readonly kind?: "client" | "client5" | "pool" | "sentinel";
  /** RESP version. Default 3. */
  readonly protocol?: 2 | 3;
}

/** A connected client. */
export interface OpenClient {
  readonly client: RedisClient;
  /** Sends a command to any node. */
  readonly send: (args: readonly string[]) => Promise<unknown>;
  readonly destroy: () => void;
}

/** Makes and connects a client that reconnects fast. */
export async function openClient({ urls, kind, protocol = 3 }: ClientAddress): Promise<OpenClient> {
  const [url = ""] = urls;
  const socket = { reconnectStrategy: (retries: number) => Math.min(2 ** retries, 50) };
  const options = { url, RESP: protocol, socket } as const;
  if (urls.length > 1) {
    const rootNodes = urls.map((node) => ({ url: node }));
    const cluster = createCluster({ rootNodes, RESP: protocol, defaults: { socket } });
    return connected(cluster, (args) => cluster.sendCommand(undefined, false, [...args]));
  }
  if (kind === "sentinel") {
    const { hostname: host, port } = new URL(url);
    const sentinel = createSentinel({
      name: PRIMARY_NAME,
      scanInterval: 200,
      masterPoolSize: 4,
      sentinelRootNodes: [{ host, port: Number(port) }],
      nodeClientOptions: { socket },
      sentinelClientOptions: { socket },
      RESP: protocol,
    });
    return connected(sentinel, (args) => sentinel.sendCommand(false, [...args]));
  }
  const client =
    kind === "pool"
      ? createClientPool(options, { minimum: 2, maximum: 8 })
      : kind === "client5"
        ? createClient5(options)
        : createClient(options);
  return connected(client, (args) => client.sendCommand([...args]));
}

interface Connectable {
  on(event: "error", listener: () => void): unknown;
  connect(): Promise<unknown>;
  destroy(): void;
}

async function connected(
  client: RedisClient & Connectable,
  send: OpenClient["send"],
): Promise<OpenClient> {
  // Without a listener, an error would end the process. The store notices errors by failing commands.
  client.on("error", () => undefined);
  await client.connect();
  return { client, send, destroy: () => client.destroy() };
}
